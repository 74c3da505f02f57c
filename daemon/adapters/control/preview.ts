/** `preview`: the beginning of a file of a volume, through the file-system port as any program reads it. */
import { open } from 'node:fs/promises';
import type { FilePreview } from '../../../shared/control/preview.ts';
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { findPath } from './find-path.ts';

const NANOSECONDS_IN_MS = 1_000_000n;

/** Rejects `no-such-volume`, `not-found`, `not-a-directory`, `is-a-directory`, `not-connected` ... */
export async function preview(
  fileSystem: FileSystem,
  volumeName: string,
  names: readonly string[],
  most: number,
): Promise<FilePreview> {
  const found = await findPath(fileSystem, volumeName, names);
  const path = `/${names.join('/')}`;
  if (found.kind === 'directory') throw new GodwitError('is-a-directory', `${path} is a folder`);
  if (found.kind === 'symlink') throw new GodwitError('not-found', `${path} is a link, not a file`);
  const file = await fileSystem.open(found.fid, { mode: 'read' });
  try {
    const { text, isCut } = await beginningOf(file.path, most);
    const modified = Number(BigInt(found.mtime) / NANOSECONDS_IN_MS);
    return { path, size: found.size, modified, text, isCut };
  } finally {
    await fileSystem.close(file.handle, null);
  }
}

async function beginningOf(
  path: string,
  most: number,
): Promise<Pick<FilePreview, 'text' | 'isCut'>> {
  const file = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(most + 1), 0, most + 1, 0);
    const isCut = bytesRead > most;
    return { text: textIn(buffer.subarray(0, Math.min(bytesRead, most)), isCut), isCut };
  } finally {
    await file.close();
  }
}

/** Null: it is no text. Where it was cut, the last character may be in part. */
function textIn(bytes: Buffer, isCut: boolean): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}
