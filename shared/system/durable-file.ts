/**
 * Small files of a program's own: whole or not at all, and on the disk when the call returns. Each process writes beside the file under a name
 * with its number, so that two of them never write into one: what stays is one of the two. A write that fails leaves nothing beside the file;
 * what a process left that was cut off goes with the next write.
 */
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Host } from '../ports/host.ts';
import { diskError } from './disk-error.ts';

const PRIVATE_FILE = 0o600;
/** With the number of the process; versions before this one wrote none. */
const BESIDE = /^(?:\.(\d+))?\.new$/;

export type Syncs = Pick<Host, 'syncDirectory'>;

/**
 * Replaces what was there, in one step. `mode`: permission bits; left out, it is for the owner alone. Throws GodwitError `disk-full`,
 * `disk-failing`, `folder-unusable` or `in-the-way`.
 */
export function writeDurably(path: string, text: string, host: Syncs, mode = PRIVATE_FILE): void {
  coded(path, () => {
    removeLeft(path);
    const beside = `${path}.${process.pid}.new`;
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

/** Whether it is what a write of that file has beside it for a moment. Both are names in one folder. */
export const isBeside = (name: string, file: string): boolean =>
  name.startsWith(`${file}.`) && BESIDE.test(name.slice(file.length));

/** Halves of processes that have ended. Another that still runs may be at it. */
function removeLeft(path: string): void {
  const file = basename(path);
  for (const name of readdirSync(dirname(path))) {
    if (!isBeside(name, file)) continue;
    const [, pid] = BESIDE.exec(name.slice(file.length)) ?? [];
    if (pid === undefined || !isRunning(Number(pid))) removeFile(join(dirname(path), name));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
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
