/** Small files that are there whole, or not at all. */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces what was there, in one step; durable when it returns. `mode`: permission bits. */
export function writeDurably(path: string, text: string, mode: number): void {
  const temporary = `${path}.new`;
  const file = openSync(temporary, 'w', mode);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
