/** How much of the disk the file cache takes, and whether it looks ahead: settings of the daemon, durable in its database. */

/** Of the disk that the data folder is on, in bytes. */
export interface FreeDiskSpace {
  /** What this user may still write. */
  readonly free: number;
  readonly total: number;
}

/** Bytes but for `prefetch`. */
export interface CacheSettings {
  /** The cache may be as large as this even if the disk is full otherwise, down to the reserve. */
  readonly minimum: number;
  /** It is never larger, but for what is open, pinned or not sent yet. */
  readonly maximum: number;
  /** The bytes of the disk that cached data leaves free; null: derived from the size of the disk. */
  readonly reserve: number | null;
  /** Files of a file group are fetched ahead of use. */
  readonly prefetch: boolean;
  /** A person has set the maximum: it bounds what a folder keeps in full, too. */
  readonly isBounded: boolean;
}

export const DEFAULT_CACHE: CacheSettings = {
  minimum: 256_000_000,
  maximum: 20_000_000_000,
  reserve: null,
  prefetch: true,
  isBounded: false,
};

/** Absent settings stay as they are; null: back to the default. */
export type CacheChange = {
  readonly [K in 'minimum' | 'maximum' | 'reserve']?: number | null | undefined;
} & { readonly prefetch?: boolean | undefined };

/** What a person asks of the contents of a file, or of all files in a folder. */
export const CACHE_ACTS = ['pin', 'unpin', 'evict', 'prefetch'] as const;
export type CacheAct = (typeof CACHE_ACTS)[number];

/** `demand` fetches one file for a program that opens it and waits: a demand fetch; for prefetch it counts as a read. */
export const CONTENTS_ACTS = [...CACHE_ACTS, 'demand'] as const;
export type ContentsAct = (typeof CONTENTS_ACTS)[number];
