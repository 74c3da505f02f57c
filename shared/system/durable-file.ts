/**
 * Small files of a program's own: whole or not at all, and on the disk when the call returns. A write that fails leaves nothing beside
 * the file; one that was cut off leaves its half until the next one. One at a time writes a file: where two do all the same, one of them may
 * fail, and what stays is one of the two.
 */
import { closeSync, fsyncSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Host } from '../ports/host.ts';
import { diskError } from './disk-error.ts';

const PRIVATE_FILE = 0o600;

export type Syncs = Pick<Host, 'syncDirectory'>;

/**
 * Replaces what was there, in one step. `mode`: permission bits; left out, it is for the owner alone. Throws GodwitError `disk-full`,
 * `disk-failing`, `folder-unusable` or `in-the-way`.
 */
export function writeDurably(path: string, text: string, host: Syncs, mode = PRIVATE_FILE): void {
  coded(path, () => {
    const beside = `${path}.new`;
    removeFile(beside);
    const file = openSync(beside, 'wx', mode);
    try {
      try {
        // The disk may take less than it is given at once: all of it is written, or this throws.
        writeFileSync(file, text);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(beside, path);
    } catch (error) {
      removeFile(beside);
      throw error;
    }
    host.syncDirectory(dirname(path));
  });
}

/** Removes a file durably; nothing happens if there is none. Throws the errors of `writeDurably`. */
export function removeDurably(path: string, host: Syncs): void {
  coded(path, () => {
    removeFile(path);
    host.syncDirectory(dirname(path));
  });
}

function coded(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw diskError(path, error);
  }
}

/** The disk's own error: `rmSync` words that of a folder in the way differently. */
function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
