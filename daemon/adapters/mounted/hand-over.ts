/**
 * All that is in a folder goes into the volume that is mounted beside it: it is renamed into the root of the volume. Inodes stay who they are, so a program
 * that has a file open goes on writing to that file.
 *
 * Each step is one that a person could take. The folders on both sides find what has moved and log it as such (rule M3), so nothing has to be undone
 * after a crash: what was moved is in the volume, what was not is where it was, and the same order goes on. The folder stays, empty. Who asked
 * removes it, and gives the mount point its name.
 *
 * Invariant: nothing is replaced, and no file is removed. What can't be moved stays where it was, and is named.
 */
import { join } from 'node:path';
import { startupFailure } from '../../../shared/control/startup-failure.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { codeOf } from '../store/disk-errors.ts';
import { removeEmptied, type Disk } from '../folder/disk/disk.ts';
import { kindOf } from '../folder/disk/disk-facts.ts';
import type { Hindrance } from '../folder/hindrance.ts';
import type { Engine } from './mounted-volumes.ts';

type Path = readonly string[];

export interface HandOver {
  /** Of the folder, below the root of the whole. */
  readonly path: Path;
  /** Null: it is only looked whether something is in the way. */
  readonly volume: VolumeId | null;
}

type Files = Pick<
  Disk,
  | 'names'
  | 'realPath'
  | 'removeDirectory'
  | 'renameNoReplace'
  | 'setMode'
  | 'status'
  | 'syncDirectory'
>;

/** For what was put into it a moment before. */
const MOST_LOOKS = 5;
const PERMISSIONS = 0o7777n;

/**
 * `all`: the folders of the tree, those around before those in them. Rejects GodwitError `not-found` (the volume is not mounted beside the folder),
 * `not-empty` (something in it can't go along), `exists` (the volume has something of a name), `not-a-directory`, and what the disk says.
 */
export async function handOver(
  all: readonly Engine[],
  { path, volume }: HandOver,
  files: Files,
): Promise<void> {
  if (path.length === 0) throw new GodwitError('usage', 'a folder below the root is meant');
  const above = path.slice(0, -1);
  const around = all.filter((engine) => isIn(above, engine.path)).at(-1);
  const taker = all.find((engine) => engine.volume === volume) ?? null;
  const isBeside = taker?.path.length === path.length && isIn(taker.path, above);
  if (around === undefined || (volume !== null && !isBeside)) {
    throw new GodwitError('not-found', `the volume is not mounted beside /${path.join('/')}`);
  }
  const rest = path.slice(around.path.length);
  const from = join(around.root, ...rest);
  const status = files.status(from);
  // It is done already.
  if (status === null || taker?.root === from) return;
  if (kindOf(status) !== 'directory') throw new GodwitError('not-a-directory');
  const found = await hindranceNow(around, rest);
  if (found !== null) throw hindered([...around.path, ...found.path], found.reason);
  // A link that stands there by now leads out of the folder (rule F2).
  if (files.realPath(from) !== join(files.realPath(around.root), ...rest)) {
    throw hindered(path, 'it is not where it was');
  }
  if (taker === null) return;
  files.setMode(taker.root, Number(status.mode & PERMISSIONS));
  moveAll(files, from, taker.root, path);
}

/** What passes is asked for again after a look. */
async function hindranceNow({ frontEnd }: Engine, path: Path): Promise<Hindrance | null> {
  for (let looks = 1; ; looks++) {
    const found = await frontEnd.hindrance(path);
    if (found?.passes !== true || looks >= MOST_LOOKS) return found;
    await frontEnd.scan();
  }
}

function hindered(path: Path, reason: string): GodwitError {
  const what = `/${path.join('/')} can't go into a shared folder: ${reason}`;
  const remedy = 'put that right or move it away, then say it again; nothing was changed';
  return new GodwitError('not-empty', what, remedy);
}

/** Where both have a directory of a name, what is in one goes into the other: an order before this one was interrupted, and programs have made it anew. */
function moveAll(files: Files, from: string, to: string, path: Path): void {
  for (const name of files.names(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    try {
      files.renameNoReplace(source, target);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT') continue;
      const isTaken = code === 'EEXIST' || code === 'ENOTEMPTY';
      if (!isTaken) throw startupFailure(error, { path: source, code: 'folder-unusable' });
      if (!isDirectory(files, source) || !isDirectory(files, target)) {
        const what = `/${[...path, name].join('/')}: the new volume has another file of that name`;
        throw new GodwitError('exists', what, 'rename one of them, then say it again');
      }
      moveAll(files, source, target, [...path, name]);
      removeEmptied(files, source);
    }
  }
  files.syncDirectory(to);
  files.syncDirectory(from);
}

function isDirectory(files: Files, path: string): boolean {
  const status = files.status(path);
  return status !== null && kindOf(status) === 'directory';
}

/** The path itself, or beneath it. */
const isIn = (path: Path, above: Path): boolean => above.every((name, i) => path[i] === name);
