/** `godwit queue`: what waits to be sent, in the order in which it goes, and how to change that. */
import type { Command } from 'commander';
import { allOfQueue } from '../../../shared/control/all-of-queue.ts';
import type {
  FetchReport,
  QueueAct,
  QueueEntry,
  QueueOutcome,
  QueueReport,
} from '../../../shared/control/queue.ts';
import type { CommandArguments } from '../../../shared/control/commands.ts';
import { MAX_QUEUE_ENTRIES } from '../../../shared/control/limits.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseCount } from '../arguments.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatClock, formatCount, formatTable } from '../format.ts';
import { durationText, sizeText } from '../../../shared/util/amounts.ts';
import { printable, quoted } from '../printable.ts';
import { parseVolumePath } from '../volume-path.ts';
import { DEFAULT_VOLUME } from '../volume-tree.ts';
import { volumeFlag } from '../volume-flag.ts';

/** What a person looks through; programs ask for more with --most. */
const SHOWN = 50;

/** `does`: of one change, and of several. */
const ACTS: Record<QueueAct, { readonly says: string; readonly does: readonly [string, string] }> =
  {
    now: { says: 'send this first, with what it depends on', does: ['goes first', 'go first'] },
    later: { says: 'send this when everything else has gone', does: ['goes last', 'go last'] },
    cancel: {
      says: 'do not send this: the file stays here, and is not synced',
      does: [
        'is not sent until `godwit queue now` or another change',
        'are not sent until `godwit queue now` or another change',
      ],
    },
  };

interface OrderOptions {
  readonly volume?: string;
  readonly withDependents?: boolean;
}

/**
 * Builds `godwit queue`, which lists the queued updates, with its subcommands `fetches`, `now`,
 * `later` and `cancel`. Without `--most`, a list for people is cut to `SHOWN` rows and `--json`
 * gives all.
 */
export function queueCommand(cli: Cli): Command {
  const command = cli.withData(
    'queue',
    'list what waits to be sent, in the order in which it goes',
  );
  flag(command, '--most <count>', `how many (default: ${SHOWN})`, undefined, parseCount);
  command.enablePositionalOptions();
  cli.does<{ most?: number }>(command, async (context, { most }) => {
    const report = await askQueue(context, most ?? (context.json ? undefined : SHOWN));
    context.result(report, linesOf(report));
  });
  command.addCommand(fetchesCommand(cli));
  for (const act of ['now', 'later', 'cancel'] as const) command.addCommand(orderCommand(cli, act));
  return command;
}

/** `most` undefined: all of it, however long it is. */
export function askQueue(
  { daemon }: Context,
  most?: number,
): Promise<Pick<QueueReport, 'total' | 'entries' | 'why'>> {
  return allOfQueue(async (asked) => await daemon.command('queue', asked), {
    most,
  });
}

function fetchesCommand(cli: Cli): Command {
  const command = cli.withData('fetches', 'list what is being fetched');
  flag(command, '--most <count>', `how many (default: ${SHOWN})`, undefined, parseCount);
  return cli.does<{ most?: number }>(command, async (context, { most }) => {
    const limit = Math.min(most ?? (context.json ? MAX_QUEUE_ENTRIES : SHOWN), MAX_QUEUE_ENTRIES);
    const report = await context.daemon.command('fetches', { most: limit });
    context.result(report, linesOfFetches(report));
  });
}

function linesOfFetches({ total, entries }: FetchReport): string[] {
  if (total === 0) return ['nothing is being fetched'];
  const rows = entries.map(({ volume, path, demanded, ahead, state, bytes, receivedBytes }) => [
    state,
    demanded ? 'wanted now' : ahead === true ? 'ahead' : 'for the folder',
    bytes === null ? '-' : partText(receivedBytes, bytes),
    path === null ? '(no name)' : pathText({ volume, path }),
  ]);
  const lines = formatTable([['state', 'for whom', 'size', 'path'], ...rows], [2]);
  if (total > entries.length) lines.push(`... and ${total - entries.length} more (--most)`);
  return lines;
}

function orderCommand(cli: Cli, act: QueueAct): Command {
  const command = cli
    .withData(act, ACTS[act].says)
    .argument('<path|number>', 'a file or folder of the volume, or a number of the list');
  volumeFlag(command, 'volume of the path');
  if (act === 'cancel') flag(command, '--with-dependents', 'cancel what waits for it, too');
  return cli.does<OrderOptions>(command, async (context, options, [text = '']) => {
    const target = targetOf(text, options.volume ?? DEFAULT_VOLUME);
    const order = { act, target, withDependents: options.withDependents === true };
    try {
      const outcome = await context.daemon.command('queue-order', order);
      context.result({ act, ...outcome }, linesOfOutcome(act, outcome));
    } catch (error) {
      throw remedied(text, error);
    }
  });
}

/** A file whose name is a number is named with a slash. */
function targetOf(text: string, volume: string): CommandArguments<'queue-order'>['target'] {
  if (/^\d{1,15}$/.test(text)) return { number: parseQueueNumber(text) };
  return { volume, path: parseVolumePath(text) };
}

function parseQueueNumber(text: string): number {
  if (Number(text) < 1)
    throw new GodwitError('usage', `${text}: numbers of the queue begin with 1`);
  return Number(text);
}

function remedied(text: string, error: unknown): unknown {
  if (!(error instanceof GodwitError) || error.code !== 'update-needed') return error;
  const again = `\`godwit queue cancel --with-dependents ${quoted(text)}\``;
  return new GodwitError(error.code, error.message, `cancel it with them: ${again}`);
}

function linesOf({
  total,
  entries,
  why,
}: Pick<QueueReport, 'total' | 'entries' | 'why'>): string[] {
  if (total === 0) return ['nothing waits to be sent'];
  const head = ['number', 'state', 'what', 'size', 'in', 'path'];
  const rows = entries.map((entry) => [
    String(entry.number),
    stateText(entry),
    entry.kind,
    entrySize(entry),
    entry.seconds === null ? '-' : durationText(entry.seconds * 1000),
    pathText(entry),
  ]);
  const lines = formatTable([head, ...rows], [0, 3, 4]);
  if (total > entries.length) lines.push(`... and ${total - entries.length} more (--most)`);
  if (why !== null) lines.push(`nothing is sent at the moment: ${why}`);
  return lines;
}

function stateText({ state, turn, waitsFor, until, reason }: QueueEntry): string {
  const order = turn === null ? '' : `, ${turn === 'now' ? 'first' : 'last'}`;
  switch (state) {
    case 'waiting': {
      const [first, ...more] = waitsFor;
      if (first === undefined) return `waiting${order}`;
      return `waits for ${first}${more.length === 0 ? '' : ` and ${more.length} more`}${order}`;
    }
    case 'delayed':
      return until === null ? state : `delayed until ${formatClock(until, Date.now())}`;
    case 'blocked':
      return reason === null ? state : `blocked: ${printable(reason)}`;
    default:
      return `${state}${order}`;
  }
}

function entrySize({ kind, bytes, sentBytes }: QueueEntry): string {
  if (kind !== 'store') return '-';
  return partText(sentBytes, bytes);
}

function partText(moved: number, bytes: number): string {
  if (moved === 0 || bytes === 0) return sizeText(bytes);
  return `${Math.floor((100 * moved) / bytes)} % of ${sizeText(bytes)}`;
}

function pathText({ volume, path }: Pick<QueueEntry, 'volume' | 'path'>): string {
  return printable(volume === DEFAULT_VOLUME ? path : `${volume}: ${path}`);
}

function linesOfOutcome(act: QueueAct, { updates, others, underWay, why }: QueueOutcome): string[] {
  const about = updates - underWay;
  const taken = others === 0 ? '' : ` (and ${formatCount(others, 'other')} with them)`;
  const lines: string[] = [];
  const [one, several] = ACTS[act].does;
  const does = about + others === 1 ? one : several;
  if (about > 0) lines.push(`${formatCount(about, 'change')}${taken} ${does}`);
  if (underWay > 0) lines.push(`${formatCount(underWay, 'change')} on their way already`);
  if (why !== null && act !== 'cancel') lines.push(`nothing of it is sent at the moment: ${why}`);
  return lines;
}
