/** `godwit server snapshot`: named points in the history of a volume, beside a server that runs or without one. */
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { formatTable } from '../format.ts';
import { printable } from '../printable.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

/** Builds `godwit server snapshot` with its subcommands. */
export function snapshotCommand(cli: Cli): Command {
  const command = cli.holds(serverLeaf(cli, 'snapshot', 'named points in the history of a volume'));
  command.enablePositionalOptions();
  command.addCommand(createCommand(cli));
  command.addCommand(lsCommand(cli));
  command.addCommand(removeCommand(cli));
  return command;
}

const administration = () => import('../../../server/maintenance/administration.ts');

function createCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'create', 'keep a volume as it is now, until that is removed');
  command.argument('<volume>', 'its name').argument('<name>', 'what to call it, such as yesterday');
  return cli.does<ServerFlags>(command, async (context, options, [volume = '', name = '']) => {
    const made = await (await administration()).createSnapshot(serverData(options), volume, name);
    const line = `${printable(volume)} as it is now is kept as the snapshot ${made.name}`;
    context.result({ volume, ...made }, [line]);
  });
}

function lsCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'ls', 'list the snapshots of a volume');
  command.argument('<volume>', 'its name');
  return cli.does<ServerFlags>(command, async (context, options, [volume = '']) => {
    const snapshots = await (await administration()).listSnapshots(serverData(options), volume);
    const rows = snapshots.map(({ name, made, at }) => [name, made, String(at)]);
    const lines = formatTable([['name', 'made', 'commit'], ...rows], [2]);
    context.result({ snapshots }, snapshots.length === 0 ? ['no snapshots'] : lines);
  });
}

function removeCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'rm', 'remove a snapshot; the volume stays as it is');
  command.argument('<volume>', 'its name').argument('<name>', 'one of those that `ls` shows');
  return cli.does<ServerFlags>(command, async (context, options, [volume = '', name = '']) => {
    await (await administration()).removeSnapshot(serverData(options), volume, name);
    const line = `the snapshot ${printable(name)} was removed; retention decides on what it kept`;
    context.result({ removed: name, volume }, [line]);
  });
}
