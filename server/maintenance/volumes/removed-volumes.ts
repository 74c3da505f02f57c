/**
 * Volumes that were removed end for good when no version in them would be kept any more: then collection takes their contents, too.
 *
 * Everything that only belongs to the volume goes, a part at a time: a server goes on in between. Its own row goes first, with the rows of its
 * commits, and its number is noted, in one transaction: what is left then is read by nobody, and goes now or the next time.
 */
import type { WallTime } from '../../../shared/model/time.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { retentionOf } from '../../adapters/meta-sqlite/contents-named.ts';
import { LEAST_REMOVED } from '../../limits.ts';
import { readMeta, writeMeta } from '../meta-rows.ts';

const DAY_MS = 86_400_000;
/** Some milliseconds of work. */
const ROWS_AT_ONCE = 500;
/** The row of `meta` with the numbers of those of which rows may be left. */
const LEFT = 'ended-volumes';

/** What goes at once: few rows, and those that say that the volume was there. */
const AT_ONCE = [
  'DELETE FROM access WHERE volume = ?',
  'DELETE FROM access_entry WHERE volume = ?',
  'DELETE FROM invitation WHERE volume = ?',
  'DELETE FROM epoch_cut WHERE volume = ?',
  'DELETE FROM snapshot WHERE volume = ?',
  'DELETE FROM scheduled_snapshot WHERE volume = ?',
  'DELETE FROM snapshot_schedule WHERE volume = ?',
  'DELETE FROM commit_log WHERE volume = ?',
  'UPDATE user SET home = NULL WHERE home = ?',
  'DELETE FROM volume WHERE id = ?',
];

/** With the columns of their keys. */
const LARGE: Readonly<Record<string, string>> = {
  vnode: 'volume, vnode, uniquifier, from_commit',
  entry: 'volume, dir_vnode, dir_uniquifier, name, from_commit',
  block: 'volume, uniquifier',
  dirty: 'device, volume, vnode, uniquifier',
  sharing: 'volume, vnode, uniquifier',
};

/** Until when a volume that was removed then can be restored, in milliseconds since 1970. */
export function keptUntil(database: Sqlite, removed: WallTime): number {
  const { allDays, dailyDays } = retentionOf(database);
  return removed + Math.max(Math.max(allDays, dailyDays) * DAY_MS, LEAST_REMOVED);
}

/** Gives the names of those that have ended now. `breathe`: others have their turn. */
export async function endRemovedVolumes(
  database: Sqlite,
  now: WallTime,
  breathe: () => Promise<void>,
): Promise<string[]> {
  const removed = database
    .prepare<[], { id: number; name: string; removed: WallTime }>(
      'SELECT id, name, removed_ms AS removed FROM volume WHERE removed_ms IS NOT NULL ORDER BY id',
    )
    .all()
    .filter((row) => keptUntil(database, row.removed) <= now);
  for (const { id } of removed) endVolume(database, id);
  for (const id of numbersLeft(database)) await dropLeft(database, id, breathe);
  return removed.map(({ name }) => name);
}

/** What is left of a volume that has ended, or that was never whole, goes. */
export async function dropLeft(
  database: Sqlite,
  id: number,
  breathe: () => Promise<void>,
): Promise<void> {
  for (const [table, key] of Object.entries(LARGE)) {
    await dropOf(database, table, key, id, breathe);
  }
  database.transaction(() => isWhole(database, id)).immediate();
}

/** Rows of a volume with this number are to come: if that is cut short, they go with the next collection. In a transaction of the caller. */
export function isBegun(database: Sqlite, id: number): void {
  writeMeta(database, LEFT, [...numbersLeft(database), id]);
}

/** Nothing is left of the volume, or all of it is there. In a transaction of the caller. */
export function isWhole(database: Sqlite, id: number): void {
  writeMeta(
    database,
    LEFT,
    numbersLeft(database).filter((each) => each !== id),
  );
}

/** The numbers of volumes that have ended, and of which rows may be left. */
export function numbersLeft(database: Sqlite): number[] {
  const left = readMeta(database, LEFT);
  return Array.isArray(left) ? left.filter((id): id is number => Number.isSafeInteger(id)) : [];
}

/** Unless it was restored in this moment. */
function endVolume(database: Sqlite, id: number): void {
  const isRemoved = database.prepare(
    'SELECT 1 FROM volume WHERE id = ? AND removed_ms IS NOT NULL',
  );
  const end = database.transaction(() => {
    if (isRemoved.get(id) === undefined) return;
    for (const sql of AT_ONCE) database.prepare(sql).run(id);
    isBegun(database, id);
  });
  end.immediate();
}

async function dropOf(
  database: Sqlite,
  table: string,
  key: string,
  id: number,
  breathe: () => Promise<void>,
): Promise<void> {
  const some = `SELECT ${key} FROM ${table} WHERE volume = ? LIMIT ${ROWS_AT_ONCE}`;
  const drop = database.prepare(`DELETE FROM ${table} WHERE (${key}) IN (${some})`);
  while (drop.run(id).changes > 0) await breathe();
}
