/** `godwit undo`: the last things that this device did, and how to take them back. What is taken back is said, and asked for, at a terminal. */
import type { Command } from 'commander';
import type { ActRow } from '../../../shared/control/history.ts';
import { MOST_ACTS } from '../../../shared/control/limits.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseCount, parsePastTime } from '../arguments.ts';
import { agrees, answerTo, canAsk } from '../ask.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { formatCount, formatTable, formatWhen } from '../format.ts';
import { indented } from '../style.ts';
import { stillAtIt } from '../still-at-it.ts';
import { restoredLines, tellFailed, tellRestored } from '../tell-restored.ts';
import { volumeFlag } from '../volume-flag.ts';

/** What a person looks through. */
const SHOWN = 10;
const NOTHING = 'there is nothing to take back';

interface Flags {
  readonly last?: number;
  readonly since?: string;
  readonly list?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly volume?: string;
}

type Extent = { readonly last: number } | { readonly since: number } | { readonly act: number };

/**
 * Builds `godwit undo`, which takes back one thing that this device did, the last ones, or all since a time. Its
 * exit code is that of the first path that could not be taken back, or 0.
 */
export function undoCommand(cli: Cli): Command {
  const says = 'take back what this device removed, overwrote, renamed or gave another mode';
  const command = cli.withData('undo', says).argument('[number]', 'of the list: that one alone');
  flag(command, '-l, --list', 'list what can be taken back, and do nothing');
  flag(command, '--last <count>', 'the last ones (without a terminal: 1)', undefined, parseCount);
  flag(command, '--since <time>', 'all since then: 30m, 2h, 3d ago, or a date and time');
  flag(command, '--dry-run', 'say what would be done, and do nothing');
  flag(command, '-y, --yes', 'do not ask');
  volumeFlag(command, 'volume to look in');
  return cli.does<Flags>(command, async (context, flags, [text]) => {
    const { last, since, list = false, volume = context.usualVolume } = flags;
    const said = [text, last, since, list || undefined].filter((each) => each !== undefined);
    if (said.length > 1) {
      throw new GodwitError('usage', 'give a number, --list, --last or --since, and only one');
    }
    if (list) return listActs(context, volume);
    if (text !== undefined) return takeBack(context, flags, { act: parseCount(text) });
    if (since !== undefined) {
      return takeBack(context, flags, { since: parsePastTime(since, Date.now()) });
    }
    const isOpen = last === undefined && flags.yes !== true && flags.dryRun !== true;
    return isOpen && canAsk(context)
      ? pick(context, flags)
      : takeBack(context, flags, { last: last ?? 1 });
  });
}

async function actsOf(context: Context, volume: string, most: number): Promise<readonly ActRow[]> {
  const asked = context.daemon.command('acts', { volume, most });
  return (await stillAtIt(context, 'looking back at what this device did', asked)).acts;
}

async function listActs(context: Context, volume: string): Promise<ExitCode> {
  const acts = await actsOf(context, volume, context.json ? MOST_ACTS : SHOWN);
  const times = acts.map((act) => ({ ...act, when: new Date(act.when).toISOString() }));
  context.result({ acts: times }, acts.length === 0 ? [NOTHING] : linesOf(context, volume, acts));
  return EXIT.fine;
}

const DID: Record<ActRow['kind'], string> = {
  ...{ removed: 'removed', renamed: 'renamed', replaced: 'replaced', wrote: 'overwrote' },
  mode: 'changed the mode of',
};

function linesOf(context: Context, volume: string, acts: readonly ActRow[]): string[] {
  const now = Date.now();
  const shown = (path: string): string => context.shown(path, volume);
  const rows = acts.map(({ act, when, kind, path, to, things }) => [
    String(act),
    formatWhen(when, now),
    DID[kind],
    `${shown(path)}${to === null ? '' : ` to ${shown(to)}`}${things === 1 ? '' : ` (${formatCount(things, 'thing')})`}`,
  ]);
  return ['What this device did, the last first:', ...indented(formatTable(rows, [0]))];
}

/** A number stays with its act: in a list that has changed since, it is of no other one. */
function noSuchAct(act: number): GodwitError {
  return new GodwitError(
    'not-found',
    `${act}: nothing that can be taken back has that number`,
    'see `godwit undo --list`, or say --last or --since',
  );
}

async function pick(context: Context, flags: Flags): Promise<ExitCode> {
  const { volume = context.usualVolume } = flags;
  const acts = await actsOf(context, volume, SHOWN);
  if (acts.length === 0) {
    context.result({ done: [], failed: [] }, [NOTHING]);
    return EXIT.fine;
  }
  for (const line of linesOf(context, volume, acts)) context.note(line);
  const answer = await answerTo(context, 'Which one is to be taken back? [none]');
  if (answer === null || answer === '') return nothingDone(context);
  const act = acts.find((each) => String(each.act) === answer);
  if (act === undefined) throw noSuchAct(parseCount(answer));
  return takeBack(context, flags, { act: act.act });
}

function nothingDone(context: Context): ExitCode {
  context.note('nothing was taken back');
  return EXIT.failed;
}

/** What somebody asks for at a terminal is shown first. */
async function takeBack(context: Context, flags: Flags, extent: Extent): Promise<ExitCode> {
  const { volume = context.usualVolume, dryRun = false, yes = false } = flags;
  const undo = async (isDry: boolean) => {
    const report = await stillAtIt(
      context,
      isDry ? 'looking what can be taken back' : 'taking it back',
      context.daemon.command('undo', { volume, extent, dryRun: isDry }),
    );
    const isNothing = report.done.length === 0 && report.failed.length === 0;
    if (isNothing && 'act' in extent) throw noSuchAct(extent.act);
    return report;
  };
  if (!dryRun && !yes && canAsk(context)) {
    const report = await undo(true);
    for (const line of restoredLines(context, report.done, { volume, dryRun: true }))
      context.note(line);
    if (report.done.length === 0) return tellRestored(context, report, NOTHING, { volume });
    tellFailed(context, report, volume);
    if (!(await agrees(context, 'Go on?'))) return nothingDone(context);
  }
  return tellRestored(context, await undo(dryRun), NOTHING, { volume, dryRun });
}
