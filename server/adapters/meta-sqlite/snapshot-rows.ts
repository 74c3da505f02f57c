/** The rows of snapshots (shared/model/snapshots.ts): small, and read whole. An administrator writes them. */
import type { NamedSnapshot } from '../../../shared/model/snapshots.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';

/** By the number of a volume: the commits that its snapshots show. */
export type SnapshotNumbers = ReadonlyMap<number, readonly number[]>;

/** The query for those of one volume, the oldest first. */
export const SNAPSHOTS_OF =
  'SELECT name, number AS at, epoch, made_ms AS made FROM snapshot WHERE volume = ? ORDER BY number, name';

/** The snapshots of a volume, the oldest first. */
export function snapshotsOf(database: Sqlite, volume: number): NamedSnapshot[] {
  return database.prepare<[number], NamedSnapshot>(SNAPSHOTS_OF).all(volume);
}

/** Of all volumes that have one. */
export function snapshotNumbers(database: Sqlite): SnapshotNumbers {
  const rows = database
    .prepare<[], { volume: number; number: number }>(
      'SELECT volume, number FROM snapshot ORDER BY volume, number',
    )
    .all();
  const numbers = new Map<number, number[]>();
  for (const { volume, number } of rows) {
    const of = numbers.get(volume) ?? [];
    of.push(number);
    numbers.set(volume, of);
  }
  return numbers;
}
