/** What is said of a path that names nothing: that it is not in the folder, or what a person may have meant. */
import { isAbsolute, sep } from 'node:path';
import { nameBehind } from '../../../shared/model/placeholder-name.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Context } from '../context.ts';
import { findVolume } from '../volume-tree.ts';
import { isOnDisk } from './disk-path.ts';
import { nearestNames, nearestPath } from './nearest-name.ts';
import { outside, volumeIn, type GivenPath, type Standing, type Tree } from './resolve-path.ts';

/** In so many folders a better name is looked for. A daemon that keeps a folder knows all names; another may have to ask its server for each. */
const MOST_FOLDERS = 200;
const MOST_FOLDERS_ASKED = 20;
/** The first of so many paths that names nothing is looked for. */
const MOST_PATHS = 100;

/** Errors that a path which names nothing can lead to. */
const ABSENT: ReadonlySet<string> = new Set(['not-found', 'not-a-directory', 'not-queued']);

export interface Surroundings {
  readonly standing: Standing;
  readonly tree: Tree;
  readonly context: Context;
}

/** The same error where it is of something else, or where nothing better can be said. */
export async function namingIt(
  error: unknown,
  paths: readonly GivenPath[],
  around: Surroundings,
): Promise<unknown> {
  if (!(error instanceof GodwitError) || !ABSENT.has(error.code)) return error;
  const better = await explained(error, paths, around).catch(() => null);
  return better ?? error;
}

async function explained(
  error: GodwitError,
  paths: readonly GivenPath[],
  around: Surroundings,
): Promise<GodwitError | null> {
  const { standing, tree, context } = around;
  for (const path of paths.slice(0, MOST_PATHS)) {
    if ((await tree.isThere(path.volume, path.names, path.kind)) !== false) continue;
    if (standing.folder !== null && (await isOfThisMachine(path, around))) {
      return outside(path.text, standing.folder);
    }
    const unknown = await unknownVolume(path.text, context);
    if (unknown !== null) return unknown;
    if (path.inFolder && path.disk !== null && path.kind !== 'new' && isOnDisk(path.disk)) {
      const why = 'it is in the folder, and the daemon has not taken it in yet';
      return new GodwitError(error.code, `${path.text}: ${why}`, 'try again in a moment');
    }
    const most = standing.folder === null ? MOST_FOLDERS_ASKED : MOST_FOLDERS;
    const meant = await meantBy(path, context, most);
    if (meant === null) continue;
    const shown = context.shown(meant, path.volume);
    return new GodwitError(error.code, `${error.message} (did you mean ${shown}?)`, error.remedy);
  }
  return null;
}

/** `nope:/x` is a relative path where there is no such volume: but it is not likely to be meant so. */
async function unknownVolume(text: string, { daemon }: Context): Promise<GodwitError | null> {
  const volume = volumeIn(text);
  if (volume === null) return null;
  const names = (await daemon.fileSystem.volumes()).map(({ name }) => name);
  if (names.includes(volume)) return null;
  const are = names.length === 1 ? 'is' : 'are';
  const why = `there is no volume ${volume}; there ${are} ${names.join(', ')}`;
  return new GodwitError('no-such-volume', `${text}: ${why}`);
}

/** It is taken for a path of the volume, and the volume has nothing of the kind, but this machine has. */
async function isOfThisMachine(
  path: GivenPath,
  { standing, tree }: Surroundings,
): Promise<boolean> {
  const { disk, inFolder, volume, text, names } = path;
  if (disk === null || inFolder || volume !== standing.ofFolder) return false;
  if (!isAbsolute(text)) return isOnDisk(disk);
  const [first = ''] = disk.split(sep).filter((part) => part !== '');
  return (
    isOnDisk(sep + first) && (await tree.isThere(volume, names.slice(0, 1), 'there')) === false
  );
}

async function meantBy(
  { volume, names, kind }: GivenPath,
  context: Context,
  most: number,
): Promise<string[] | null> {
  const { fileSystem } = context.daemon;
  const { root } = await findVolume(fileSystem, volume);
  const [folder, name = ''] = [names.slice(0, -1), names.at(-1)];
  if (kind === 'new') {
    const meant = folder.length === 0 ? null : await nearestPath(fileSystem, root, folder, most);
    return meant === null ? null : [...meant, name];
  }
  const wanted = nameBehind(name) ?? name;
  if (kind === 'past') {
    const gone = await removedFrom(context, volume, folder);
    const [nearest] = nearestNames(wanted, gone);
    if (nearest !== undefined) return [...folder, nearest];
  }
  return nearestPath(fileSystem, root, [...folder, wanted], most);
}

/** Empty where that can't be told: the server knows it. */
async function removedFrom({ daemon }: Context, volume: string, path: string[]): Promise<string[]> {
  try {
    const { removed } = await daemon.command('removed', { volume, path });
    return removed.map((row) => row.path.slice(row.path.lastIndexOf('/') + 1));
  } catch {
    return [];
  }
}
