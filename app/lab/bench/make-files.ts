/** Makes files that neither deduplication nor compression makes smaller, since a keystream fills them. */
import { createCipheriv, randomBytes, type Cipheriv } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';

const PIECE = Buffer.alloc(1024 * 1024);
const FILES_PER_FOLDER = 500;
/** Between two looks at whether somebody has interrupted us. */
const FILES_A_BREATH = 50;

/**
 * Writes many files of `size` bytes each, in subfolders, with contents that can not be compressed.
 * Rejects with the reason of `signal` if that aborts it.
 */
export async function makeSmallFiles(
  folder: string,
  files: number,
  size: number,
  signal: AbortSignal,
): Promise<void> {
  const stream = keystream();
  for (let index = 0; index < files; index++) {
    const below = join(folder, `files ${Math.floor(index / FILES_PER_FOLDER)}`);
    if (index % FILES_PER_FOLDER === 0) mkdirSync(below);
    await writeFile(join(below, `file ${index}`), size, stream, signal);
    if (index % FILES_A_BREATH > 0) continue;
    await breathe();
    signal.throwIfAborted();
  }
}

/** Writes one file of `size` bytes whose contents can not be compressed. */
export function makeLargeFile(path: string, size: number, signal: AbortSignal): Promise<void> {
  return writeFile(path, size, keystream(), signal);
}

async function writeFile(
  path: string,
  size: number,
  stream: Cipheriv,
  signal: AbortSignal,
): Promise<void> {
  const file = openSync(path, 'wx');
  try {
    for (let left = size; left > 0;) {
      left -= writeSync(file, stream.update(PIECE.subarray(0, Math.min(left, PIECE.length))));
      if (left === 0) break;
      await breathe();
      signal.throwIfAborted();
    }
  } finally {
    closeSync(file);
  }
}

/** Faster than asking the system for random bytes. */
function keystream(): Cipheriv {
  return createCipheriv('aes-128-ctr', randomBytes(16), randomBytes(16));
}
