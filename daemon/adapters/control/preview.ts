/**
 * `preview`: the beginning of a file of a volume. What the folder has is read there, as it is; else it comes through the file-system port, as for any
 * program. A port opens whole files only, so a large one that is not here is not fetched for this.
 */
import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilePreview } from '../../../shared/control/preview.ts';
import { MAX_PREVIEW_FETCH } from '../../../shared/control/limits.ts';
import type { Attributes, FileSystem } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { findPath } from './find-path.ts';

const NANOSECONDS_IN_MS = 1_000_000n;

type Beginning = Pick<FilePreview, 'text' | 'isCut' | 'encoding'>;

export interface PreviewAsked {
  readonly volume: string;
  readonly path: readonly string[];
  /** Bytes that are shown. */
  readonly most: number;
}

/** `folder`: where the files are shown; null: nowhere. Rejects `no-such-volume`, `not-found`, `not-a-directory`, `is-a-directory`, `not-connected` ... */
export async function preview(
  fileSystem: FileSystem,
  folder: string | null,
  { volume, path: names, most }: PreviewAsked,
): Promise<FilePreview> {
  const found = await findPath(fileSystem, volume, names);
  const path = `/${names.join('/')}`;
  if (found.kind === 'directory') throw new GodwitError('is-a-directory', `${path} is a folder`);
  const modified = Number(BigInt(found.mtime) / NANOSECONDS_IN_MS);
  if (found.kind === 'symlink') {
    const target = found.target ?? '';
    return { path, size: found.size, modified, text: null, isCut: false, target };
  }
  const there = folder === null ? null : await inFolder(folder, names, found, most);
  const shown = there ?? (await throughPort(fileSystem, found, { most, folder }));
  return { path, size: found.size, modified, ...shown };
}

/** Null: the folder has no such file, or has another one there just now. */
async function inFolder(
  folder: string,
  names: readonly string[],
  { size, mtime }: Attributes,
  most: number,
): Promise<Beginning | null> {
  try {
    const place = join(await realpath(folder), ...names);
    // No link leads out of the folder.
    if ((await realpath(place)) !== place) return null;
    const file = await open(
      place,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      const there = await file.stat({ bigint: true });
      const isIt = there.isFile() && Number(there.size) === size && String(there.mtimeNs) === mtime;
      return isIt ? await beginningOf(file, most) : null;
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

async function throughPort(
  fileSystem: FileSystem,
  { fid, size, cached }: Attributes,
  { most, folder }: { readonly most: number; readonly folder: string | null },
): Promise<Beginning> {
  // Of a file of a folder it means that it is in place there, and then it would be copied.
  const isInCache = cached && folder === null;
  if (size > MAX_PREVIEW_FETCH && !isInCache) return { text: null, isCut: true };
  const { handle, path } = await fileSystem.open(fid, { mode: 'read' });
  try {
    const file = await open(path, 'r');
    try {
      return await beginningOf(file, most);
    } finally {
      await file.close();
    }
  } finally {
    await fileSystem.close(handle, null);
  }
}

async function beginningOf(file: FileHandle, most: number): Promise<Beginning> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(most + 1), 0, most + 1, 0);
  const isCut = bytesRead > most;
  return { ...textIn(buffer.subarray(0, Math.min(bytesRead, most)), isCut), isCut };
}

/** Where it was cut, the last character may be in part. */
function textIn(bytes: Buffer, isCut: boolean): Pick<FilePreview, 'text' | 'encoding'> {
  if (bytes.includes(0)) return { text: null };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut }) };
  } catch {
    return isOlderText(bytes) ? { text: decodedOlder(bytes), encoding: OLDER } : { text: null };
  }
}

/** What programs of the West wrote before UTF-8: Latin-1, with quotes and dashes where that has nothing. */
const OLDER = 'windows-1252';
const decodedOlder = (bytes: Buffer): string => new TextDecoder(OLDER).decode(bytes);

/** Of such a text at least so much is ASCII; of a picture or an archive hardly half is. */
const LEAST_ASCII = 0.7;
/** White space, and the escape of terminals. */
const ALLOWED_CONTROLS: ReadonlySet<number> = new Set([8, 9, 10, 11, 12, 13, 27]);

function isOlderText(bytes: Buffer): boolean {
  let ascii = 0;
  for (const byte of bytes) {
    if (byte === 127 || (byte < 32 && !ALLOWED_CONTROLS.has(byte))) return false;
    if (byte < 127) ascii += 1;
  }
  return ascii >= bytes.length * LEAST_ASCII;
}
