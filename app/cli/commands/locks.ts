/** `godwit lock`, `unlock` and `locks`: who edits which file, so that two people do not do it at once. */
import type { Command } from 'commander';
import type {
  LockLoss,
  LockRow,
  LostLockRow,
  UnlockOutcome,
} from '../../../shared/control/locks.ts';
import { OF_SESSION } from '../../../shared/control/session-refusal.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatCount, formatIso, formatTable } from '../format.ts';
import { NEWER_ELSEWHERE } from '../path-state.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import { brief, printable } from '../printable.ts';
import { volumeFlag } from '../volume-flag.ts';
import { formatVolumePath } from '../volume-path.ts';

/** Builds `godwit lock`, which tells all laptops that a file is edited on this one. */
export function lockCommand(cli: Cli): Command {
  const command = cli.withData('lock', 'tell others that you edit a file, until `godwit unlock`');
  pathArgument(command, '<path>', 'a file that is on the server');
  flag(command, '--shared', 'let others lock it with --shared too, and nobody alone');
  volumeFlag(command, 'volume of the path');
  type Options = { volume?: string; shared?: boolean };
  return cli.does<Options>(command, async (context, options, _args, [path]) => {
    const { volume = context.usualVolume, shared = false } = options;
    const names = path?.names ?? [];
    const mode = shared ? 'shared' : 'exclusive';
    const shown = context.shown(names, volume);
    const asked = context.daemon.command('lock', { volume, path: names, mode });
    const outcome = await named(shown, asked);
    context.result({ volume, path: formatVolumePath(names), ...outcome }, [
      `${shown}: locked${shared ? ', shared' : ''}`,
      ...(outcome.isCurrent ? [] : ['a newer version is on its way here: wait with your changes']),
      ...(outcome.behind ? [NEWER_ELSEWHERE] : []),
    ]);
  });
}

/** Builds `godwit unlock`, which ends a lock of this laptop, or breaks those of others. */
export function unlockCommand(cli: Cli): Command {
  const command = cli.withData('unlock', 'end a lock of this laptop, or break one of another');
  pathArgument(command, '<path>', 'a file that is locked');
  flag(command, '--break', 'end the locks of other laptops; they are told');
  volumeFlag(command, 'volume of the path');
  type Options = { volume?: string; break?: boolean };
  return cli.does<Options>(command, async (context, options, _args, [path]) => {
    const { volume = context.usualVolume, break: breaks = false } = options;
    const names = path?.names ?? [];
    const shown = context.shown(names, volume);
    const asked = context.daemon.command('unlock', { volume, path: names, breaks });
    const outcome = await named(shown, asked);
    context.result({ volume, path: formatVolumePath(names), ...outcome }, [
      `${shown}: ${endText(outcome, breaks)}`,
    ]);
  });
}

function endText({ waits, others }: UnlockOutcome, breaks: boolean): string {
  if (others > 0) {
    const have = others === 1 ? 'has' : 'have';
    return `ends as soon as ${formatCount(others, 'laptop')} ${have} heard of it, or ${have} been away for a while`;
  }
  if (waits) return 'the lock ends when your last save is on the server';
  return breaks ? 'no laptop has it locked' : 'unlocked';
}

/** Builds `godwit locks`, which lists locked files, and locks that this laptop has lost. */
export function locksCommand(cli: Cli): Command {
  const command = cli.withData('locks', 'list locked files: who edits what, and since when');
  return cli.does(command, async (context) => {
    const report = await context.daemon.command('locks', {});
    const { locks, lost, isCurrent } = report;
    const rows = locks.map((row) => [placeOf(context, row), ...holderOf(row)]);
    const table = rows.length === 0 ? [] : formatTable([['file', 'locked by', 'since'], ...rows]);
    context.result(report, [
      ...(rows.length === 0 && lost.length === 0 ? ['nothing is locked'] : table),
      ...lost.map((row) => lostText(row, placeOf(context, row))),
    ]);
    if (!isCurrent) context.note(`${await whyOld(context)}: this may be out of date`);
  });
}

/** Why the server does not say what is locked. */
async function whyOld({ daemon }: Context): Promise<string> {
  const { connected, errors } = await daemon.status();
  if (connected) return 'the server knows no locks';
  const refusal = errors.find(({ code }) => OF_SESSION.has(code));
  if (refusal === undefined) return 'the server is away';
  return `${brief(refusal.message)} (${printable(refusal.remedy)})`;
}

/** What is wrong with one file is said with its path. */
async function named<T>(shown: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof GodwitError) || !OF_FILE.has(error.code)) throw error;
    const { code, message, remedy } = error;
    throw new GodwitError(code, `${shown}: ${message}`, remedy.replace('PATH', shown));
  }
}

const OF_FILE: ReadonlySet<string> = new Set([
  ...['locked', 'not-locked', 'is-a-directory', 'not-committed', 'no-right'],
]);

function placeOf(
  context: Context,
  { volume, path, fid }: Pick<LockRow, 'volume' | 'path' | 'fid'>,
): string {
  return path === null ? `(not looked at here: ${fid})` : context.shown(path, volume);
}

type Holder = Omit<LockRow, 'volume' | 'path' | 'fid'>;

/** Who, in what state, and since when. */
function holderOf(row: Holder): [string, string] {
  return [[whoOf(row), ...aboutOf(row)].join(', '), sinceOf(row)];
}

/** The same as a line about one file. */
export function lockedText(row: Holder): string {
  const since = sinceOf(row);
  const who = since === '' ? whoOf(row) : `${whoOf(row)} since ${since}`;
  return `locked by ${[who, ...aboutOf(row)].join(', ')}`;
}

const whoOf = ({ isOwn, device, user }: Holder): string =>
  isOwn ? 'this laptop' : `${printable(device)} (${printable(user)})`;

const aboutOf = ({ mode, state }: Holder): string[] => [
  ...(mode === 'shared' ? ['shared'] : []),
  ...STATE[state],
];

const sinceOf = ({ since }: Holder): string => (since === null ? '' : formatIso(since));

const STATE: Readonly<Record<LockRow['state'], readonly string[]>> = {
  held: [],
  asked: ['asked for again'],
  leaving: ['ends when all is sent'],
  broken: ['broken'],
};

const WHY: Readonly<Record<LockLoss, string>> = {
  taken: 'this laptop was away, and another has locked it',
  broken: 'another laptop broke it',
  away: 'this laptop was away for too long',
  'file-gone': 'the file is gone',
  refused: 'the server does not grant it any more',
};

function lostText({ why, by, when }: LostLockRow, place: string): string {
  const who = by === null ? '' : ` (${printable(by)})`;
  return `lost ${place}: ${WHY[why]}${who}, ${formatIso(when)}`;
}
