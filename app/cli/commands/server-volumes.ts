/** `godwit server volume`: the volumes of a server, beside one that runs or without one. */
import type { Command } from 'commander';
import type { VolumeLine } from '../../../server/maintenance/administration.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { shellWord } from '../../../shared/util/shell-word.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { parseSize } from '../arguments.ts';
import { flag, SERVER_PREFIX, type Cli } from '../cli.ts';
import { formatIso, formatTable } from '../format.ts';
import { printable } from '../printable.ts';
import { serverData, serverLeaf, type ServerFlags } from '../server-flags.ts';

interface CreateFlags extends ServerFlags {
  readonly owner?: string;
  readonly quota?: number | 'none';
  readonly lost?: number;
  readonly from?: string;
}

/** Builds `godwit server volume` with its subcommands. */
export function volumeCommand(cli: Cli): Command {
  const command = cli.holds(serverLeaf(cli, 'volume', 'the volumes of this server'));
  command.enablePositionalOptions();
  command.addCommand(createCommand(cli));
  command.addCommand(renameCommand(cli));
  command.addCommand(removeCommand(cli));
  command.addCommand(restoreCommand(cli));
  command.addCommand(dumpCommand(cli));
  command.addCommand(loadCommand(cli));
  command.addCommand(lsCommand(cli));
  return command;
}

const administration = () => import('../../../server/maintenance/administration.ts');

/** The largest number that a volume can have. */
const MOST_NUMBER = 0xffff_ffff;

function createCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'create', 'make a volume, empty or as another one');
  command.argument('<name>', 'as laptops shall see it');
  const add = (flags: string, text: string, parse?: (value: string) => unknown) =>
    flag(command, flags, text, SERVER_PREFIX, parse);
  add('--owner <user>', 'whose it is, who may write in it (default: nobody)');
  add('--quota <size>', 'what its files may take, such as 10GB, or none (the default)', parseQuota);
  const lost =
    'after a restore: the number of a volume made after the backup, which laptops still have';
  add('--lost <number>', lost, parseNumber);
  add('--from <volume>', 'begin with all that this VOLUME has, or VOLUME@SNAPSHOT had');
  return cli.does<CreateFlags>(command, async (context, options, [name = '']) => {
    const { owner = null, quota = 'none', lost = null, from = null } = options;
    const asked = { name, owner, quota: quota === 'none' ? null : quota };
    const { cloneVolume, createVolume } = await administration();
    if (from !== null) {
      if (lost !== null) throw new GodwitError('usage', 'give --from or --lost, not both');
      const { number, ...made } = await cloneVolume(serverData(options), asked, from);
      const size = `${filesText(made.files)}, ${sizeText(made.used)}; no contents were copied`;
      const line = `the volume ${printable(name)} was made of ${printable(from)}: ${size}`;
      context.result({ created: name, number, from, ...made }, [line, seenBy(name, owner)]);
      return;
    }
    const number = await createVolume(serverData(options), { ...asked, lost });
    const line = `the volume ${printable(name)} was made; ${seenBy(name, owner)}`;
    context.result({ created: name, number }, [line]);
  });
}

const filesText = (count: number): string => (count === 1 ? '1 file' : `${count} files`);

const seenBy = (name: string, owner: string | null): string =>
  owner === null
    ? `nobody sees it yet: godwit server invite USER --volume ${shellWord(name)}`
    : `${printable(owner)} may write in it`;

const parseQuota = (text: string): number | 'none' => (text === 'none' ? text : parseSize(text));

/** Throws GodwitError `usage`. */
function parseNumber(text: string): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (number >= 1 && number <= MOST_NUMBER) return number;
  throw new GodwitError('usage', `${text}: not the number of a volume`);
}

function renameCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'rename', 'give a volume another name');
  command.argument('<old>', 'the name it has').argument('<new>', 'the name it gets');
  return cli.does<ServerFlags>(command, async (context, options, [name = '', to = '']) => {
    await (await administration()).renameVolume(serverData(options), name, to);
    const line = `the volume ${printable(name)} is called ${printable(to)} now`;
    context.result({ renamed: name, to }, [line]);
  });
}

function removeCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'remove', 'take a volume out of use; it can be restored a while');
  command.argument('<name>', 'laptops keep what they have of it');
  return cli.does<ServerFlags>(command, async (context, options, [name = '']) => {
    const keptUntil = await (await administration()).removeVolume(serverData(options), name);
    context.result({ removed: name, keptUntil }, [
      `the volume ${printable(name)} was removed; laptops keep what they have of it`,
      `until ${formatIso(keptUntil)} this brings it back: godwit server volume restore ${shellWord(name)}`,
    ]);
  });
}

function restoreCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'restore', 'bring a removed volume back, as it was');
  command.argument('<name>', 'one of those that `ls` shows as removed');
  return cli.does<ServerFlags>(command, async (context, options, [name = '']) => {
    await (await administration()).restoreVolume(serverData(options), name);
    context.result({ restored: name }, [`the volume ${printable(name)} is in use again`]);
  });
}

function dumpCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'dump', 'write a volume into a file that any server can load');
  command.argument('<volume>', 'its name, as it is now; VOLUME@SNAPSHOT: as it was then');
  command.argument('<file>', 'the file to make; it holds all contents in the clear');
  return cli.does<ServerFlags>(command, async (context, options, [volume = '', file = '']) => {
    const { dumpVolume } = await administration();
    const dumped = await dumpVolume(serverData(options), volume, file);
    const size = `${filesText(dumped.files)}, ${sizeText(dumped.bytes)}`;
    const line = `${printable(volume)} was written to ${printable(file)}: ${size}`;
    context.result({ dumped: volume, file, ...dumped }, [line]);
  });
}

interface LoadFlags extends CreateFlags {
  readonly as?: string;
}

function loadCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'load', 'make a volume of a file that `dump` wrote');
  command.argument('<file>', 'of this server or of another one');
  const add = (flags: string, text: string, parse?: (value: string) => unknown) =>
    flag(command, flags, text, SERVER_PREFIX, parse);
  add('--as <name>', 'what to call it (default: as it was called)');
  add('--owner <user>', 'whose it is, who may write in it (default: nobody)');
  add('--quota <size>', 'what its files may take, such as 10GB, or none (the default)', parseQuota);
  return cli.does<LoadFlags>(command, async (context, options, [file = '']) => {
    const { owner = null, quota = 'none', as: name = null } = options;
    const asked = { name, owner, quota: quota === 'none' ? null : quota };
    const { loadVolume } = await administration();
    const loaded = await loadVolume(serverData(options), file, asked);
    const size = `${filesText(loaded.files)}, ${sizeText(loaded.used)}`;
    const line = `the volume ${printable(loaded.name)} was made of ${printable(file)}: ${size}`;
    context.result({ loaded: loaded.name, ...loaded }, [line, seenBy(loaded.name, owner)]);
  });
}

function lsCommand(cli: Cli): Command {
  const command = serverLeaf(cli, 'ls', 'list volumes, with owners, sizes and who may see them');
  return cli.does<ServerFlags>(command, async (context, options) => {
    const volumes = await (await administration()).listVolumes(serverData(options));
    const head = ['name', 'owner', 'used', 'quota', 'snapshots', 'who', ''];
    const lines = formatTable([head, ...volumes.map(rowOf)]);
    context.result({ volumes }, volumes.length === 0 ? ['no volumes'] : lines);
  });
}

function rowOf(volume: VolumeLine): string[] {
  const { name, owner, used, quota, people, keptUntil, snapshots, snapshotBytes } = volume;
  return [
    printable(name),
    owner === null ? '-' : printable(owner),
    sizeText(used),
    quota === null ? '-' : sizeText(quota),
    snapshots === 0 ? '-' : `${snapshots} (${sizeText(snapshotBytes)} more)`,
    people.map(({ user, rights }) => `${printable(user)} (${rights})`).join(', '),
    keptUntil === null ? '' : `removed, kept until ${formatIso(keptUntil)}`,
  ];
}
