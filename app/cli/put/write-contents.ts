/** Writes one file's contents through the file-system port: all of them, or the file stays as it was. */
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Mtime } from '../../../shared/model/vnode.ts';
import type { FileSystem } from '../../../shared/ports/file-system.ts';

export async function writeContents(
  fs: FileSystem,
  fid: Fid,
  contents: Readable,
  mtime: Mtime | null,
): Promise<void> {
  const { handle, path } = await fs.open(fid, { mode: 'write', truncate: true });
  try {
    // Into the file that the port made: its owner and rights are the port's affair.
    await pipeline(contents, createWriteStream(path, { flags: 'r+' }));
    await fs.close(handle, mtime === null ? {} : { mtime });
  } catch (error) {
    await fs.abandon(handle).catch(() => undefined);
    throw error;
  }
}
