/** `folder`: a part of what is in a folder of a volume. `find`: what in it, and below it, has a text in its name. */
import type {
  FolderReport,
  FolderRow,
  FoundReport,
  FoundRow,
} from '../../../shared/control/folder.ts';
import type { LockRow, LocksReport } from '../../../shared/control/locks.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { FileSystem, NamedAttributes } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { findPath } from './find-path.ts';

const NANOSECONDS_IN_MS = 1_000_000n;
/** Folders that one search looks into: each takes a question to the core. */
const MOST_SEARCHED = 5000;

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
  locks: LocksReport,
): Promise<FolderReport> {
  const found = await findPath(fileSystem, volume, path);
  if (found.kind !== 'directory') {
    throw new GodwitError('not-a-directory', `/${path.join('/')} is no folder`);
  }
  const entries = await fileSystem.readdir(found.fid);
  const locked = byFile(locks);
  const rows = entries.slice(from, from + most).map((entry) => rowOf(entry, locked));
  return { fid: found.fid, total: entries.length, from, rows };
}

export interface Search {
  readonly volume: string;
  readonly path: readonly string[];
  readonly text: string;
  readonly most: number;
}

/** Folder by folder, so that what is near is found first. Rejects as `folderReport`; a folder that can't be read is passed over. */
export async function findNames(
  fileSystem: FileSystem,
  { volume, path, text, most }: Search,
  locks: LocksReport,
): Promise<FoundReport> {
  const top = await findPath(fileSystem, volume, path);
  const sought = plain(text);
  const locked = byFile(locks);
  const rows: FoundRow[] = [];
  const folders = [{ fid: top.fid, path }];
  for (let at = 0; at < folders.length && at < MOST_SEARCHED; at++) {
    const folder = folders[at] as (typeof folders)[number];
    const entries = await fileSystem.readdir(folder.fid).catch((error: unknown) => {
      if (at === 0) throw error;
      return [];
    });
    for (const entry of entries) {
      const row = { ...rowOf(entry, locked), path: [...folder.path, entry.name] };
      if (row.kind === 'directory') folders.push({ fid: row.fid, path: row.path });
      if (!plain(row.name).includes(sought)) continue;
      if (rows.length === most) return { rows, isCut: true };
      rows.push(row);
    }
  }
  return { rows, isCut: folders.length > MOST_SEARCHED };
}

/** Small and capital letters, and both forms of an accent, are alike. */
const plain = (text: string): string => text.normalize('NFC').toLowerCase();

type Locked = ReadonlyMap<Fid, LockRow>;

/** Of several shared locks our own is named, or the first. */
function byFile({ locks }: LocksReport): Locked {
  return new Map(locks.toReversed().map((lock) => [lock.fid, lock]));
}

function lockOf(locked: Locked, fid: Fid): Pick<FolderRow, 'lock'> {
  const lock = locked.get(fid);
  if (lock === undefined) return {};
  const { mode, state, isOwn, device, user, since } = lock;
  return { lock: { mode, state, isOwn, device, user, since } };
}

function rowOf({ name, attributes }: NamedAttributes, locked: Locked): FolderRow {
  const { fid, kind, size, mtime, cached, sync, pinned, behind, mounted } = attributes;
  return {
    ...{ name, fid, kind, size, cached, sync },
    modified: Number(BigInt(mtime) / NANOSECONDS_IN_MS),
    pinned: pinned === true,
    behind: behind === true,
    ...lockOf(locked, fid),
    ...(mounted === undefined ? {} : { mounted: { volume: mounted.volume, why: mounted.why } }),
  };
}
