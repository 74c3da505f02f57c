/**
 * A data folder is for its user alone: keys, names and contents are in it. One that was there before, made as folders are, lets others look into it.
 */
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { GodwitError } from '../wire/error-codes.ts';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** What group and others may do. */
const OTHERS = 0o077;

/**
 * Takes from others what they may do in the folder, where nothing is in it or something of ours (`isOurs`, by name): another may be somebody's
 * for more than this. Throws GodwitError `folder-unusable` where it is another user's, whom nobody keeps from reading.
 */
export function makePrivate(path: string, isOurs: (name: string) => boolean): void {
  const { mode, uid } = statSync(path);
  if ((mode & OTHERS) === 0) return;
  const names = readdirSync(path);
  if (names.length > 0 && !names.some(isOurs)) return;
  const user = process.geteuid?.() ?? uid;
  if (uid !== user && user !== 0) {
    const why = 'it belongs to another user, and others may read what is in it';
    throw new GodwitError('folder-unusable', `${path} can't be used: ${why}`);
  }
  restrict(path, PRIVATE_FOLDER);
}

/** The same for files, those that are there. */
export function makeFilesPrivate(paths: readonly string[]): void {
  for (const path of paths) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() === true && (found.mode & OTHERS) !== 0) restrict(path, PRIVATE_FILE);
  }
}

/** A file system that keeps no permissions, or has them from who mounted it, lets none be changed. */
function restrict(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EROFS') throw error;
  }
}
