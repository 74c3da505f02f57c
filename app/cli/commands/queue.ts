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
import { MAX_QUEUE_ENTRIES } from '../../../shared/control/limits.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseCount } from '../arguments.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatClock, formatCount, formatNumber, formatTable } from '../format.ts';
import { sendLines } from '../status-block.ts';
import { indented, signed } from '../style.ts';
import { lengthText, sizeText } from '../../../shared/util/amounts.ts';
import { printable } from '../printable.ts';
import { shellWord } from '../../../shared/util/shell-word.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import { restoredLines } from '../tell-restored.ts';
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
    const head = context.json || report.total === 0 ? null : await headOf(context);
    context.result(report, linesOf(report, head, context));
  });
  command.addCommand(fetchesCommand(cli));
  for (const act of ['now', 'later', 'cancel'] as const) command.addCommand(orderCommand(cli, act));
  return command;
}

/** All of it in one line: how much there is, and how long that takes. */
async function headOf(context: Context): Promise<string | null> {
  const [line] = sendLines(await context.daemon.status(), { queue: null, fetches: null }, context);
  return line ?? null;
}

/** `most` undefined: all of it, however long it is. */
function askQueue(
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
    context.result(report, linesOfFetches(report, context));
  });
}

function linesOfFetches({ total, entries }: FetchReport, context: Context): string[] {
  if (total === 0) return ['nothing is being fetched'];
  const rows = entries.map(({ volume, path, demanded, ahead, state, bytes, receivedBytes }) => [
    state,
    demanded ? 'wanted now' : ahead === true ? 'ahead' : 'for the folder',
    bytes === null ? '-' : partText(receivedBytes, bytes),
    path === null ? '(no name)' : context.shown(path, volume),
  ]);
  const lines = formatTable([['state', 'for whom', 'size', 'path'], ...rows], [2]);
  if (total > entries.length)
    lines.push(`... and ${formatNumber(total - entries.length)} more (--most)`);
  return lines;
}

function orderCommand(cli: Cli, act: QueueAct): Command {
  const command = cli.withData(act, ACTS[act].says);
  const what =
    'a file or folder, without the volumes that are shown in it; or a number of the list';
  pathArgument(command, '<path|number>', what, { kind: 'queued', except: NUMBER });
  volumeFlag(command, 'volume of the path');
  if (act === 'cancel') flag(command, '--with-dependents', 'cancel what waits for it, too');
  return cli.does<OrderOptions>(command, async (context, options, [text = ''], [path]) => {
    const { volume = context.usualVolume } = options;
    const target =
      path === undefined ? { number: parseQueueNumber(text) } : { volume, path: path.names };
    const order = { act, target, withDependents: options.withDependents === true };
    try {
      const outcome = await context.daemon.command('queue-order', order);
      const what = path === undefined ? `number ${text}` : context.shown(path.names, volume);
      const lines = linesOfOutcome(act, outcome, what);
      const given = linesOfGivenUp(context, outcome, outcome.volume ?? volume);
      context.result({ act, ...outcome }, [...lines, ...given]);
    } catch (error) {
      throw remedied(text, error);
    }
  });
}

/** A file whose name is a number is named with a slash. */
const NUMBER = /^\d{1,15}$/;

function parseQueueNumber(text: string): number {
  if (Number(text) < 1)
    throw new GodwitError('usage', `${text}: numbers of the queue begin with 1`);
  return Number(text);
}

function remedied(text: string, error: unknown): unknown {
  if (!(error instanceof GodwitError) || error.code !== 'update-needed') return error;
  const again = `\`godwit queue cancel --with-dependents ${shellWord(text)}\``;
  return new GodwitError(error.code, error.message, `cancel it with them: ${again}`);
}

function linesOf(
  { total, entries, why }: Pick<QueueReport, 'total' | 'entries' | 'why'>,
  head: string | null,
  context: Context,
): string[] {
  if (total === 0) return ['nothing waits to be sent'];
  const isAllStores = entries.every(({ kind }) => kind === 'store');
  const what = (text: string): string[] => (isAllStores ? [] : [text]);
  const rows = entries.map((entry) => [
    String(entry.number),
    stateText(entry),
    ...what(WHAT[entry.kind]),
    ...(entry.kind === 'store'
      ? [sizeText(entry.bytes), sentShare(entry)]
      : [entry.contentBytes === undefined ? '' : sizeText(entry.contentBytes), '']),
    entry.seconds === null ? '-' : lengthText(Math.max(1, entry.seconds)),
    context.shown(entry.path, entry.volume),
  ]);
  const heads = ['number', 'state', ...what('what'), 'size', 'sent', 'left', 'path'];
  const right = ['number', 'size', 'sent', 'left'].map((name) => heads.indexOf(name));
  const more = total - entries.length;
  return [
    ...(head === null ? [] : [head]),
    ...indented(formatTable([heads, ...rows], right)),
    ...(more > 0 ? [`  ... and ${formatNumber(more)} more (--most)`] : []),
    ...(why === null
      ? []
      : [signed('needed', `nothing is sent at the moment: ${why}`, context.colours)]),
  ];
}

/** What an update does, in words. */
const WHAT: Record<QueueEntry['kind'], string> = {
  ...{ create: 'new file', mkdir: 'new folder', symlink: 'new link', link: 'new name' },
  ...{ remove: 'removal', rmdir: 'removal', rename: 'rename', setattr: 'attributes' },
  store: 'contents',
};

function sentShare({ bytes, sentBytes }: QueueEntry): string {
  if (sentBytes === 0 || bytes === 0) return '';
  return `${Math.min(100, Math.floor((100 * sentBytes) / bytes))} %`;
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
      return [
        reason === null ? state : printable(reason),
        ...(until === null ? [] : [`until ${formatClock(until, Date.now())}`]),
      ].join(' ');
    case 'blocked':
      return reason === null ? state : `blocked: ${printable(reason)}`;
    default:
      return `${state}${order}`;
  }
}

function partText(moved: number, bytes: number): string {
  if (moved === 0 || bytes === 0) return sizeText(bytes);
  return `${Math.floor((100 * moved) / bytes)} % of ${sizeText(bytes)}`;
}

function linesOfOutcome(act: QueueAct, outcome: QueueOutcome, what: string): string[] {
  const { updates, others, underWay, why } = outcome;
  // What was given up has a line of its own.
  const about = outcome.givenUp === undefined ? updates - underWay : 0;
  const taken = others === 0 ? '' : ` (and ${formatCount(others, 'other')} with them)`;
  const lines: string[] = [];
  const [one, several] = ACTS[act].does;
  const does = about + others === 1 ? one : several;
  if (about > 0) lines.push(`${what}: ${formatCount(about, 'change')}${taken} ${does}`);
  if (underWay > 0) {
    const are = underWay === 1 ? 'is on its way' : 'are on their way';
    lines.push(`${what}: ${formatCount(underWay, 'change')} ${are} already`);
  }
  if (why !== null && act !== 'cancel') lines.push(`nothing of it is sent at the moment: ${why}`);
  return lines;
}

/** Refused changes: the server's version comes in their place. */
function linesOfGivenUp(
  context: Context,
  { givenUp = [], laidAside = givenUp }: QueueOutcome,
  volume: string,
): string[] {
  const done = givenUp.map((path) => {
    const isLaidAside = laidAside.includes(path);
    return { path, as: 'given-up', to: path, isLaidAside } as const;
  });
  return done.length === 0 ? [] : restoredLines(context, done, { volume });
}
