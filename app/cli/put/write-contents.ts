/** Writes the contents of a file that was opened through the file-system port, and closes it: all of them, or the file stays as it was. */
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Mtime } from '../../../shared/model/vnode.ts';
import type { FileSystem, OpenFile } from '../../../shared/ports/file-system.ts';

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
