/**
 * How much only snapshots keep. Asked of the files that have changed since the oldest snapshot: what has not is there now. Where such a file has
 * contents that nothing but a snapshot keeps, one scan of the versions looks for other files that have the same.
 */
import { isShown } from '../../../shared/model/kept-versions.ts';
import { retained, type RetentionPolicy } from '../../../shared/model/retention.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import { EMPTY_DIGEST, type Digest } from '../../../shared/model/vnode.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import {
  retentionOf,
  versionsOfFiles,
  type FileKey,
  type VersionRow,
} from '../../adapters/meta-sqlite/contents-named.ts';
import { snapshotNumbers } from '../../adapters/meta-sqlite/snapshot-rows.ts';

/** What only snapshots keep of a volume: contents that retention would let go, each once. */
export interface SnapshotUse {
  readonly snapshots: number;
  readonly bytes: number;
}

interface FileRow {
  readonly volume: number;
  readonly vnode: number;
  readonly uniquifier: number;
}

/** By the number of a volume, of those that have snapshots. */
export function snapshotUse(database: Sqlite, now: WallTime): Map<number, SnapshotUse> {
  const use = new Map<number, SnapshotUse>();
  const policy = retentionOf(database);
  const versionsOf = versionsOfFiles(database);
  const shown = new Map<number, Map<Digest, number>>();
  for (const [volume, numbers] of snapshotNumbers(database)) {
    const only = new Map<Digest, number>();
    for (const file of changedSince(database, volume, Math.min(...numbers))) {
      const versions = versionsOf(file);
      const kept = retained(versions, policy, now);
      for (const [index, version] of versions.entries()) {
        const { digest, size } = version;
        if (kept[index] === true || digest === EMPTY_DIGEST || !isShown(version, numbers)) continue;
        only.set(digest, size);
      }
    }
    shown.set(volume, only);
    use.set(volume, { snapshots: numbers.length, bytes: 0 });
  }
  const others = keptOtherwise(database, [...shown.values()], policy, now);
  for (const [volume, only] of shown) {
    let bytes = 0;
    for (const [digest, size] of only) if (!others.has(digest)) bytes += size;
    use.set(volume, { snapshots: use.get(volume)?.snapshots ?? 0, bytes });
  }
  return use;
}

/** Contents of these that retention keeps as those of any file of the server. */
function keptOtherwise(
  database: Sqlite,
  shown: ReadonlyArray<ReadonlyMap<Digest, number>>,
  policy: RetentionPolicy,
  now: WallTime,
): Set<Digest> {
  const asked = new Set(shown.flatMap((only) => [...only.keys()]));
  const found = new Set<Digest>();
  if (asked.size === 0) return found;
  const files = database.prepare<[string], FileRow>(
    'SELECT DISTINCT volume, vnode, uniquifier FROM vnode' +
      " WHERE kind = 'file' AND links > 0 AND digest IN (SELECT value FROM json_each(?))",
  );
  const versionsOf = versionsOfFiles(database);
  for (const row of files.all(JSON.stringify([...asked]))) {
    for (const { digest } of keptOf(versionsOf(keyOf(row)), policy, now)) {
      if (asked.has(digest)) found.add(digest);
    }
  }
  return found;
}

function keptOf(
  versions: readonly VersionRow[],
  policy: RetentionPolicy,
  now: WallTime,
): VersionRow[] {
  const kept = retained(versions, policy, now);
  return versions.filter((_, index) => kept[index] === true);
}

/** Files of which a commit after that one changed anything, or that it removed. */
function changedSince(database: Sqlite, volume: number, commit: number): FileKey[] {
  const sql =
    'SELECT DISTINCT volume, vnode, uniquifier FROM vnode' +
    " WHERE volume = ? AND from_commit > ? AND kind = 'file'";
  return database.prepare<[number, number], FileRow>(sql).all(volume, commit).map(keyOf);
}

const keyOf = ({ volume, vnode, uniquifier }: FileRow): FileKey => [volume, vnode, uniquifier];
