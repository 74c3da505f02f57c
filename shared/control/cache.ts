/** What the file cache has, what is pinned, and the results of `pin`, `unpin`, `evict` and `prefetch`. */
import type { CacheSettings, FreeDiskSpace } from '../model/cache.ts';
import type { FileUse } from './disk.ts';

/** Why the contents of a file stay, or do not come. */
export interface CacheException {
  /** Inside the volume. */
  readonly path: string;
  /** For people. */
  readonly why: string;
}

export interface CacheReport {
  /** Files that it was about, and the bytes of their contents: those that came, went, or were pinned. */
  readonly files: number;
  readonly bytes: number;
  /** Files that had nothing to be done for. */
  readonly unchanged: number;
  /** The first of those it could not be done for, and how many there are. */
  readonly exceptions: readonly CacheException[];
  readonly failed: number;
}

/** What keeps a content here; each counts for the first of these that holds for it. */
export const KEPT_BY = [
  'toSend', // the server has not confirmed it
  'open', // a program has it open
  'pinned', // a person wants it here
  'ahead', // fetched before anybody asked, and not opened yet
  'rest', // nothing: it goes when there is no room, what was used longest ago first
] as const;
export type KeptBy = (typeof KEPT_BY)[number];

export interface PinnedVnode {
  readonly volume: string;
  /** From the root of the volume, which is the empty one; null: no name of it is known here. */
  readonly path: string | null;
  readonly isFolder: boolean;
}

/** Of the files of a folder: those that are here in full, and those that placeholders stand for, by the sizes of their contents. */
export interface FolderUse {
  readonly here: FileUse;
  readonly away: FileUse;
}

/** What a change of the bound would do. */
export interface CachePreview {
  /** What is here now: files of the folder in full, or of the cache where there is no folder. */
  readonly here: FileUse;
  /** Of it, what would go, now or when the server has it. */
  readonly goes: FileUse;
  /** Files that placeholders stand for now. */
  readonly away: FileUse;
}

/** All sizes in bytes; of the cache beside a folder, but for `folder`. */
export interface CacheUse extends FileUse {
  /** Left out: there is no folder, or the daemon is an older one. */
  readonly folder?: FolderUse;
  readonly kept: Readonly<Record<KeptBy, FileUse>>;
  readonly settings: CacheSettings;
  /** How large it may be as the disk is now. */
  readonly limit: number;
  /** The bytes of the disk that are left free; null: derived from the size of the disk, which is not known yet. */
  readonly reserve: number | null;
  /** The disk that it is on; null: not measured yet. */
  readonly disk: FreeDiskSpace | null;
  /** How many there are, and the first of them in the order in which they were pinned. */
  readonly pins: { readonly total: number; readonly first: readonly PinnedVnode[] };
}
