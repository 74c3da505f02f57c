/** How many bytes of contents a device has brought, by what the server has committed: its database, read beside it. */
import { join } from 'node:path';
import Database from 'better-sqlite3';

const BROUGHT = `
  WITH versions AS (
    SELECT volume, from_commit, size, digest,
      LAG(digest) OVER (PARTITION BY volume, vnode, uniquifier ORDER BY from_commit) AS before
    FROM vnode WHERE kind = 'file')
  SELECT coalesce(sum(size), 0) AS bytes, count(*) AS versions
  FROM versions JOIN commit_log ON commit_log.volume = versions.volume AND number = from_commit
  JOIN device ON device.id = commit_log.device
  WHERE digest IS NOT NULL AND digest IS NOT before AND device.name = ?`;

export interface Brought {
  readonly bytes: number;
  readonly versions: number;
}

/**
 * Reads from the server's database how many bytes and versions a device has committed. Throws the
 * error of SQLite if the database can not be read.
 */
export function committedBytes(serverData: string, device: string): Brought {
  const database = new Database(join(serverData, 'server.db'), { readonly: true });
  try {
    return database.prepare(BROUGHT).get(device) as Brought;
  } finally {
    database.close();
  }
}
