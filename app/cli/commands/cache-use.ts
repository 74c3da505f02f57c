/** `godwit cache`: which contents are cached and why, the limit of the cache, and the pins. */
import type { Command } from 'commander';
import { KEPT_BY, type CacheUse, type KeptBy } from '../../../shared/control/cache.ts';
import type { Cli } from '../cli.ts';
import { formatCount, formatTable } from '../format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { printable } from '../printable.ts';
import { DEFAULT_VOLUME } from '../volume-tree.ts';

const KEEPS: Record<KeptBy, string> = {
  toSend: 'still to be sent',
  open: 'in use',
  pinned: 'pinned',
  ahead: 'fetched ahead',
  rest: 'goes when there is no room',
};

/** Builds `godwit cache`, which prints what the daemon caches and why, its limit, and the pins. */
export function cacheUseCommand(cli: Cli): Command {
  const command = cli.withData(
    'cache',
    'say what is here of the volumes, what keeps it, and how large it may be',
  );
  return cli.does(command, async (context) => {
    const use = await context.daemon.command('cache-use', {});
    context.result({ ...use }, linesOf(use));
  });
}

function linesOf({ files, bytes, kept, settings, limit, reserve, disk, pins }: CacheUse): string[] {
  const { minimum, maximum } = settings;
  const between = `between ${sizeText(minimum)} and ${sizeText(maximum)}`;
  const left = reserve === null ? 'a reserve by the size of the disk' : sizeText(reserve);
  const free = disk === null ? '' : `, ${sizeText(disk.free)} of it free`;
  const lines = formatTable(
    [
      ...KEPT_BY.map((by) => [
        KEEPS[by],
        sizeText(kept[by].bytes),
        formatCount(kept[by].files, 'file'),
      ]),
      ['in all', sizeText(bytes), formatCount(files, 'file')],
      ['may be', sizeText(limit), `${between}; leaves ${left} of the disk${free}`],
    ],
    [1],
  );
  for (const { volume, path, isFolder } of pins.first) {
    const shown =
      path === null
        ? '(no name of it is known here)'
        : `/${path}${isFolder && path !== '' ? '/' : ''}`;
    lines.push(
      `pinned  ${volume === DEFAULT_VOLUME ? '' : `${printable(volume)}: `}${printable(shown)}`,
    );
  }
  const more = pins.total - pins.first.length;
  if (more > 0) lines.push(`... and ${more} more pinned`);
  return lines;
}
