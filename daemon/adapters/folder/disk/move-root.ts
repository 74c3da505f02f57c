/**
 * The synced folder at another place: what is to be done for it, and doing it. Nothing is removed or replaced but an empty folder, and
 * every inode stays the one it is, so that nothing of it looks removed or new.
 */
import { basename, dirname, isAbsolute, join } from 'node:path';
import { refuseForSync } from '../../../../shared/control/foreign-folder.ts';
import { isFolderAt, readMarker } from '../../../../shared/control/marker.ts';
import { startupFailure } from '../../../../shared/control/startup-failure.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { FOLDER_LIMITS } from '../folder-limits.ts';
import { there, type Disk } from './disk.ts';
import { kindOf } from './disk-facts.ts';
import { refuseNested, refuseUnusable, type RootDisk } from './root-guard.ts';

export interface MoveRequest extends RootDisk {
  /** Where it was last. */
  readonly from: string;
  readonly to: string;
  /** What it is known by. */
  readonly token: string;
  readonly dataDir: string;
}

/** Paths without links, as they are renamed; null: it is at the new place already. */
export type MovePlan = { readonly from: string; readonly to: string } | null;

/** Looks, and changes nothing. Throws `folder-unusable`, `folder-nested`, `folder-moved`, `in-the-way`, `other-file-system`. */
export function planMove(asked: MoveRequest): MovePlan {
  const { to, files } = asked;
  if (!isAbsolute(to) || to.includes('\0')) {
    throw new GodwitError('folder-unusable', `${to}: the whole path is wanted`);
  }
  try {
    refuseForSync(to, files);
    return isFolderAt(to, asked.token, files) ? takenUp(asked) : renamed(asked);
  } catch (error) {
    throw startupFailure(error, { path: to, code: 'folder-unusable' });
  }
}

/** Somebody has moved it, or leads to it by another way. */
function takenUp({ from, to, token, dataDir, files, mounts }: MoveRequest): null {
  if (isFolderAt(from, token, files) && !isSame(files, from, to)) {
    const why = 'it is a copy of the synced folder, which is there still';
    throw new GodwitError('folder-unusable', `${to}: ${why}: ${from}`);
  }
  refuseUnusable({ root: to, dataDir, nestedLook: FOLDER_LIMITS.nestedLook, files, mounts });
  return null;
}

function renamed({ from, to, token, ...disk }: MoveRequest): MovePlan {
  const { files } = disk;
  if (!isFolderAt(from, token, files)) {
    const why = `it is not the folder that was synced, and that is not at ${from} any more`;
    throw new GodwitError('folder-moved', `${to}: ${why}`);
  }
  refuseTaken(files, to);
  const plan = { from: files.realPath(from), to: realOf(files, to) };
  refuseNested(plan.to, FOLDER_LIMITS.nestedLook, disk);
  const device = (path: string): bigint => there(files.statusBehind(path), path).dev;
  if (device(plan.from) !== device(nearest(files, plan.to))) throw elsewhere(from, to);
  return plan;
}

function refuseTaken(files: Disk, to: string): void {
  if (files.status(to) === null) return;
  const why = whyTaken(files, to);
  if (why !== null) throw new GodwitError('in-the-way', `${to}: ${why}`);
}

function whyTaken(files: Disk, to: string): string | null {
  const status = files.statusBehind(to);
  if (status === null) return 'it is a link that leads nowhere';
  if (kindOf(status) !== 'directory') return 'it is no folder';
  if (readMarker(to, files) !== null) return 'it is another synced folder';
  return files.names(to).length > 0 ? 'it is not empty, and not the folder that was synced' : null;
}

/** What keeps the file system from renaming it leaves it where it is. Throws `other-file-system`, `in-the-way`, `folder-unusable`, `disk-full` ... */
export function renameRoot({ from, to }: NonNullable<MovePlan>, files: Disk): void {
  let made: string[] = [];
  try {
    made = files.makeDirectories(dirname(to), 0o777);
    files.rename(from, to);
  } catch (error) {
    removeMade(files, made);
    throw notRenamed(from, to, error);
  }
  for (const folder of [...made, to, from].map(dirname)) files.syncDirectory(folder);
}

/** Another error is about to be reported: what can't be removed stays. */
function removeMade(files: Disk, made: readonly string[]): void {
  for (const path of made) {
    try {
      files.removeDirectory(path);
    } catch {
      // Something is in it: then it is not ours to remove.
    }
  }
}

const TAKEN = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

function notRenamed(from: string, to: string, error: unknown): GodwitError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EXDEV') return elsewhere(from, to);
  if (TAKEN.has(code ?? '')) return new GodwitError('in-the-way', `${to}: something is there`);
  const told = startupFailure(error, { path: from, code: 'folder-unusable' });
  const why = code ?? told.message;
  return new GodwitError(told.code, `${from} can not be moved to ${to} (${why})`);
}

function elsewhere(from: string, to: string): GodwitError {
  const why = `${from} can not be moved to ${to}: that is on another file system`;
  return new GodwitError('other-file-system', why);
}

function isSame(files: Disk, a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => there(files.statusBehind(path), path));
  return one?.dev === other?.dev && one?.ino === other?.ino;
}

/** The rest of the way is as it is written. */
function realOf(files: Disk, path: string): string {
  if (files.status(path) !== null) return files.realPath(path);
  return join(realOf(files, dirname(path)), basename(path));
}

/** What is there of the way. */
function nearest(files: Disk, path: string): string {
  return files.status(path) === null ? nearest(files, dirname(path)) : path;
}
