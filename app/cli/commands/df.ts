/** `godwit df`: what the daemon takes of the disk, and for what. */
import type { Command } from 'commander';
import type { DaemonDiskUse } from '../../../shared/control/disk.ts';
import type { Cli } from '../cli.ts';
import { formatCount, formatTable } from '../format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';

/** Builds `godwit df`, which prints what the daemon takes of the disk, in bytes, and for what. */
export function diskCommand(cli: Cli): Command {
  const command = cli.withData('df', 'say what the daemon takes of the disk');
  return cli.does(command, async (context) => {
    const use = await context.daemon.command('disk', {});
    context.result({ ...use }, diskLines(use));
  });
}

function diskLines(use: DaemonDiskUse): string[] {
  const row = (name: string, bytes: number, more = ''): string[] => [name, sizeText(bytes), more];
  return formatTable(
    [
      row('cache', use.cache.bytes, formatCount(use.cache.files, 'file')),
      row('still to be sent', use.toSend.bytes, formatCount(use.toSend.files, 'file')),
      row('on the way', use.moving),
      row('held', use.held, 'just replaced, lost+found'),
      row('database', use.database),
      row('logs', use.logs),
      row('folders and settings', use.rest),
      row('in all', use.total, 'without the synced folder'),
      row('free on the disk', use.free),
    ],
    [1],
  );
}
