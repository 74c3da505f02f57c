/**
 * What an administrator does with the snapshots of a volume, on the database of a server that may be running in another process.
 *
 * Making one writes one row, whatever the size of the volume. The newest commit in the database is durable (rule H1). It is the
 * only one that a snapshot may be of: an older one could name contents that a collection under way is about to remove.
 */
import type { CommitNumber } from '../../../shared/model/vnode.ts';
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
import { snapshotsOf } from '../../adapters/meta-sqlite/snapshot-rows.ts';
import { presentVolume } from './volumes.ts';

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

function valueOf<T>(database: Sqlite, sql: string, ...keys: number[]): T {
  return database
    .prepare<number[], T>(sql)
    .pluck()
    .get(...keys) as T;
}
