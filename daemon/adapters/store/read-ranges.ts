/** Short pieces of files into memory, one after the other: those that lie side by side in one file are one read. */
import { open } from 'node:fs/promises';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

export interface Range {
  /** Absolute. */
  readonly path: string;
  /** null: the whole file, which has to be as long. */
  readonly offset: number | null;
  readonly length: number;
}

/** Rejects `disk-failing` where a file is shorter, or one that is to be read whole is longer. */
export async function readRanges(ranges: readonly Range[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (const range of merged(ranges)) pieces.push(await readRange(range));
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
}

function merged(ranges: readonly Range[]): Range[] {
  const all: Range[] = [];
  for (const range of ranges) {
    const last = all.at(-1);
    if (last !== undefined && last.offset !== null && isNext(range, last)) {
      all[all.length - 1] = { ...last, length: last.length + range.length };
    } else {
      all.push(range);
    }
  }
  return all;
}

function isNext({ path, offset }: Range, last: Range): boolean {
  return path === last.path && offset === (last.offset ?? 0) + last.length;
}

async function readRange({ path, offset, length }: Range): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    // A whole file that is longer shows by one byte more.
    const bytes = Buffer.allocUnsafe(offset === null ? length + 1 : length);
    let done = 0;
    while (done < bytes.length) {
      const at = (offset ?? 0) + done;
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, at);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    if (done !== length) throw new GodwitError('disk-failing', `${path} has another length`);
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}
