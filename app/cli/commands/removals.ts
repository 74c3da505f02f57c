/**
 * `godwit confirm` and `godwit reject`: what becomes of many files that are missing from the folder at once, or of what vanished with a disk (rule W8).
 * Nothing is removed elsewhere before somebody says that it is meant: of all of it, or of what is at a path.
 */
import type { Command } from 'commander';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { formatCount } from '../format.ts';
import { pathArgument } from '../paths/path-arguments.ts';
import type { GivenPath } from '../paths/resolve-path.ts';
import { formatVolumePath } from '../volume-path.ts';

const NOTHING = 'no removals are waiting';

/**
 * Builds `godwit confirm`, which lets the removals that the mass-delete guard holds go to the
 * server. Throws GodwitError `not-found` if a path is given and no removal waits there.
 */
export function confirmCommand(cli: Cli): Command {
  const command = cli.withData('confirm', 'the files missing from the folder are meant to be gone');
  pathArgument(command, '[path]', 'only what is missing there');
  return cli.does(command, async (context, _, _args, [path]) => {
    const count = await countOf(context, 'confirm', path);
    const text = count === 0 ? NOTHING : `${printPaths(count)} removed everywhere`;
    context.result({ confirmed: count }, [text]);
  });
}

/**
 * Builds `godwit reject`, which puts the files back whose removals the mass-delete guard holds.
 * Throws GodwitError `not-found` if a path is given and no removal waits there.
 */
export function rejectCommand(cli: Cli): Command {
  const command = cli.withData(
    'reject',
    'the files missing from the folder are put in place again',
  );
  pathArgument(command, '[path]', 'only what is missing there');
  return cli.does(command, async (context, _, _args, [path]) => {
    const count = await countOf(context, 'reject', path);
    const text = count === 0 ? NOTHING : `${printPaths(count)} in the folder again`;
    context.result({ rejected: count }, [text]);
  });
}

function printPaths(count: number): string {
  return count === 1 ? '1 file or folder is' : `${formatCount(count, 'file')} and folders are`;
}

/** How many removals the command has settled. Throws `not-found` if a path is given and none waits there. */
async function countOf(
  { daemon }: Context,
  command: 'confirm' | 'reject',
  path: GivenPath | undefined,
): Promise<number> {
  const names = path?.names ?? [];
  const asked = names.length === 0 ? {} : { path: names };
  const { paths } = await daemon.command(command, asked);
  if (paths === 0 && names.length > 0) {
    const text = `no removal waits at ${formatVolumePath(names)}`;
    const remedy = 'see `godwit status` for those that wait';
    throw new GodwitError('not-found', text, remedy);
  }
  return paths;
}
