/** `folder`: a part of what is in a folder of a volume. */
import type { FolderReport, FolderRow } from '../../../shared/control/folder.ts';
import type { FileSystem, NamedAttributes } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { findPath } from './find-path.ts';

const NANOSECONDS_IN_MS = 1_000_000n;

export interface FolderPart {
  readonly volume: string;
  readonly path: readonly string[];
  readonly from: number;
  readonly most: number;
}

/** Rejects `no-such-volume`, `not-found`, `not-a-directory`, `not-connected` ... */
export async function folderReport(
  fileSystem: FileSystem,
  { volume, path, from, most }: FolderPart,
): Promise<FolderReport> {
  const found = await findPath(fileSystem, volume, path);
  if (found.kind !== 'directory') {
    throw new GodwitError('not-a-directory', `/${path.join('/')} is no folder`);
  }
  const entries = await fileSystem.readdir(found.fid);
  const rows = entries.slice(from, from + most).map(rowOf);
  return { fid: found.fid, total: entries.length, from, rows };
}

function rowOf({ name, attributes }: NamedAttributes): FolderRow {
  const { fid, kind, size, mtime, cached, sync, pinned, behind } = attributes;
  return {
    ...{ name, fid, kind, size, cached, sync },
    modified: Number(BigInt(mtime) / NANOSECONDS_IN_MS),
    pinned: pinned === true,
    behind: behind === true,
  };
}
