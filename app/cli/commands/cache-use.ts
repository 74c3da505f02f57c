/** `godwit cache`: which contents are cached and why, the limit of the cache, and the pins. */
import type { Command } from 'commander';
import { KEPT_BY, type CacheUse, type KeptBy } from '../../../shared/control/cache.ts';
import type { Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatCount, formatNumber, formatTable } from '../format.ts';
import { awayText, useText } from '../here-text.ts';
import { indented, signed } from '../style.ts';
import { printable } from '../printable.ts';
import { sizeText } from '../../../shared/util/amounts.ts';

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
    context.result({ ...use }, linesOf(use, context));
  });
}

function linesOf(use: CacheUse, context: Context): string[] {
  const { kept, folder, pins } = use;
  const beside = KEPT_BY.filter((by) => kept[by].files > 0).map((by) => [
    KEEPS[by],
    sizeText(kept[by].bytes),
    formatCount(kept[by].files, 'file'),
  ]);
  const inFolder =
    folder === undefined
      ? []
      : [['in the folder', sizeText(folder.here.bytes), formatCount(folder.here.files, 'file')]];
  const away = folder === undefined ? '' : awayText(folder);
  const lines = [
    signed('well', headOf(use), context.colours),
    ...indented(formatTable([...inFolder, ...beside], [1])),
    ...(away === '' ? [] : [`  ${away}: \`godwit prefetch PATH\` fetches one`]),
    `  ${boundText(use)}`,
  ];
  for (const { volume, path, isFolder } of pins.first) {
    const end = isFolder && path !== '' ? '/' : '';
    const nameless = `${printable(volume)}: (no name of it is known here)`;
    lines.push(`  pinned  ${path === null ? nameless : context.shown(`${path}${end}`, volume)}`);
  }
  const more = pins.total - pins.first.length;
  if (more > 0) lines.push(`  ... and ${formatNumber(more)} more pinned`);
  return lines;
}

/** What the bound counts: files of the folder in full, and what is beside it. */
function headOf({ files, bytes, folder, settings, limit }: CacheUse): string {
  const here = {
    files: files + (folder?.here.files ?? 0),
    bytes: bytes + (folder?.here.bytes ?? 0),
  };
  const isBounded = settings.isBounded || folder === undefined;
  return `${useText(here)} here, ${isBounded ? `${sizeText(limit)} at most` : 'without a bound'}`;
}

function boundText({ settings, reserve, disk, folder }: CacheUse): string {
  const { minimum, maximum, isBounded } = settings;
  const left = reserve === null ? 'a reserve by the size of the disk' : sizeText(reserve);
  const free = disk === null ? '' : `, ${sizeText(disk.free)} of it free`;
  const of = isBounded || folder === undefined ? 'bound' : 'bound beside the folder';
  return `${of}  ${sizeText(minimum)} to ${sizeText(maximum)}; leaves ${left} of the disk${free}`;
}
