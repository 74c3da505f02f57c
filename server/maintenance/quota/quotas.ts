/** Quotas of volumes, on the database of a server that may be running in another process. */
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';

/** In bytes. `limit` null: it has no quota. */
export interface VolumeQuota {
  readonly id: VolumeId;
  readonly name: string;
  readonly limit: number | null;
  readonly used: number;
}

/** What the server keeps of a volume is not what its files take. */
export interface Miscounted {
  readonly volume: string;
  readonly kept: number;
  readonly counted: number;
}

const COUNTED =
  '(SELECT coalesce(sum(size), 0) FROM vnode WHERE vnode.volume = volume.id' +
  " AND to_commit IS NULL AND links > 0 AND kind = 'file')";

/** In the order of volumes, without those that are removed. */
export function listQuotas(database: Sqlite): VolumeQuota[] {
  return database
    .prepare(
      'SELECT id, name, quota AS "limit", used FROM volume WHERE removed_ms IS NULL ORDER BY id',
    )
    .all() as VolumeQuota[];
}

/** A server that is running heeds it within ACCESS_POLL. False: there is no such volume. */
export function setQuota(database: Sqlite, volume: string, limit: number | null): boolean {
  return (
    database
      .prepare('UPDATE volume SET quota = ? WHERE name = ? AND removed_ms IS NULL')
      .run(limit, volume).changes === 1
  );
}

/** Beside a running server too: both are of one state. */
export function miscounted(database: Sqlite): Miscounted[] {
  const sql = `SELECT name AS volume, used AS kept, ${COUNTED} AS counted FROM volume ORDER BY id`;
  const rows = database.prepare(sql).all() as Miscounted[];
  return rows.filter(({ kept, counted }) => kept !== counted);
}

/** No server may be running: it would go on from what it had counted. */
export function countAgain(database: Sqlite): void {
  database.prepare(`UPDATE volume SET used = ${COUNTED}`).run();
}
