/** Small files of a program's own: whole or not at all, and on the disk when the call returns. One at a time writes a file. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Host } from '../ports/host.ts';

const PRIVATE_FILE = 0o600;

type Syncs = Pick<Host, 'syncDirectory'>;

/** Replaces what was there, in one step. `mode`: permission bits; left out, it is for the owner alone. */
export function writeDurably(path: string, text: string, host: Syncs, mode = PRIVATE_FILE): void {
  const beside = `${path}.new`;
  const file = openSync(beside, 'w', mode);
  try {
    // The disk may take less than it is given at once: all of it is written, or this throws.
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(beside, path);
  host.syncDirectory(dirname(path));
}

/** Nothing happens where there is none. */
export function removeDurably(path: string, host: Syncs): void {
  rmSync(path, { force: true });
  host.syncDirectory(dirname(path));
}
