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
    const mounts = await mountsAt(context, path?.names ?? []);
    const count = await countOf(context, 'confirm', path);
    const removed = count - mounts.length;
    const lines = mounts.map((at) => `${context.shown(at)} is unmounted; its volume stays`);
    if (removed > 0) lines.push(`${printPaths(removed)} removed everywhere`);
    context.result({ confirmed: count }, lines.length === 0 ? [NOTHING] : lines);
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

/** Mount points that are held, at a path or beneath it. An older daemon tells of none. */
async function mountsAt({ daemon }: Context, names: readonly string[]): Promise<string[]> {
  const { waiting = [] } = await daemon.status();
  return waiting.flatMap(({ path, unmounts }) => {
    const at = path?.split('/') ?? [];
    const isMeant = unmounts === true && names.every((name, i) => at[i] === name);
    return isMeant && path !== null ? [path] : [];
  });
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
