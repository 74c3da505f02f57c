/** `godwit server df`: what takes the room of the server's disk. */
import type { Command } from 'commander';
import type { DiskUse } from '../../../server/maintenance/disk-use.ts';
import type { Cli } from '../cli.ts';
import { formatCount, formatTable } from '../format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { printable } from '../printable.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

/**
 * Builds `godwit server df`, which prints what takes the room of the server's disk, by kind and by
 * volume.
 */
export function serverDiskCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'df', 'say what takes the room of the disk');
  return cli.does<ServerFlags>(command, async (context, options) => {
    const { serverDiskUse } = await import('../../../server/maintenance/administration.ts');
    const use = await serverDiskUse(serverData(options));
    context.result({ ...use }, [...kindLines(use), ...volumeLines(use)]);
  });
}

function kindLines(use: DiskUse): string[] {
  const row = (name: string, bytes: number, more = ''): string[] => [name, sizeText(bytes), more];
  const contents = (name: string, kind: 'live' | 'past' | 'unreferenced'): string[] =>
    row(name, use[kind].bytes, formatCount(use[kind].count, 'content'));
  const rare = [
    row('put aside', use.aside, 'quarantine, before-restore-...'),
    row('kept for a full disk', use.reserve),
  ].filter((_, index) => [use.aside, use.reserve][index] !== 0);
  return formatTable(
    [
      contents('present versions', 'live'),
      contents('earlier versions', 'past'),
      contents('of no version', 'unreferenced'),
      row('dead in packs', use.dead, '`godwit server gc` gives it back'),
      row('being received', use.receiving),
      row('metadata', use.metadata),
      row('logs', use.logs),
      ...rare,
      row('folders and rounding', use.rest),
      row('in all', use.total),
      row('free on the disk', use.free),
    ],
    [1],
  );
}

function volumeLines({ volumes }: DiskUse): string[] {
  return volumes.map(({ volume, files, bytes, pastBytes, snapshotBytes, snapshots }) => {
    const kept =
      snapshots === 0
        ? ''
        : `, of which ${formatCount(snapshots, 'snapshot')} alone ${snapshots === 1 ? 'keeps' : 'keep'} ${sizeText(snapshotBytes)}`;
    const present = `${formatCount(files, 'file')}, ${sizeText(bytes)}`;
    return `volume ${printable(volume)}: ${present}; earlier versions ${sizeText(pastBytes)}${kept}`;
  });
}
