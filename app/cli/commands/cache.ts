/** `godwit pin`, `unpin`, `evict` and `prefetch`: which files the cache is to hold. */
import type { Command } from 'commander';
import type { CacheReport } from '../../../shared/control/cache.ts';
import type { CacheAct } from '../../../shared/model/cache.ts';
import { USUAL_VOLUME } from '../volume-flag.ts';
import { flag, type Cli } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import { formatCount } from '../format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { printable } from '../printable.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import { formatVolumePath } from '../volume-path.ts';

const SAYS: Record<CacheAct, string> = {
  pin: 'have these files here always, and what is in these folders',
  unpin: 'end that; they stay as long as there is room',
  evict: 'free what their contents take here; they can be fetched again',
  prefetch: 'have their contents here before somebody asks for them',
};

/**
 * Builds one of `pin`, `unpin`, `evict` and `prefetch`, which orders an act for each path in turn.
 * Exit code 1: the act failed for some files. A path that is not valid is refused before anything
 * is done.
 */
export function cacheCommand(cli: Cli, act: CacheAct): Command {
  const command = cli.withData(act, SAYS[act]);
  pathArgument(command, '<paths...>', 'files or folders');
  flag(command, '--volume <name>', `volume they are in (default: ${USUAL_VOLUME})`);
  return cli.does<{ volume?: string }>(command, async (context, options, _args, paths) => {
    const { volume = context.usualVolume } = options;
    const reports: Array<CacheReport & { path: string }> = [];
    for (const { names: path } of paths) {
      const report = await context.daemon.command('cache', { act, volume, path });
      reports.push({ path: formatVolumePath(path), ...report });
    }
    context.result(
      { act, volume, paths: reports },
      reports.flatMap((report) => linesOf(act, report, (path) => context.shown(path, volume))),
    );
    return reports.some(({ failed }) => failed > 0) ? EXIT.failed : EXIT.fine;
  });
}

const DONE: Record<CacheAct, string> = {
  pin: 'pinned',
  unpin: 'not pinned any more',
  evict: 'evicted',
  prefetch: 'fetched',
};

function linesOf(
  act: CacheAct,
  report: CacheReport & { path: string },
  shown: (path: string) => string,
): string[] {
  const { path, files, bytes, unchanged, failed, exceptions } = report;
  const parts: string[] = [];
  const size = act === 'unpin' ? '' : ` (${sizeText(bytes)})`;
  if (files > 0) parts.push(`${formatCount(files, 'file')}${size} ${DONE[act]}`);
  if (unchanged > 0) parts.push(`${formatCount(unchanged, 'file')} as before`);
  if (failed > 0) parts.push(`${formatCount(failed, 'file')} not ${DONE[act]}`);
  if (parts.length === 0) parts.push(`no file in it; ${DONE[act]}`);
  const lines = [`${shown(path)}: ${parts.join(', ')}`];
  for (const { path: at, why } of exceptions) lines.push(`  ${shown(at)}: ${printable(why)}`);
  if (failed > exceptions.length) lines.push(`  ... and ${failed - exceptions.length} more`);
  return lines;
}
