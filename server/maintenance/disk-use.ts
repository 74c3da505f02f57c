/** What the server takes of its disk, and for what: asked by an administrator, beside a running server or without one. */
import type { WallTime } from '../shared/model/time.ts';
import { diskUse, type DiskUse } from './adapters/admin/disk-use.ts';
import { openServerDatabase } from './adapters/meta-sqlite/server-database.ts';
import { startedFolder } from './data-folder.ts';

/** Throws GodwitError `no-server`, `folder-unusable`, `damaged-database`. */
export function serverDiskUse(dataDir: string): DiskUse {
  const folder = startedFolder(dataDir);
  const database = openServerDatabase(folder.database);
  try {
    return diskUse(folder.path, database, Date.now() as WallTime);
  } finally {
    database.close();
  }
}
