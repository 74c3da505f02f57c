/**
 * `godwit versions` and `restore`: older versions and removed files, and how to get them back.
 * The daemon does the work, as ordinary updates; these commands ask for it and print the result.
 */
import type { Command } from 'commander';
import type { CommandArguments } from '../../../shared/control/commands.ts';
import type {
  RemovedReport,
  RestoreReport,
  VersionRow,
  VersionsReport,
} from '../../../shared/control/history.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseCount, parsePastPoint } from '../arguments.ts';
import type { ChangedReport } from '../changed-in.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatTable, formatWhen } from '../format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { printable } from '../printable.ts';
import { stillAtIt } from '../still-at-it.ts';
import { tellRestored } from '../tell-restored.ts';
import { flagTakesPath, pathArgument } from '../paths/path-arguments.ts';
import type { GivenPath } from '../paths/resolve-path.ts';
import { volumeFlag } from '../volume-flag.ts';

interface Flags {
  readonly volume?: string;
}

/**
 * Builds `godwit versions`, which lists the versions of a file, or with `--removed` what a
 * directory lost.
 */
export function versionsCommand(cli: Cli): Command {
  const says = 'list the versions of a file, also of one that was removed';
  const command = cli.withData('versions', says);
  pathArgument(command, '<path>', 'a file, or with --removed or -r a folder', { kind: 'past' });
  flag(command, '--removed', 'list what was removed from a folder');
  flag(command, '-r, --recursive', 'list what changed in a folder and all below it');
  flag(
    command,
    '--most <number>',
    `with -r: so many lines (default: ${MOST_ROWS})`,
    undefined,
    parseCount,
  );
  flag(command, '--at <time>', 'only the version of then: 2h, 3d ago, a date, or a snapshot');
  volumeFlag(command, 'volume to look in');
  type Options = Flags & { removed?: boolean; recursive?: boolean; most?: number; at?: string };
  return cli.does<Options>(command, async (context, options, _args, [path]) => {
    const place = { volume: options.volume ?? context.usualVolume, path: path?.names ?? [] };
    const isList = options.recursive === true || options.removed === true;
    if (isList && options.at !== undefined) {
      throw new GodwitError('usage', '--at goes with one file', '`godwit ls --at` lists a folder');
    }
    if (options.recursive === true) return showChanged(context, place, options);
    if (options.most !== undefined) throw new GodwitError('usage', '--most goes with -r');
    if (options.removed === true) {
      const report = await context.daemon.command('removed', place);
      context.result(
        withTimes(report),
        linesOfRemoved(
          report,
          (each) => context.shown(each, place.volume),
          context.word(place.path, place.volume),
        ),
      );
    } else {
      const asked = context.daemon.command('versions', { ...place, ...thenOf(options.at) });
      const report = await asked.catch((error: unknown) => {
        throw ofFolder(error, context.word(place.path, place.volume));
      });
      context.result(withTimes(report), linesOfVersions(report, Date.now()));
    }
  });
}

/** What can be asked of a folder, where that was asked which only a file has. `word`: its path in a command. */
function ofFolder(error: unknown, word: string): unknown {
  if (!(error instanceof GodwitError) || error.code !== 'is-a-directory') return error;
  const remedy = `\`godwit versions -r ${word}\` lists what changed in it, and \`godwit versions --removed ${word}\` what is gone`;
  return new GodwitError(error.code, error.message, remedy);
}

/** Nothing is added where nothing is said: an older daemon knows no more. */
function thenOf(text: string | undefined): { at?: number; snapshot?: string } {
  if (text === undefined) return {};
  const { at, snapshot } = parsePastPoint(text, Date.now());
  return snapshot === undefined ? { at: at ?? 0 } : { snapshot };
}

/** Without --most. */
const MOST_ROWS = 50;

async function showChanged(
  context: Context,
  place: { readonly volume: string; readonly path: readonly string[] },
  { removed = false, most = MOST_ROWS }: { removed?: boolean; most?: number },
): Promise<void> {
  const { changedIn, MOST_FOLDERS } = await import('../changed-in.ts');
  const order = { ...place, most, removedAlone: removed };
  const report = await stillAtIt(context, 'asking the server', changedIn(context.daemon, order));
  const shown: Shown = (each) => context.shown(each, place.volume);
  context.result(withTimes(report), linesOfChanged(report, removed, shown, Date.now()));
  if (report.isCut) {
    context.note(`only the nearest ${MOST_FOLDERS} folders were looked into; name a folder below`);
  }
}

function linesOfChanged(
  { changed }: ChangedReport,
  removedAlone: boolean,
  shown: Shown,
  now: number,
): string[] {
  if (changed.length === 0) return [removedAlone ? 'nothing was removed' : 'nothing has changed'];
  const rows = changed.map(({ path, kind, size, when, by, what }) => [
    formatWhen(when, now),
    what,
    what === 'unsent' ? 'this laptop' : printable(by ?? '-'),
    kind === 'file' ? sizeText(size) : kind,
    shown(path),
  ]);
  return formatTable([['when', 'what', 'by', 'size', 'path'], ...rows], [3]);
}

/** GODWIT_VERSION would be that of the program. */
const OWN_PREFIX = 'GODWIT_RESTORE_';

/**
 * Builds `godwit restore`, which brings back an older version or something that was removed. Its
 * exit code is that of the first path that could not be restored, or 0.
 */
export function restoreCommand(cli: Cli): Command {
  const says = 'bring back an older version of a file, or what was removed';
  const command = cli.withData('restore', says);
  const what = 'what to bring back: a file, or a folder with what was in it';
  pathArgument(command, '<path>', what, { kind: 'past' });
  flag(command, '--version <number>', 'that version (godwit versions)', OWN_PREFIX, parseCount);
  flag(command, '--at <time>', 'as it was then: 30m, 2h, 3d ago, a date and time, or a snapshot');
  flag(command, '--removed-by <device>', 'what this laptop removed, as the status tells');
  flagTakesPath(flag(command, '--to <path>', 'put it there instead'), 'new');
  volumeFlag(command, 'volume to look in');
  type Options = Flags & RestoreFlags;
  return cli.does<Options>(command, async (context, options, _args, [path]) => {
    const { version = null, at, to, removedBy, volume = context.usualVolume } = options;
    if (removedBy !== undefined) {
      const orders = await removalsOf(context, options, removedBy, path?.names ?? []);
      const reports: RestoreReport[] = [];
      for (const order of orders) {
        const asked = context.daemon.command('restore', order);
        reports.push(await stillAtIt(context, 'bringing it back', asked));
      }
      const all = {
        done: reports.flatMap(({ done }) => done),
        failed: reports.flatMap(({ failed }) => failed),
      };
      return tellRestored(context, all, 'nothing was brought back', { volume });
    }
    if (version !== null && at !== undefined) {
      throw new GodwitError('usage', 'give --version or --at, not both');
    }
    const order = {
      volume,
      path: path?.names ?? [],
      version,
      ...(at === undefined ? { at: null } : parsePastPoint(at, Date.now())),
      to: to?.names ?? null,
    };
    const asked = context.daemon.command('restore', order);
    const report = await stillAtIt(context, 'bringing it back', asked);
    return tellRestored(context, report, 'nothing was brought back', { volume });
  });
}

interface RestoreFlags {
  readonly version?: number;
  readonly at?: string;
  readonly to?: GivenPath;
  readonly removedBy?: string;
}

/** What a laptop removed many files with. Rejects GodwitError `usage`, `not-found`. */
async function removalsOf(
  { daemon, usualVolume }: Context,
  { version, at, to, volume = usualVolume }: Flags & RestoreFlags,
  removedBy: string,
  path: readonly string[],
): Promise<Array<CommandArguments<'restore'>>> {
  if (version !== undefined || at !== undefined || to !== undefined) {
    throw new GodwitError('usage', 'give --removed-by alone');
  }
  const { othersRemoved = [] } = await daemon.status();
  const found = othersRemoved.filter(
    (each) =>
      each.volume === volume && (String(each.device) === removedBy || each.by === removedBy),
  );
  if (found.length === 0) {
    const what = `no laptop ${removedBy} is known to have removed many files lately`;
    throw new GodwitError('not-found', what, '`godwit versions --removed PATH` lists what is gone');
  }
  return found.map(({ device, from, to: last }) => {
    const removed = { device, from, to: last };
    return { volume, path: [...path], version: null, at: null, to: null, removed };
  });
}

function linesOfVersions({ removed, versions, isCut }: VersionsReport, now: number): string[] {
  const head = ['version', 'written', 'by', 'size', ''];
  const rows = versions.map((row) => [
    String(row.number),
    formatWhen(row.when, now),
    printable(row.by ?? '-'),
    sizeText(row.size),
    noteOf(row),
  ]);
  const gone =
    removed === null
      ? []
      : [`removed ${formatWhen(removed.when, now)} by ${printable(removed.by ?? '-')}`];
  if (rows.length === 0) return [...gone, 'no versions'];
  const more = isCut === true ? ['there are older versions, which are not listed'] : [];
  return [...gone, ...formatTable([head, ...rows], [0, 3]), ...more];
}

function noteOf({ present, kept }: VersionRow): string {
  if (present) return 'as it is now';
  return kept ? '' : 'not kept any more';
}

type Shown = (path: string) => string;

function linesOfRemoved({ removed }: RemovedReport, shown: Shown, place: string): string[] {
  if (removed.length === 0) {
    return [
      'nothing was removed from this folder itself',
      `of the folders in it: godwit versions --removed -r ${place}`,
      'what this laptop removed, wherever that was: godwit undo --list',
    ];
  }
  const now = Date.now();
  const rows = removed.map(({ path, kind, size, when, by }) => [
    formatWhen(when, now),
    printable(by ?? '-'),
    kind === 'file' ? sizeText(size) : kind,
    shown(path),
  ]);
  return formatTable([['removed', 'by', 'size', 'path'], ...rows], [2]);
}

/** For programs: times as ISO 8601, as everywhere. */
function withTimes<T>(report: T): object {
  const text = JSON.stringify(report, (key, value: unknown) =>
    key === 'when' && typeof value === 'number' ? new Date(value).toISOString() : value,
  );
  return JSON.parse(text) as object;
}
