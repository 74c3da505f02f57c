/** Small files of the daemon's own: whole or not at all, on the disk when the call returns, for the owner alone. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Host } from '../../shared/ports/host.ts';

const PRIVATE_FILE = 0o600;

type Syncs = Pick<Host, 'syncDirectory'>;

export function writeDurably(file: string, text: string, host: Syncs): void {
  const beside = `${file}.new`;
  const opened = openSync(beside, 'w', PRIVATE_FILE);
  try {
    writeSync(opened, text);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
  renameSync(beside, file);
  host.syncDirectory(dirname(file));
}

export function removeDurably(file: string, host: Syncs): void {
  rmSync(file, { force: true });
  host.syncDirectory(dirname(file));
}
