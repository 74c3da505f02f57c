/** `godwit exclude`, `include` and `excluded`: folders that this laptop does not keep on its disk, while all others have them. */
import type { Command } from 'commander';
import type { ExcludedHere } from '../../../shared/control/exclusions.ts';
import { flag, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatCount } from '../format.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import type { GivenPath } from '../paths/resolve-path.ts';
import { printable } from '../printable.ts';
import { USUAL_VOLUME } from '../volume-flag.ts';
import { formatVolumePath } from '../volume-path.ts';

/** Of one folder; the command for all of them says the rest. */
const MOST_SHOWN = 10;
const LATER = 'what stays goes by itself when that is over (`godwit excluded`)';

/** Builds `godwit exclude`, which takes folders from this disk and leaves them to all others. */
export function excludeCommand(cli: Cli): Command {
  const command = cli.withData('exclude', 'keep folders off this disk, while others have them');
  pathArgument(command, '<paths...>', 'folders');
  flag(command, '--volume <name>', `volume they are in (default: ${USUAL_VOLUME})`);
  return cli.does<{ volume?: string }>(command, async (context, options, _args, paths) => {
    const { volume = context.usualVolume } = options;
    const folders = await orderEach(context, 'exclude', volume, paths);
    const lines = folders.flatMap((each) => linesOf(context, volume, each));
    const isLater = folders.some(({ left }) => left > 0);
    context.result({ volume, folders: folders.map(shownFolder) }, [
      ...lines,
      ...(isLater ? [LATER] : []),
    ]);
  });
}

/** Builds `godwit include`, which brings excluded folders back to this disk. */
export function includeCommand(cli: Cli): Command {
  const command = cli.withData('include', 'have excluded folders on this disk again');
  pathArgument(command, '<paths...>', 'folders that were excluded');
  flag(command, '--volume <name>', `volume they are in (default: ${USUAL_VOLUME})`);
  return cli.does<{ volume?: string }>(command, async (context, options, _args, paths) => {
    const { volume = context.usualVolume } = options;
    const folders = await orderEach(context, 'include', volume, paths);
    context.result({ volume, folders: folders.map(shownFolder) }, [
      ...folders.map(({ path }) => `${context.shown(path ?? [], volume)}: comes back`),
      'what is in it is fetched by and by: `godwit flush --wait` waits for it',
    ]);
  });
}

/** Builds `godwit excluded`, which lists the folders that this laptop does not keep. */
export function excludedCommand(cli: Cli): Command {
  const command = cli.withData('excluded', 'list the folders that this laptop does not keep');
  return cli.does(command, async (context) => {
    const { folders } = await context.daemon.command('excluded', {});
    const lines = folders.flatMap((each) => linesOf(context, context.usualVolume, each));
    context.result(
      { folders: folders.map(shownFolder) },
      lines.length === 0 ? ['all folders are kept here'] : lines,
    );
  });
}

/** Gives each folder by the path that a person has named. */
async function orderEach(
  context: Context,
  order: 'exclude' | 'include',
  volume: string,
  paths: readonly GivenPath[],
): Promise<ExcludedHere[]> {
  const folders: ExcludedHere[] = [];
  for (const { names: folder } of paths) {
    const here = await context.daemon.command(order, { volume, folder });
    folders.push({ ...here, path: folder });
  }
  return folders;
}

function shownFolder({ path, left, staying }: ExcludedHere): object {
  return { path: path === null ? null : formatVolumePath(path), left, staying };
}

function linesOf(context: Context, volume: string, folder: ExcludedHere): string[] {
  const { path, left, staying, fid } = folder;
  if (path === null) return [`(not known here: ${fid})`];
  const shown = context.shown(path, volume);
  if (left === 0) return [`${shown}: not kept on this laptop`];
  const lines = staying.slice(0, MOST_SHOWN).map(({ path: at, reason }) => {
    return `  ${context.shown(at.split('/'), volume)} stays: ${printable(reason)}`;
  });
  const more = staying.length > MOST_SHOWN ? ['  ... and more'] : [];
  const files = formatCount(left, 'file or folder', 'files and folders');
  return [`${shown}: not kept on this laptop; ${files} of it still here`, ...lines, ...more];
}
