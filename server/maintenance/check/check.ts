/** What an administrator has done for the contents of a server: they are checked, beside a server or without one, and repaired. */
import { setTimeout as wait } from 'node:timers/promises';
import type { WallTime } from '../../../shared/model/time.ts';
import { EMPTY_DIGEST, type Digest } from '../../../shared/model/vnode.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import type { GodwitError } from '../../../shared/wire/error-codes.ts';
import { checkContents, type CheckedContents, type NamedContents } from './check-contents.ts';
import { acceptRows, checkRows } from './check-rows.ts';
import { countAgain, miscounted, type Miscounted } from '../quota/quotas.ts';
import { PackedContentStore } from '../../adapters/content-packs/content-packs.ts';
import { contentsNamed } from '../../adapters/meta-sqlite/contents-named.ts';
import { withServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import {
  type DataFolder,
  lockData,
  lockMaintenance,
  mustStop,
  startedFolder,
} from '../../data-folder.ts';
import { NO_LOG } from '../no-log.ts';

export interface CheckOptions {
  /** Damaged contents are put aside, and an index that does not fit is made again. No server may run. */
  readonly repair: boolean;
  /** Bytes that are read in a second, at most. */
  readonly rate: number;
}

export interface CheckReport extends CheckedContents {
  /** How many damaged contents were put aside. */
  readonly putAside: number;
  /** Volumes whose use is kept as another one than their files have. */
  readonly miscounted: readonly Miscounted[];
  /** Commits of before there were seals: whether their rows are as they were, nobody knows. */
  readonly unsealed: number;
  /** What was wrong with rows that were not as they were written, and were taken as they are. */
  readonly accepted: readonly string[];
}

const DAY_MS = 86_400_000;
/** An upload that is under way for longer has to begin anew (rule D3). */
export const UNNAMED_DAYS = 7;

/** Throws GodwitError `no-server`, `folder-unusable`, `in-the-way`, `already-running` and `upkeep-running` (to repair), `damaged-database`. */
export async function checkServer(
  dataDir: string,
  { repair, rate }: CheckOptions,
  host: Host,
): Promise<CheckReport> {
  const folder = startedFolder(dataDir);
  const lock = lockData(folder, host);
  if (lock === null && repair) throw running(folder);
  let maintenance = null;
  try {
    if (repair) maintenance = lockMaintenance(folder, host);
    // As the next start would: an index that is behind is no finding.
    if (lock !== null) await withStore(folder, false, () => Promise.resolve());
    const now = Date.now();
    const accepted = repair ? withServerDatabase(folder.database, acceptRows) : [];
    const unsealed = withServerDatabase(folder.database, (database) =>
      checkRows(database, folder.database),
    );
    const named = withServerDatabase(folder.database, (database) => namedContents(database, now));
    const wrong = withServerDatabase(folder.database, miscounted);
    const before = now - UNNAMED_DAYS * DAY_MS;
    const check = (): Promise<CheckedContents> =>
      checkContents({ folder: folder.path, host, named, before, pace: paceOf(rate) });
    const found = await check();
    if (!repair) return { ...found, putAside: 0, miscounted: wrong, unsealed, accepted };
    withServerDatabase(folder.database, countAgain);
    await putAside(folder, found.damaged);
    if (found.missing.length > 0) await withStore(folder, true, () => Promise.resolve());
    const { use, missing } = await check();
    const gone = new Set(found.damaged);
    const others = missing.filter((digest) => !gone.has(digest));
    const repaired = { use, missing: others, putAside: gone.size };
    return { ...found, ...repaired, miscounted: wrong, unsealed, accepted };
  } finally {
    maintenance?.release();
    lock?.release();
  }
}

/** Before an index is made again: that would not have them, and nobody would see them any more. */
function putAside(folder: DataFolder, damaged: readonly Digest[]): Promise<void> {
  return withStore(folder, false, async (store) => {
    for (const digest of damaged) await store.quarantine(digest);
  });
}

/** Retention says which of the old versions count. */
function namedContents(database: Sqlite, now: number): NamedContents {
  const named = new Map<Digest, 'live' | 'old'>();
  for (const digest of contentsNamed(database, now as WallTime)) named.set(digest, 'old');
  const present = database
    .prepare<[], Digest>(
      'SELECT DISTINCT digest FROM vnode WHERE to_commit IS NULL AND links > 0 AND digest IS NOT NULL',
    )
    .pluck();
  for (const digest of present.iterate()) named.set(digest, 'live');
  // It is kept nowhere.
  named.delete(EMPTY_DIGEST);
  return named;
}

/**
 * Opens the content store for `work`, and closes it afterwards. `rebuild`: its index is made anew
 * from the packs. Rejects as the opening or the work does.
 */
export async function withStore<T>(
  folder: DataFolder,
  rebuild: boolean,
  work: (store: PackedContentStore) => Promise<T>,
): Promise<T> {
  const options = { log: NO_LOG, wall: Date.now, rebuild };
  const store = await PackedContentStore.open(folder.path, options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export function running(folder: DataFolder): GodwitError {
  return mustStop(`a server runs on ${folder.path}`);
}

/** Reads that are ahead of the rate wait. */
function paceOf(rate: number): (bytes: number) => Promise<void> {
  const began = performance.now();
  let read = 0;
  return async (bytes) => {
    read += bytes;
    const ahead = (read / rate) * 1000 - (performance.now() - began);
    if (ahead > 1) await wait(ahead);
  };
}
