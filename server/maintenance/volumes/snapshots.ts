/**
 * What an administrator does with the snapshots of a volume, on the database of a server that may be running in another process.
 *
 * Making one writes one row, whatever the size of the volume. The newest commit in the database is durable (rule H1). It is the
 * only one that a snapshot may be of: an older one could name contents that a collection under way is about to remove.
 */
import { EMPTY_DIGEST, type CommitNumber, type Digest } from '../../../shared/model/vnode.ts';
import {
  isSnapshotName,
  MAX_SNAPSHOT_NAME,
  MAX_SNAPSHOTS,
  type NamedSnapshot,
} from '../../../shared/model/snapshots.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { shellWord } from '../../../shared/util/shell-word.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { contentsNamed } from '../../adapters/meta-sqlite/contents-named.ts';
import { snapshotNumbers, snapshotsOf } from '../../adapters/meta-sqlite/snapshot-rows.ts';
import { presentVolume } from './volumes.ts';

/** What only snapshots keep of a volume: contents that retention would let go, each once. */
export interface SnapshotUse {
  readonly snapshots: number;
  readonly bytes: number;
}

/** Throws GodwitError `no-such-volume`, `volume-removed`, `usage` (the name, too many), `exists`. */
export function createSnapshot(
  database: Sqlite,
  volume: string,
  name: string,
  now: WallTime,
): NamedSnapshot {
  if (!isSnapshotName(name)) {
    const why = `a snapshot can not be called “${name}”`;
    const form = `letters, digits, dots, dashes and underscores, a letter first, ${MAX_SNAPSHOT_NAME} at most`;
    throw new GodwitError('usage', why, form);
  }
  const make = database.transaction((): NamedSnapshot => {
    const { id } = presentVolume(database, volume);
    return addSnapshot(database, { id, name: volume }, name, now);
  });
  return make.immediate();
}

/** In a transaction of the caller. Throws GodwitError `exists`, `usage` (too many). */
export function addSnapshot(
  database: Sqlite,
  volume: { readonly id: number; readonly name: string },
  name: string,
  now: WallTime,
): NamedSnapshot {
  const { id } = volume;
  const there = snapshotsOf(database, id);
  if (there.some((each) => each.name === name)) {
    const rest = `\`godwit server snapshot rm ${shellWord(volume.name)} ${name}\` removes it`;
    throw new GodwitError('exists', `${volume.name} has a snapshot ${name} already`, rest);
  }
  if (there.length >= MAX_SNAPSHOTS) {
    const why = `${volume.name} has ${MAX_SNAPSHOTS} snapshots, and no volume may have more`;
    const rest = 'remove one: `godwit server snapshot ls` lists them';
    throw new GodwitError('usage', why, rest);
  }
  const at = valueOf<CommitNumber>(database, 'SELECT head FROM volume WHERE id = ?', id);
  forgetSchedule(database, id, name);
  const epoch = valueOf<string>(database, "SELECT value FROM meta WHERE key = 'epoch'");
  const put = 'INSERT INTO snapshot (volume, name, number, epoch, made_ms) VALUES (?, ?, ?, ?, ?)';
  database.prepare(put).run(id, name, at, epoch, now);
  return { name, at, epoch, made: now };
}

/** Whether a volume, by its number, has a snapshot of that name. */
export function hasSnapshot(database: Sqlite, volume: number, name: string): boolean {
  return snapshotsOf(database, volume).some((each) => each.name === name);
}

/** With what says that a schedule made it. In a transaction of the caller. False: there was none. */
export function dropSnapshot(database: Sqlite, volume: number, name: string): boolean {
  forgetSchedule(database, volume, name);
  const drop = database.prepare('DELETE FROM snapshot WHERE volume = ? AND name = ?');
  return drop.run(volume, name).changes > 0;
}

/** A snapshot of that name, if there is one, is no schedule's. */
function forgetSchedule(database: Sqlite, volume: number, name: string): void {
  const forget = 'DELETE FROM scheduled_snapshot WHERE volume = ? AND name = ?';
  database.prepare(forget).run(volume, name);
}

/** The oldest first. Throws GodwitError `no-such-volume`, `volume-removed`. */
export function listSnapshots(database: Sqlite, volume: string): NamedSnapshot[] {
  return snapshotsOf(database, presentVolume(database, volume).id);
}

/** Throws GodwitError `no-such-volume`, `volume-removed`, `not-found`. */
export function removeSnapshot(database: Sqlite, volume: string, name: string): void {
  const { id } = presentVolume(database, volume);
  if (database.transaction(() => dropSnapshot(database, id, name)).immediate()) return;
  const remedy = `\`godwit server snapshot ls ${shellWord(volume)}\` lists those there are`;
  throw new GodwitError('not-found', `${volume} has no snapshot ${name}`, remedy);
}

/** By the number of a volume, of those that have snapshots. It reads all versions of the server if any has. */
export function snapshotUse(database: Sqlite, now: WallTime): Map<number, SnapshotUse> {
  const use = new Map<number, SnapshotUse>();
  const numbers = snapshotNumbers(database);
  if (numbers.size === 0) return use;
  const without = new Set(contentsNamed(database, now, undefined, 'policy'));
  const only = new Set<Digest>();
  for (const digest of contentsNamed(database, now)) {
    if (digest !== EMPTY_DIGEST && !without.has(digest)) only.add(digest);
  }
  const sizes = database.prepare<[number], { digest: Digest; size: number }>(
    'SELECT digest, max(size) AS size FROM vnode WHERE volume = ? AND links > 0 AND digest IS NOT NULL GROUP BY digest',
  );
  for (const [volume, { length: snapshots }] of numbers) {
    let bytes = 0;
    for (const { digest, size } of sizes.iterate(volume)) if (only.has(digest)) bytes += size;
    use.set(volume, { snapshots, bytes });
  }
  return use;
}

function valueOf<T>(database: Sqlite, sql: string, ...keys: number[]): T {
  return database
    .prepare<number[], T>(sql)
    .pluck()
    .get(...keys) as T;
}
