/** `godwit snapshots`: the named points of the past that the server keeps of a volume. */
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { formatTable, formatWhen } from '../format.ts';
import { printable } from '../printable.ts';
import { volumeFlag } from '../volume-flag.ts';

/** Builds `godwit snapshots`, which lists the snapshots of a volume, the oldest first. */
export function snapshotsCommand(cli: Cli): Command {
  const command = cli.withData('snapshots', 'list the snapshots of a volume, for --at');
  volumeFlag(command, 'volume to look in');
  return cli.does<{ volume?: string }>(command, async (context, options) => {
    const volume = options.volume ?? context.usualVolume;
    const { snapshots } = await context.daemon.command('snapshots', { volume });
    const rows = snapshots.map(({ name, when }) => [printable(name), formatWhen(when, Date.now())]);
    const lines = formatTable([['name', 'made'], ...rows]);
    context.result({ volume, snapshots }, snapshots.length === 0 ? ['no snapshots'] : lines);
  });
}
