/** `godwit conflicts`: the open conflicts, and the commands that end them. */
import type { Command } from 'commander';
import {
  SIDES_TO_KEEP,
  type ResolutionReport,
  type SideToKeep,
} from '../../../shared/control/resolution.ts';
import type { ConflictStatus, StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { GodwitError, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import { parseCount, parseVolumeName } from '../arguments.ts';
import { oneOf } from '../fixed-values.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatIso } from '../format.ts';
import { printable } from '../printable.ts';
import { differenceLines, linesOfSides, sideOf } from '../conflict-sides.ts';
import { otherLaptop } from '../other-side.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import type { GivenPath } from '../paths/resolve-path.ts';

/** Conflicts of which the list names the other laptop: each is a question to the server. */
const MOST_ASKED = 20;

/**
 * Builds `godwit conflicts`, which lists the open conflicts, with its subcommands `show`, `resolve`
 * and `dismiss`.
 */
export function conflictsCommand(cli: Cli): Command {
  const command = cli.withData(
    'conflicts',
    'list files of which both sides were kept, and names that another laptop took first',
  );
  command.enablePositionalOptions();
  cli.does(command, async (context) => {
    const status = await context.daemon.status();
    const { conflicts } = status;
    if (context.json) return context.result({ conflicts });
    const others = await Promise.all(
      conflicts.slice(0, MOST_ASKED).map((each) => otherLaptop(context, each, status)),
    );
    const lines = conflicts.flatMap((each, index) => linesOf(each, others[index] ?? null, context));
    context.result(
      { conflicts },
      lines.length === 0 ? ['no conflicts'] : [...lines, ...actsLine(conflicts)],
    );
  });
  return command
    .addCommand(showCommand(cli))
    .addCommand(resolveCommand(cli))
    .addCommand(dismissCommand(cli));
}

/** What a person does next; nothing where no conflict has both of its sides. */
function actsLine(conflicts: readonly ConflictStatus[]): string[] {
  const whole = conflicts.find(({ gone = [] }) => gone.length === 0);
  if (whole === undefined) return [];
  const { id } = whole;
  const [first, ...others] = SIDES_TO_KEEP;
  return [
    `what differs: godwit conflicts show ${id}`,
    `keep one: godwit conflicts resolve ${id} --keep ${first} (or ${others.join(', ')})`,
  ];
}

const NUMBER = /^\d+$/;

/** Adds the argument that says which conflict is meant: its number in the list, or the path of one of its sides. */
function conflictArgument(command: Command): Command {
  const says = 'its number, or the path of one side';
  return pathArgument(command, '<conflict>', says, { except: NUMBER });
}

/** Both sides, as far as there is something to see of them. */
function showCommand(cli: Cli): Command {
  const command = conflictArgument(
    cli.withData('show', 'show what differs between the two sides of a conflict'),
  );
  flag(command, '--whole', 'print the beginning of both texts in place of what differs');
  flag(
    command,
    '--volume <name>',
    'volume of the conflict, where that is not known',
    undefined,
    parseVolumeName,
  );
  type Options = { volume?: string; whole?: boolean };
  return cli.does<Options>(command, async (context, options, [text = ''], [path]) => {
    const { conflict, status } = await findConflict(context, text, path);
    const volume = options.volume ?? conflict.volume ?? context.usualVolume;
    const paths = [...new Set([conflict.path, conflict.copy])];
    const compares = options.whole !== true && !context.json;
    const [by, ...sides] = await Promise.all([
      otherLaptop(context, conflict, status),
      ...paths.map((path) => sideOf(context, volume, path, compares)),
    ]);
    const labels = new Map(sidesOf(conflict, by).map(([label, path]) => [path, label]));
    const headOf = (path: string): string =>
      `${labels.get(path) ?? 'there'}: ${context.shown(path, volume)}`;
    const lines =
      (compares ? differenceLines(sides, headOf, context.colours) : null) ??
      (context.json ? [] : await linesOfSides(context, volume, sides, headOf));
    context.result({ conflict, by, sides }, lines);
  });
}

const SEE = 'see `godwit conflicts`';

interface Found {
  readonly conflict: ConflictStatus;
  readonly status: StatusSnapshot;
}

/** `path`: what was given in place of a number. Rejects GodwitError `not-found`, and `usage` where several conflicts are of that path. */
async function findConflict(
  context: Context,
  text: string,
  path: GivenPath | undefined,
): Promise<Found> {
  const id = path === undefined ? parseCount(text) : null;
  const status = await context.daemon.status();
  const found = status.conflicts.filter((each) =>
    path === undefined ? each.id === id : isAbout(each, path, context.usualVolume),
  );
  const [conflict, ...others] = found;
  if (conflict === undefined) {
    const why = path === undefined ? 'there is no such conflict' : 'no conflict is about it';
    throw new GodwitError('not-found', `${text}: ${why}`, SEE);
  }
  if (others.length > 0) {
    const ids = found.map((each) => each.id).join(', ');
    const remedy = 'give one of the numbers; see `godwit conflicts`';
    throw new GodwitError('usage', `${text}: the conflicts ${ids} are about it`, remedy);
  }
  return { conflict, status };
}

function isAbout(conflict: ConflictStatus, { volume, names }: GivenPath, usual: string): boolean {
  const { path, copy, volume: of = usual } = conflict;
  return of === volume && [path, copy].includes(names.join('/'));
}

function resolveCommand(cli: Cli): Command {
  const command = conflictArgument(
    cli.withData(
      'resolve',
      'keep one side of a conflict under the original name, or both as they are',
    ),
  );
  const sides = SIDES_TO_KEEP.join(', ');
  flag(command, '--keep <side>', `which side: ${sides}`, undefined, oneOf(...SIDES_TO_KEEP));
  type Options = { keep?: SideToKeep };
  return cli.does<Options>(command, async (context, { keep }, [text = ''], [path]) => {
    const given = path === undefined ? parseCount(text) : null;
    if (keep === undefined) throw new GodwitError('usage', `say what is to stay: --keep ${sides}`);
    const id = given ?? (await findConflict(context, text, path)).conflict.id;
    try {
      const report = await context.daemon.command('resolve', { id, keep });
      const restore = restoreOf(report, context);
      context.result({ ...report, restore }, linesOfReport(report, restore, context));
    } catch (error) {
      throw remedied(id, error);
    }
  });
}

function dismissCommand(cli: Cli): Command {
  const command = conflictArgument(
    cli.withData('dismiss', 'forget a conflict that you have dealt with; both files stay'),
  );
  return cli.does(command, async (context, _options, [text = ''], [path]) => {
    const { id } = (await findConflict(context, text, path)).conflict;
    await context.daemon.command('dismiss', { id });
    context.result({ dismissed: id }, [`conflict ${id} is forgotten`]);
  });
}

function linesOf(conflict: ConflictStatus, by: string | null, context: Context): string[] {
  const { id, when, kind, volume = context.usualVolume } = conflict;
  const gone = (conflict.gone ?? []).map((place) => conflict[place]);
  const sides = sidesOf(conflict, by);
  const width = Math.max(...sides.map(([label]) => label.length));
  const rows = sides.map(([label, path]) => {
    const isGone = gone.includes(path) ? ' (is no longer there)' : '';
    return `   ${label.padEnd(width)}  ${context.shown(path, volume)}${isGone}`;
  });
  const remedy = `   once you have what you want: godwit conflicts dismiss ${id}`;
  return [`${id}  ${formatIso(when)}  ${kind}`, ...rows, ...(gone.length === 0 ? [] : [remedy])];
}

/** What is where, in words. `by`: what the other laptop is called. */
function sidesOf(
  { path, copy, kind }: ConflictStatus,
  by: string | null,
): ReadonlyArray<[string, string]> {
  const theirs = by === null ? 'theirs' : `theirs (${printable(by)})`;
  switch (kind) {
    case 'elsewhere':
      return [
        ['mine, at its place', path],
        [`${theirs}, kept beside`, copy],
      ];
    case 'rename-undone':
      return [
        ['the name it has', copy],
        ['the name I gave it', path],
      ];
    case 'removal-undone':
      return [
        ['what I removed', path],
        ['they changed or moved it: it is at', copy],
      ];
    case 'too-deep':
      return [
        ['where it is', copy],
        ['where it lay in too many folders', path],
      ];
    case 'renamed-removed':
      return [
        ['what they removed', copy],
        ['the name I gave it', path],
      ];
  }
  if (path === copy) {
    return [[kind === 'removed' ? 'mine, which they removed' : 'at its place', path]];
  }
  return [
    [`${theirs}, at its place`, path],
    ['mine, kept beside', copy],
  ];
}

/** The command that brings the other one back; null: nothing was removed. */
function restoreOf({ volume, removed }: ResolutionReport, context: Context): string | null {
  if (removed === null) return null;
  return `godwit restore ${context.word(removed, volume ?? context.usualVolume)}`;
}

function linesOfReport(
  { id, keep, path, note, volume }: ResolutionReport,
  restore: string | null,
  context: Context,
): string[] {
  if (keep === 'both') return [`conflict ${id} is forgotten: both stay where they are`];
  const at = path === null ? null : context.shown(path, volume ?? context.usualVolume);
  const kept = at === null ? 'it is removed' : `${keep} is at ${at}`;
  const lines = [`conflict ${id} is resolved: ${kept}${note === null ? '' : ` (${note})`}`];
  if (restore !== null) lines.push(`to have the other one back: ${printable(restore)}`);
  return lines;
}

/** What a person can do about a refusal is another thing here than elsewhere. */
function remedied(id: number, error: unknown): unknown {
  if (!(error instanceof GodwitError)) return error;
  const byHand = `rename or remove what you do not want yourself, then \`godwit conflicts dismiss ${id}\``;
  const remedies: Partial<Record<ErrorCode, string>> = {
    'changed-since': byHand,
    'is-a-directory': byHand,
    'no-contents': `wait for the device that has it, or \`godwit conflicts dismiss ${id}\``,
    'not-found': 'see `godwit conflicts`; `godwit versions PATH` tells of what is gone',
    'sync-blocked':
      'say it again when `godwit flush --wait` has ended (`godwit resume` first where it is paused)',
  };
  const remedy = remedies[error.code];
  return remedy === undefined ? error : new GodwitError(error.code, error.message, remedy);
}
