/** Files as `put` writes them through the file-system port. */
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Mtime } from '../../../shared/model/vnode.ts';
import type {
  Attributes,
  FileSystem,
  MakeOptions,
  OpenFile,
  Place,
} from '../../../shared/ports/file-system.ts';

/** `there`: the file that has the name by now; null: it is made. */
export function openToWrite(
  fs: FileSystem,
  { dir, name }: Place,
  there: Attributes | null,
  options: MakeOptions,
): Promise<OpenFile> {
  if (there === null) return fs.createOpen(dir, name, options);
  return fs.open(there.fid, { mode: 'write', truncate: true });
}

/** The contents of a file that was opened, which is closed: all of them, or the file stays as it was. */
export async function writeContents(
  fs: FileSystem,
  { handle, path }: OpenFile,
  contents: Readable,
  mtime: Mtime | null,
): Promise<void> {
  try {
    // Into the file that the port made: its owner and rights are the port's affair.
    await pipeline(contents, createWriteStream(path, { flags: 'r+' }));
    await fs.close(handle, mtime === null ? {} : { mtime });
  } catch (error) {
    await fs.abandon(handle).catch(() => undefined);
    throw error;
  }
}
