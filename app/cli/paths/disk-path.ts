/**
 * Where a path that a person has typed leads on this disk, as the kernel would go: links on the way are followed, the last name is not,
 * and `..` goes up from where a link has led. What is not there (yet, or any more) is gone on with as it is written.
 */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, sep } from 'node:path';

/** The whole path; null: it is relative, and there is no working directory that it could begin in. */
export function diskPath(text: string, cwd: string | null): string | null {
  if (!isAbsolute(text) && cwd === null) return null;
  let at = isAbsolute(text) ? sep : realOf(cwd ?? sep);
  const parts = text.split(sep).filter((part) => part !== '');
  const isFollowed = isFolderName(text);
  for (const [index, part] of parts.entries()) {
    if (part === '.') continue;
    if (part === '..') {
      at = dirname(at);
      continue;
    }
    at = join(at, part);
    if (index < parts.length - 1 || isFollowed) at = realOf(at);
  }
  return at;
}

/** A slash at the end, `.` or `..`: a folder is meant, and where a link is, what it leads to. */
export function isFolderName(text: string): boolean {
  return /(^|\/)\.{0,2}$/.test(text);
}

/** The names from the folder on; null: the path is not in it. */
export function namesBelow(folder: string, path: string): string[] | null {
  if (path === folder) return [];
  const start = folder.endsWith(sep) ? folder : folder + sep;
  return path.startsWith(start) ? path.slice(start.length).split(sep) : null;
}

/** Without links; as it is written where that can not be told. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

export function isOnDisk(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A file where a folder would have to be, or no right to look.
    return false;
  }
}

/** One folder, by whatever path: a disk may be mounted at two places. */
export function isSameFolder(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    const [one, other] = [statSync(a, { bigint: true }), statSync(b, { bigint: true })];
    return one.dev === other.dev && one.ino === other.ino;
  } catch {
    return false;
  }
}

/** Null: it was removed. */
export function workingDirectory(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}
