/**
 * `godwit versions`, `restore` and `undo`: older versions and removed files, and how to get them back.
 * The daemon does the work, as ordinary updates; these commands ask for it and print the result.
 */
import type { Command } from 'commander';
import type {
  DoneRow,
  RemovedReport,
  RestoreReport,
  TakenBackAs,
  VersionRow,
  VersionsReport,
} from '../../../shared/control/history.ts';
import { GodwitError, isErrorCode } from '../../../shared/wire/error-codes.ts';
import { parseCount, parsePastTime } from '../arguments.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { EXIT, exitCodeOf, type ExitCode } from '../exit-codes.ts';
import { formatTable } from '../format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { printable } from '../printable.ts';
import { parseVolumePath } from '../volume-path.ts';
import { DEFAULT_VOLUME } from '../volume-tree.ts';
import { volumeFlag } from '../volume-flag.ts';

interface Flags {
  readonly volume?: string;
}

/**
 * Builds `godwit versions`, which lists the versions of a file, or with `--removed` what a
 * directory lost.
 */
export function versionsCommand(cli: Cli): Command {
  const command = cli
    .withData('versions', 'list the versions of a file, also of one that was removed')
    .argument('<path>', 'a file, or with --removed a folder');
  flag(command, '--removed', 'list what was removed from a folder');
  volumeFlag(command, 'volume to look in');
  return cli.does<Flags & { removed?: boolean }>(command, async (context, options, args) => {
    const place = {
      volume: options.volume ?? DEFAULT_VOLUME,
      path: parseVolumePath(args[0] ?? ''),
    };
    if (options.removed === true) {
      const report = await context.daemon.command('removed', place);
      context.result(withTimes(report), linesOfRemoved(report));
    } else {
      const report = await context.daemon.command('versions', place);
      context.result(withTimes(report), linesOfVersions(report));
    }
  });
}

/**
 * Builds `godwit restore`, which brings back an older version or something that was removed. Its
 * exit code is that of the first path that could not be restored, or 0.
 */
export function restoreCommand(cli: Cli): Command {
  const command = cli
    .withData('restore', 'bring back an older version of a file, or what was removed')
    .argument('<path>', 'what to bring back: a file, or a folder with what was in it');
  flag(command, '--version <number>', 'that version (godwit versions)', undefined, parseCount);
  flag(command, '--at <time>', 'as it was then: 30m, 2h, 3d ago, or a date and time');
  flag(command, '--to <path>', 'put it there instead');
  volumeFlag(command, 'volume to look in');
  type Options = Flags & { version?: number; at?: string; to?: string };
  return cli.does<Options>(command, async (context, options, args) => {
    const { version = null, at, to, volume = DEFAULT_VOLUME } = options;
    if (version !== null && at !== undefined) {
      throw new GodwitError('usage', 'give --version or --at, not both');
    }
    const order = {
      volume,
      path: parseVolumePath(args[0] ?? ''),
      version,
      at: at === undefined ? null : parsePastTime(at, Date.now()),
      to: to === undefined ? null : parseVolumePath(to),
    };
    const report = await context.daemon.command('restore', order);
    return tell(context, report, 'nothing was brought back', {});
  });
}

/**
 * Builds `godwit undo`, which takes back the last changes of this device, or all since a time. Its
 * exit code is that of the first path that could not be taken back, or 0.
 */
export function undoCommand(cli: Cli): Command {
  const command = cli.withData(
    'undo',
    'take back what this device removed, overwrote, renamed or gave another mode',
  );
  flag(command, '--last <count>', 'so many things (default: 1)', undefined, parseCount);
  flag(command, '--since <time>', 'all since then: 30m, 2h, 3d ago, or a date and time');
  flag(command, '--dry-run', 'say what would be done, and do nothing');
  volumeFlag(command, 'volume to look in');
  type Options = Flags & { last?: number; since?: string; dryRun?: boolean };
  return cli.does<Options>(command, async (context, options) => {
    const { last, since, dryRun = false, volume = DEFAULT_VOLUME } = options;
    if (last !== undefined && since !== undefined) {
      throw new GodwitError('usage', 'give --last or --since, not both');
    }
    const extent =
      since === undefined ? { last: last ?? 1 } : { since: parsePastTime(since, Date.now()) };
    const order = { volume, extent, dryRun };
    const report = await context.daemon.command('undo', order);
    return tell(context, report, 'there is nothing to take back', { dryRun });
  });
}

/** One line for each thing; what failed goes to stderr, and the exit code is that of the first failure. */
function tell(
  context: Context,
  report: RestoreReport,
  nothing: string,
  { dryRun = false }: { dryRun?: boolean },
): ExitCode {
  const { done, failed } = report;
  const isNothing = done.length === 0 && failed.length === 0;
  const lines = done.map((row) => `${dryRun ? 'would: ' : ''}${lineOf(row)}`);
  context.result({ ...report, dryRun }, isNothing ? [nothing] : lines);
  if (!context.json) {
    for (const { path, message } of failed) {
      context.io.stderr.write(
        `godwit: ${printable(path)} is left as it is: ${printable(message)}\n`,
      );
    }
  }
  const [first] = failed;
  if (first === undefined) return EXIT.fine;
  return isErrorCode(first.code) ? exitCodeOf(first.code) : EXIT.failed;
}

const DID: Record<TakenBackAs, string> = {
  made: 'is there again',
  contents: 'has its older contents again',
  moved: 'has its old name again',
  linked: 'has that name again',
  mode: 'has its old mode again',
};

function lineOf({ path, as, to }: DoneRow): string {
  const beside = to === path ? '' : `, as ${printable(to)}`;
  return `${printable(path)} ${DID[as]}${beside}`;
}

function linesOfVersions({ removed, versions }: VersionsReport): string[] {
  const head = ['version', 'written', 'by', 'size', ''];
  const rows = versions.map((row) => [
    String(row.number),
    shownTime(row.when),
    printable(row.by ?? '-'),
    sizeText(row.size),
    noteOf(row),
  ]);
  const gone =
    removed === null
      ? []
      : [`removed ${shownTime(removed.when)} by ${printable(removed.by ?? '-')}`];
  if (rows.length === 0) return [...gone, 'no versions'];
  return [...gone, ...formatTable([head, ...rows], [0, 3])];
}

function noteOf({ present, kept }: VersionRow): string {
  if (present) return 'as it is now';
  return kept ? '' : 'not kept any more';
}

function linesOfRemoved({ removed }: RemovedReport): string[] {
  if (removed.length === 0) return ['nothing was removed from it'];
  const rows = removed.map(({ path, kind, size, when, by }) => [
    shownTime(when),
    printable(by ?? '-'),
    kind === 'file' ? sizeText(size) : kind,
    printable(path),
  ]);
  return formatTable([['removed', 'by', 'size', 'path'], ...rows], [2]);
}

/** In the zone of this machine, so that it can be given back to `--at`. */
function shownTime(when: number): string {
  const date = new Date(when);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** For programs: times as ISO 8601, as everywhere. */
function withTimes<T>(report: T): object {
  const text = JSON.stringify(report, (key, value: unknown) =>
    key === 'when' && typeof value === 'number' ? new Date(value).toISOString() : value,
  );
  return JSON.parse(text) as object;
}
