/** The paths of one command line, resolved for the daemon that it is for (resolve-path.ts), and what is wrong with one that names nothing. */
import { resolve } from 'node:path';
import { readConfig } from '../../../shared/control/config.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Context } from '../context.ts';
import { printable } from '../printable.ts';
import { DEFAULT_VOLUME, findPath, findVolume } from '../volume-tree.ts';
import { DaemonTree } from './daemon-tree.ts';
import { workingDirectory } from './disk-path.ts';
import { namingIt } from './no-such-path.ts';
import type { AskedPath } from './path-arguments.ts';
import { resolvePath, type GivenPath, type Standing } from './resolve-path.ts';

export interface GivenPaths {
  readonly paths: readonly GivenPath[];
  /** The one that all are in. */
  readonly volume: string;
  /** The error of the command, with what a person may have meant by a path that names nothing. */
  explain(error: unknown): Promise<unknown>;
}

/** Throws GodwitError `usage`, `bad-name`, and what the daemon says. */
export async function givenPaths(
  context: Context,
  asked: readonly AskedPath[],
  volume: string | undefined,
): Promise<GivenPaths> {
  const tree = new DaemonTree(() => context.daemon);
  const standing = await standingOf(context, volume);
  const paths: GivenPath[] = [];
  for (const { text, kind } of asked) {
    const path = await resolvePath(text, kind, standing, tree);
    if (path.fromRoot) {
      const why = 'nothing is called so here; taken from the root of the volume';
      context.note(`${printable(text)}: ${why}: ${context.shown(path.names, path.volume)}`);
    }
    if (await isFileTaken(path, context)) {
      const file = text.replace(/\/+$/, '');
      throw new GodwitError('not-a-directory', `${text}: that is a file`, `give ${file}`);
    }
    paths.push(path);
  }
  const volumes = new Set(paths.map((path) => path.volume));
  if (volumes.size > 1) {
    throw new GodwitError(
      'usage',
      `paths of one volume are wanted, not of ${[...volumes].join(' and ')}`,
    );
  }
  const [of = volume ?? standing.ofFolder] = volumes;
  const explain = (error: unknown): Promise<unknown> =>
    namingIt(error, paths, { standing, tree, context });
  return { paths, volume: of, explain };
}

/** A slash at the end means a folder. What isn't there is judged by the command. */
async function isFileTaken(
  { text, kind, volume, names }: GivenPath,
  context: Context,
): Promise<boolean> {
  if (!text.endsWith('/') || kind === 'new' || names.length === 0) return false;
  try {
    const { fileSystem } = context.daemon;
    const { root } = await findVolume(fileSystem, volume);
    return (await findPath(fileSystem, root, names, true)).kind === 'file';
  } catch (error) {
    if (error instanceof GodwitError) return false;
    throw error;
  }
}

async function standingOf(context: Context, volume: string | undefined): Promise<Standing> {
  const config = configOf(context.dataDir);
  const folder = config === null ? await toldFolder(context) : config.folder;
  return {
    folder: folder === null ? null : resolve(context.dataDir, folder),
    ofFolder: config?.volume ?? DEFAULT_VOLUME,
    asked: volume ?? null,
    cwd: workingDirectory(),
  };
}

function configOf(dataDir: string) {
  try {
    return readConfig(dataDir);
  } catch {
    return null;
  }
}

/** Without a daemon the command itself says that there is none. */
async function toldFolder(context: Context): Promise<string | null> {
  try {
    return (await context.daemon.status()).folder;
  } catch (error) {
    if (error instanceof GodwitError && error.code === 'not-running') return null;
    throw error;
  }
}

/** The names from the root on to the working directory; null: that is not in the synced folder, or the folder shows another volume. */
export async function resolveHere(
  context: Context,
  volume: string | undefined,
): Promise<string[] | null> {
  const standing = await standingOf(context, volume);
  if (standing.cwd === null || (volume ?? standing.ofFolder) !== standing.ofFolder) return null;
  const tree = new DaemonTree(() => context.daemon);
  const here = await resolvePath(standing.cwd, 'there', standing, tree).catch(() => null);
  return here?.inFolder === true ? here.names : null;
}
