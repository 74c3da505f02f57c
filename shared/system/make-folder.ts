/** Makes a folder with those above it, and reports the disk's own error. */
import { lstatSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Returns what it had to make, the innermost first. Throws the disk's error: Node's own recursive call says ENOENT for whatever
 * it has no rule for, such as EIO, and never returns where the parent is there and refuses with ENOENT, as /proc does.
 */
export function makeFolder(path: string, mode: number): string[] {
  const missing: string[] = [];
  for (let at = path; lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) {
    missing.push(at);
  }
  for (const folder of missing.toReversed()) make(folder, mode);
  // It throws if something else is there.
  if (!statSync(path).isDirectory()) mkdirSync(path);
  return missing;
}

/** Another process may have made it in between. */
function make(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** What `makeFolder` has made, the innermost first. The caller is about to report another error: what can't be removed stays. */
export function removeEmpty(folders: readonly string[]): void {
  for (const path of folders) {
    try {
      rmdirSync(path);
    } catch {
      // Something is in it: then it is not ours to remove.
    }
  }
}
