/** `godwit df`: what the daemon takes of the disk, and for what. */
import type { Command } from 'commander';
import type { DaemonDiskUse } from '../../../shared/control/disk.ts';
import type { Cli } from '../cli.ts';
import { formatCount, formatTable } from '../format.ts';
import { indented, signed } from '../style.ts';
import { sizeText } from '../../../shared/util/amounts.ts';

/** Of a disk: with less free, something soon fails. */
const LOW_BYTES = 1e9;

/** Builds `godwit df`, which prints what the daemon takes of the disk, in bytes, and for what. */
export function diskCommand(cli: Cli): Command {
  const command = cli.withData('df', 'say what the daemon takes of the disk');
  return cli.does(command, async (context) => {
    const use = await context.daemon.command('disk', {});
    context.result({ ...use }, diskLines(use, context.colours));
  });
}

function diskLines(use: DaemonDiskUse, colours: boolean): string[] {
  const row = (name: string, bytes: number, more = ''): string[] => [name, sizeText(bytes), more];
  const { folder, total, free } = use;
  const own = `${sizeText(total)} ${folder === undefined ? 'taken' : 'beside it'}`;
  const shown = folder === undefined ? [own] : [`${sizeText(folder.bytes)} in the folder`, own];
  const how = free < LOW_BYTES ? 'needed' : 'well';
  return [
    signed(how, `${[...shown, `${sizeText(free)} free on the disk`].join(', ')}`, colours),
    ...indented(
      formatTable(
        [
          ...(folder === undefined
            ? []
            : [row('in the folder', folder.bytes, `${formatCount(folder.files, 'file')} in full`)]),
          row('still to be sent', use.toSend.bytes, formatCount(use.toSend.files, 'file')),
          row('fetched beside it', use.cache.bytes, formatCount(use.cache.files, 'file')),
          row('on the way', use.moving),
          row('held', use.held, 'just replaced, lost+found'),
          row('database', use.database),
          row('logs', use.logs),
          row('folders and settings', use.rest),
        ],
        [1],
      ),
    ),
  ];
}
