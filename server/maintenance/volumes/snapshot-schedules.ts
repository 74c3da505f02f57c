/**
 * Snapshots that a server makes by itself, on its database. What is due is made when the server looks: what it missed while it was down is made once,
 * for the period of now. A clock that goes back or forth makes no second snapshot of a period, and keeps none from being made.
 */
import {
  MAX_SCHEDULED,
  periodOf,
  scheduledName,
  YESTERDAY,
  type Every,
} from '../../../shared/model/snapshot-schedule.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { addSnapshot, dropSnapshot, hasSnapshot } from './snapshots.ts';
import { presentVolume } from './volumes.ts';

export interface SnapshotSchedule {
  readonly every: Every;
  readonly keep: number;
}

/** What was made just now, and what could not be made, with the reason. */
export interface ScheduledNow {
  readonly made: readonly string[];
  readonly failed: readonly string[];
}

interface ScheduleRow extends SnapshotSchedule {
  readonly volume: number;
  readonly volumeName: string;
  readonly period: WallTime | null;
}

const DAY_MS = 86_400_000;
const NOTHING: ScheduledNow = { made: [], failed: [] };

/** Throws GodwitError `no-such-volume`, `volume-removed`. */
export function listSchedules(database: Sqlite, volume: string): SnapshotSchedule[] {
  const sql = 'SELECT every, keep FROM snapshot_schedule WHERE volume = ? ORDER BY every';
  return database.prepare<[number], SnapshotSchedule>(sql).all(presentVolume(database, volume).id);
}

/**
 * Sets how many snapshots of a schedule are kept; null ends the schedule, and what it made stays. Throws GodwitError `no-such-volume`,
 * `volume-removed`, `usage`.
 */
export function setSchedule(
  database: Sqlite,
  volume: string,
  every: Every,
  keep: number | null,
): void {
  if (keep !== null && !(Number.isInteger(keep) && keep >= 1 && keep <= MAX_SCHEDULED)) {
    throw new GodwitError('usage', `${keep}: a schedule keeps 1 to ${MAX_SCHEDULED} snapshots`);
  }
  const set = database.transaction(() => {
    const { id } = presentVolume(database, volume);
    if (keep !== null) {
      const put =
        'INSERT INTO snapshot_schedule (volume, every, keep) VALUES (?, ?, ?)' +
        ' ON CONFLICT (volume, every) DO UPDATE SET keep = excluded.keep, period_ms = NULL';
      database.prepare(put).run(id, every, keep);
      return;
    }
    database.prepare('DELETE FROM snapshot_schedule WHERE volume = ? AND every = ?').run(id, every);
    // They are as any other from now on.
    database
      .prepare('DELETE FROM scheduled_snapshot WHERE volume = ? AND every = ?')
      .run(id, every);
    if (listSchedules(database, volume).length === 0) endYesterday(database, id);
  });
  set.immediate();
}

/** Makes what is due, removes what a schedule keeps no more, and gives the name `yesterday` anew on each day. A few reads where nothing is due. */
export function makeScheduled(database: Sqlite, now: WallTime): ScheduledNow {
  const rows = schedulesIn(database);
  const due = rows.filter(({ every, period }) => period !== periodOf(every, now));
  const volumes = new Set(rows.map(({ volume }) => volume));
  const today = periodOf('daily', now);
  const renamed = [...volumes].filter((volume) => {
    return yesterdaySince(database, volume) !== today && !isOwnYesterday(database, volume);
  });
  if (due.length === 0 && renamed.length === 0) return NOTHING;
  const made: string[] = [];
  const failed: string[] = [];
  for (const row of due) {
    const { result, name, why } = makeOne(database, row, now);
    if (result === 'made') made.push(`${row.volumeName}: ${name}`);
    if (result === 'failed') failed.push(`${name}: ${why}`);
  }
  for (const volume of renamed) nameYesterday(database, volume, today);
  for (const row of due) keepNewest(database, row);
  return { made, failed };
}

function schedulesIn(database: Sqlite): ScheduleRow[] {
  const sql =
    'SELECT s.volume, s.every, s.keep, s.period_ms AS period, volume.name AS volumeName' +
    ' FROM snapshot_schedule AS s JOIN volume ON volume.id = s.volume' +
    ' WHERE volume.removed_ms IS NULL ORDER BY s.volume, s.every';
  return database.prepare<[], ScheduleRow>(sql).all();
}

/** `there`: the period has one already, since the clock went back, or something else has its name. What fails is not tried again within the period. */
function makeOne(
  database: Sqlite,
  { volume, volumeName, every }: ScheduleRow,
  now: WallTime,
): { result: 'made' | 'there' | 'failed'; name: string; why: string } {
  const period = periodOf(every, now);
  const name = scheduledName(every, period);
  const looked = database.prepare(
    'UPDATE snapshot_schedule SET period_ms = ? WHERE volume = ? AND every = ?',
  );
  const make = database.transaction(() => {
    looked.run(period, volume, every);
    if (hasSnapshot(database, volume, name)) return { result: 'there', name, why: '' } as const;
    try {
      addSnapshot(database, { id: volume, name: volumeName }, name, now);
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
      return { result: 'failed', name, why: error.message } as const;
    }
    note(database, volume, name, every, period);
    return { result: 'made', name, why: '' } as const;
  });
  return make.immediate();
}

function note(database: Sqlite, volume: number, name: string, every: string, period: number): void {
  database
    .prepare('INSERT OR REPLACE INTO scheduled_snapshot VALUES (?, ?, ?, ?)')
    .run(volume, name, every, period);
}

/** The newest are those of the newest commits; of one commit, those of the latest periods. */
function keepNewest(database: Sqlite, { volume, every, keep }: ScheduleRow): void {
  const sql =
    'SELECT s.name FROM scheduled_snapshot AS s JOIN snapshot USING (volume, name)' +
    ' WHERE s.volume = ? AND s.every = ? ORDER BY snapshot.number DESC, s.period_ms DESC LIMIT -1 OFFSET ?';
  const names = database.prepare<[number, string, number], string>(sql).pluck();
  const drop = database.transaction(() => {
    for (const name of names.all(volume, every, keep)) dropSnapshot(database, volume, name);
  });
  drop.immediate();
}

function yesterdaySince(database: Sqlite, volume: number): number | undefined {
  return database
    .prepare<[number, string], number>(
      'SELECT period_ms FROM scheduled_snapshot WHERE volume = ? AND name = ?',
    )
    .pluck()
    .get(volume, YESTERDAY);
}

/** A person's own snapshot of that name stays. */
function isOwnYesterday(database: Sqlite, volume: number): boolean {
  return yesterdaySince(database, volume) === undefined && hasSnapshot(database, volume, YESTERDAY);
}

function nameYesterday(database: Sqlite, volume: number, today: WallTime): void {
  const newest =
    'SELECT snapshot.number, snapshot.epoch, snapshot.made_ms AS made' +
    ' FROM scheduled_snapshot AS s JOIN snapshot USING (volume, name)' +
    ' WHERE s.volume = ? AND s.name <> ? AND snapshot.made_ms >= ? AND snapshot.made_ms < ?' +
    ' ORDER BY snapshot.number DESC, snapshot.made_ms DESC LIMIT 1';
  const rename = database.transaction(() => {
    if (isOwnYesterday(database, volume)) return;
    endYesterday(database, volume);
    // A row without a snapshot says that this day was looked after.
    note(database, volume, YESTERDAY, YESTERDAY, today);
    const found = database
      .prepare<[number, string, number, number], { number: number; epoch: string; made: number }>(
        newest,
      )
      .get(volume, YESTERDAY, today - DAY_MS, today);
    if (found === undefined) return;
    const { number, epoch, made } = found;
    database
      .prepare('INSERT INTO snapshot (volume, name, number, epoch, made_ms) VALUES (?, ?, ?, ?, ?)')
      .run(volume, YESTERDAY, number, epoch, made);
  });
  rename.immediate();
}

/** Only the one that was named here. */
function endYesterday(database: Sqlite, volume: number): void {
  if (yesterdaySince(database, volume) !== undefined) dropSnapshot(database, volume, YESTERDAY);
}
