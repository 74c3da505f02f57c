/** `godwit sharing`: overrides what the server has observed of who uses a file or folder. */
import type { Command } from 'commander';
import {
  SHARING_WORDS,
  type SharingOf,
  type SharingReport,
} from '../../../shared/control/sharing.ts';
import { oneOf, wordArgument } from '../fixed-values.ts';
import type { Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatTable } from '../format.ts';
import { printable } from '../printable.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import { formatVolumePath } from '../volume-path.ts';
import { findPath, findVolume } from '../volume-tree.ts';
import { volumeFlag } from '../volume-flag.ts';

/**
 * Builds `godwit sharing`, which lists, shows or sets whether a file or directory counts as shared.
 */
export function sharingCommand(cli: Cli): Command {
  const says = 'say which files several laptops use; without arguments what was said';
  const command = cli.withData('sharing', says);
  const about = 'a file or folder; what is said of a folder holds for what is in it';
  pathArgument(command, '[path]', about);
  const words =
    'shared (its saves go first), unshared, or auto (the server decides by who uses it)';
  wordArgument(command, '[word]', words, { words: SHARING_WORDS });
  volumeFlag(command, 'volume of the path');
  return cli.does<{ volume?: string }>(command, async (context, options, [, word], [path]) => {
    if (path === undefined) return list(context);
    const order = word === undefined ? null : oneOf(...SHARING_WORDS)(word);
    const { names } = path;
    const { volume = context.usualVolume } = options;
    const { fileSystem } = context.daemon;
    const { root } = await findVolume(fileSystem, volume);
    const { fid } = await findPath(fileSystem, root, names, false);
    const shown = formatVolumePath(names);
    const of =
      order === null
        ? await sharingOf(context, fid)
        : await context.daemon.command('sharing-order', { fid, order });
    if (of === null) return;
    context.result({ volume, path: shown, ...of }, [
      `${context.shown(names, volume)}: ${sharingText(of, shown)}`,
    ]);
  });
}

/** Asks the daemon how it treats one vnode. Null: an answer without anything about it. */
export async function sharingOf(
  { daemon }: Context,
  fid: SharingReport['orders'][number]['fid'],
): Promise<SharingOf | null> {
  return (await daemon.command('sharing', { fid })).of;
}

async function list(context: Context): Promise<void> {
  const { orders } = await context.daemon.command('sharing', {});
  const rows = orders.map(({ volume, path, fid, order }) => {
    return { volume, path: path === null ? null : `/${path}`, fid, order };
  });
  const lines = rows.map(({ volume, path, fid, order }) => [
    order,
    volume,
    path === null ? `(not looked at here: ${fid})` : context.shown(path, volume),
  ]);
  context.result(
    { orders: rows },
    lines.length === 0
      ? ['nothing was said: the server decides by who uses a file']
      : formatTable(lines),
  );
}

/** Who decided, and what it comes to. */
export function sharingText({ order, from, counts }: SharingOf, path: string): string {
  if (order === 'auto') return `${counts} (auto: by who uses it)`;
  return from === null || `/${from}` === path
    ? `${order}, as was said`
    : `${order}, as was said of ${printable(`/${from}`)}`;
}
