/** `godwit volume`: the volumes that this laptop sees, and mount points, which show one in a folder of another. */
import type { Command } from 'commander';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatTable } from '../format.ts';
import { refuseLeftOut } from '../left-out.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import { printable } from '../printable.ts';
import { volumeFlag } from '../volume-flag.ts';
import { formatVolumePath } from '../volume-path.ts';
import { findPath, findVolume } from '../volume-tree.ts';

const MODE = 0o755;

interface PlaceOptions {
  readonly volume?: string;
}

/** Builds `godwit volume` with its subcommands. */
export function volumesCommand(cli: Cli): Command {
  const command = cli.holds(cli.withData('volume', 'volumes, and where they are shown'));
  command.enablePositionalOptions();
  command.addCommand(lsCommand(cli));
  command.addCommand(mountCommand(cli));
  command.addCommand(unmountCommand(cli));
  return command;
}

function lsCommand(cli: Cli): Command {
  const command = cli.withData('ls', 'list the volumes that this laptop may see');
  return cli.does(command, async (context) => {
    const { daemon } = context;
    const known = await daemon.fileSystem.volumes();
    const status = await daemon.status();
    const shut = new Set(status.volumes.flatMap((each) => (each.shut === true ? [each.id] : [])));
    const volumes = known.map((each) => (shut.has(each.id) ? { ...each, shut: true } : each));
    const rows = known.map(({ id, name, rights }) => [
      printable(name),
      shut.has(id) ? 'none now' : rights === 'write' ? 'read and write' : 'read',
      name === context.usualVolume ? 'the folder shows it' : '',
    ]);
    context.result({ volumes }, formatTable([['volume', 'rights', ''], ...rows], []));
  });
}

function mountCommand(cli: Cli): Command {
  const command = cli.withData('mount', 'show a volume in a folder of another one');
  command.argument('<name>', 'the volume that is to be shown');
  pathArgument(command, '<path>', 'a new folder, through which it is reached', { kind: 'new' });
  volumeFlag(command, 'volume of the path');
  return cli.does<PlaceOptions>(command, async (context, options, [name = ''], [path]) => {
    const { volume = context.usualVolume } = options;
    const { dir, last, shown } = await placeOf(context, volume, path?.names ?? []);
    await refuseLeftOut(context, { volume, path: path?.names ?? [] }, shown);
    const { fileSystem } = context.daemon;
    const { id } = await findVolume(fileSystem, name);
    await fileSystem.mkdir(dir, last, { mode: MODE, mounts: id }).catch((error: unknown) => {
      const isTaken = error instanceof GodwitError && error.code === 'exists';
      throw isTaken ? new GodwitError('exists', `${shown}: something is called so`) : error;
    });
    context.result({ mounted: name, volume, path: shown }, [
      `${context.shown(path?.names ?? [], volume)} shows the volume ${printable(name)}`,
      'whoever may not see that volume finds an empty folder there',
    ]);
  });
}

function unmountCommand(cli: Cli): Command {
  const command = cli.withData('unmount', 'end a mount point; its volume stays as it is');
  pathArgument(command, '<path>', 'the folder that shows a volume');
  volumeFlag(command, 'volume of the path');
  return cli.does<PlaceOptions>(command, async (context, options, _args, [path]) => {
    const { volume = context.usualVolume } = options;
    const { dir, last, shown } = await placeOf(context, volume, path?.names ?? []);
    await context.daemon.fileSystem.rmdir({ dir, name: last }, { unmounts: true });
    const line = `${context.shown(path?.names ?? [], volume)} is no mount point any more`;
    context.result({ unmounted: shown, volume }, [line, 'the volume and its files stay']);
  });
}

/** The folder in which a path is, and its name there. Throws GodwitError `usage` for the root. */
async function placeOf(context: Context, volume: string, names: readonly string[]) {
  const [last, shown] = [names.at(-1), formatVolumePath(names)];
  if (last === undefined)
    throw new GodwitError('usage', `${shown}: a folder below the root is meant`);
  const { fileSystem } = context.daemon;
  const { root } = await findVolume(fileSystem, volume);
  const { fid: dir } = await findPath(fileSystem, root, names.slice(0, -1), true);
  return { dir, last, shown };
}
