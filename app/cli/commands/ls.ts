import { Option, type Command } from 'commander';
import { lacksContents } from '../../../shared/model/vnode.ts';
import type { NamedAttributes } from '../../../shared/ports/file-system.ts';
import { parsePastPoint } from '../arguments.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatMode, formatMtime, formatTable, formatWhen } from '../format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { printable } from '../printable.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import { formatVolumePath } from '../volume-path.ts';
import { stillAtIt } from '../still-at-it.ts';
import { findPath, findVolume } from '../volume-tree.ts';
import { volumeFlag } from '../volume-flag.ts';

interface LsOptions {
  readonly long?: boolean;
  readonly at?: string;
  readonly volume?: string;
  readonly typed?: string;
}

/**
 * Builds `godwit ls`, which lists a directory of a volume, or the file itself if the path names
 * one.
 */
export function lsCommand(cli: Cli): Command {
  const command = cli.withData('ls', 'list a folder of a volume');
  pathArgument(command, '[path]', 'folder (default: where you are in the synced folder, or /)');
  flag(command, '-l, --long', 'modes, sizes, times and what is still to be sent');
  flag(command, '--at <time>', 'as it was then: 2h, 3d ago, a date and time, or a snapshot');
  volumeFlag(command, 'volume to look in');
  command.addOption(new Option('--typed <text>', 'paths that begin so, for a shell').hideHelp());
  return cli.does<LsOptions>(command, async (context, options, _args, [path]) => {
    if (options.typed !== undefined) return showTyped(context, options.typed);
    const names = path?.names ?? (await namesHere(context, options.volume));
    if (options.at !== undefined) return showPast(context, names, options.at, options);
    const fs = context.daemon.fileSystem;
    const volume = await findVolume(fs, options.volume ?? context.usualVolume);
    const shown = formatVolumePath(names);
    const found = await findPath(fs, volume.root, names, false);
    const entries =
      found.kind === 'directory'
        ? await fs.readdir(found.fid)
        : [{ name: names.at(-1) ?? '', attributes: found }];
    context.result(
      { volume: volume.name, path: shown, entries: entries.map(asObject) },
      options.long === true ? longLines(entries) : entries.map(shortLine),
    );
  });
}

/** The scripts of `godwit completion` ask for it. A line is a path, also for programs. */
async function showTyped(context: Context, typed: string): Promise<void> {
  const { pathsThatBegin } = await import('../paths/typed-paths.ts');
  const paths = await pathsThatBegin(context.daemon.fileSystem, typed, context.usualVolume);
  context.result({ paths }, paths);
}

/** The folder as it was: asked of the server, of which nothing is kept here. */
async function showPast(
  context: Context,
  path: readonly string[],
  at: string,
  { long = false, volume = context.usualVolume }: LsOptions,
): Promise<void> {
  const asked = { volume, path: [...path], ...parsePastPoint(at, Date.now()) };
  const command = context.daemon.command('list-past', asked);
  const { entries, path: shown } = await stillAtIt(context, 'asking the server', command);
  const now = Date.now();
  const rows = entries.map(({ name, kind, size, mode, when, kept }) => [
    formatMode(kind, mode),
    kind === 'file' ? sizeText(size) : '-',
    formatWhen(when, now),
    kept ? '' : 'not kept any more',
    printable(name),
  ]);
  const short = entries.map(
    ({ name, kind }) => printable(name) + (kind === 'directory' ? '/' : ''),
  );
  context.result({ volume, path: shown, entries }, long ? formatTable(rows, [1]) : short);
}

/** Where a person is in the synced folder, if that is in the volume that is meant; else the root. */
async function namesHere(context: Context, volume: string | undefined): Promise<string[]> {
  const { resolveHere } = await import('../paths/given-paths.ts');
  return (await resolveHere(context, volume)) ?? [];
}

function asObject({ name, attributes }: NamedAttributes): object {
  return { name, ...attributes };
}

function shortLine({ name, attributes }: NamedAttributes): string {
  return printable(name) + (attributes.kind === 'directory' ? '/' : '');
}

function placeText(attributes: NamedAttributes['attributes']): string {
  const { kind, cached, pinned } = attributes;
  const isStored = kind === 'file' && !lacksContents(attributes);
  const place = !isStored ? '-' : cached ? 'here' : 'away';
  if (pinned !== true) return place;
  return kind === 'file' ? `${place}, pinned` : 'pinned';
}

function syncText(attributes: NamedAttributes['attributes']): string {
  const { sync, behind } = attributes;
  if (sync !== 'committed') return sync;
  if (lacksContents(attributes)) return 'no contents';
  return behind === true ? 'behind' : sync;
}

function leadsTo({ target, mounted }: NamedAttributes['attributes']): string {
  if (mounted === undefined) return target === null ? '' : ` -> ${printable(target)}`;
  const { volume, why } = mounted;
  return volume === null ? ` (${why ?? 'nothing is shown'})` : ` -> volume ${printable(volume)}`;
}

function longLines(entries: readonly NamedAttributes[]): string[] {
  const rows = entries.map(({ name, attributes: a }) => [
    formatMode(a.kind, a.mode),
    String(a.links),
    a.kind === 'file' && !lacksContents(a) ? sizeText(a.size) : '-',
    formatMtime(a.mtime),
    syncText(a),
    placeText(a),
    printable(name) + leadsTo(a),
  ]);
  return formatTable(rows, [1, 2]);
}
