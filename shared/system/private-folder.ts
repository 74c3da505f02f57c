/**
 * A data folder is for its user alone: keys, names and contents are in it. One that was there before, made as folders are, lets others look into it.
 */
import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GodwitError } from '../wire/error-codes.ts';

/** What its owner may do. */
const OWNER = 0o700;
/** What group and others may do. */
const OTHERS = 0o077;

/** What a folder of ours has in it, by name. */
export interface OwnNames {
  /** By these it is known as ours. */
  readonly isKnown: (name: string) => boolean;
  /** These are ours as well, with all that is in them. */
  readonly isOurs: (name: string) => boolean;
}

/**
 * Takes from others what they may do in the folder, where nothing is in it or something of ours: another may be somebody's for more than this. Where
 * it was open, so is what is in it: of that, what is ours is for its user alone from then on. Throws GodwitError `folder-unusable` where it is
 * another user's, who can always read it.
 */
export function makePrivate(path: string, { isKnown, isOurs }: OwnNames): void {
  const { mode, uid } = statSync(path);
  if ((mode & OTHERS) === 0) return;
  const names = readdirSync(path);
  if (names.length > 0 && !names.some(isKnown)) return;
  const user = process.geteuid?.() ?? uid;
  if (uid !== user && user !== 0) {
    const why = 'it belongs to another user, and others may read what is in it';
    throw new GodwitError('folder-unusable', `${path} can't be used: ${why}`);
  }
  restrict(path, mode & OWNER);
  for (const name of names) {
    if (isKnown(name) || isOurs(name)) makeAllPrivate(join(path, name));
  }
}

/** All that is there, folders with what is in them. The target of a link is not touched. */
export function makeAllPrivate(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return;
  if ((found.mode & OTHERS) !== 0) restrict(path, found.mode & OWNER);
  if (!found.isDirectory()) return;
  for (const name of readdirSync(path)) makeAllPrivate(join(path, name));
}

/** The same for files, those that are there. */
export function makeFilesPrivate(paths: readonly string[]): void {
  for (const path of paths) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() === true && (found.mode & OTHERS) !== 0) {
      restrict(path, found.mode & OWNER);
    }
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
