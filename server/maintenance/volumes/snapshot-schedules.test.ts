import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_SCHEDULED } from '../../../shared/model/snapshot-schedule.ts';
import { MAX_SNAPSHOTS } from '../../../shared/model/snapshots.ts';
import { wallTime, type WallTime } from '../../../shared/model/time.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { fidOf, FIRST, MetaScript, ROOT } from '../../../test/conformance/meta-script.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../../adapters/meta-sqlite/sqlite-meta-store.ts';
import { checkRows } from '../check/check-rows.ts';
import { endRemovedVolumes } from './removed-volumes.ts';
import { listSchedules, makeScheduled, setSchedule } from './snapshot-schedules.ts';
import { createSnapshot, listSnapshots, removeSnapshot } from './snapshots.ts';
import { removeVolume } from './volumes.ts';

let folder: string;
let file: string;
let store: SqliteMetaStore;
let script: MetaScript;
let database: Sqlite;
let files: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-schedules-'));
  file = join(folder, 'server.db');
  store = new SqliteMetaStore(file);
  await store.open(FIRST);
  script = await MetaScript.on(store);
  database = openServerDatabase(file);
  files = 1;
});
afterEach(async () => {
  await store.close();
  database.close();
  rmSync(folder, { recursive: true });
});

const at = (text: string): WallTime => wallTime(Date.parse(`${text}Z`));
const look = (text: string) => makeScheduled(database, at(text));
const names = (): string[] => listSnapshots(database, 'home').map(({ name }) => name);
const pointOf = (name: string) =>
  listSnapshots(database, 'home').find((each) => each.name === name)?.at;

/** One more commit. */
async function change(): Promise<void> {
  files += 1;
  await script.create(fidOf(files), ROOT, `f${files}`).flush();
}

describe('a schedule of snapshots', () => {
  it('makes one of each day at the first look on it, and keeps the newest', async () => {
    setSchedule(database, 'home', 'daily', 2);
    expect(look('2026-11-25T10:00')).toEqual({ made: ['home: daily-2026-11-25'], failed: [] });
    expect(look('2026-11-25T23:59')).toEqual({ made: [], failed: [] });
    await change();
    look('2026-11-26T00:00');
    await change();
    look('2026-11-27T00:00');
    expect(names()).toEqual(['daily-2026-11-26', 'yesterday', 'daily-2026-11-27']);
  });

  it.each([
    ['hourly', 'hourly-2026-11-27-16', '2026-11-27T17:00'],
    ['daily', 'daily-2026-11-27', '2026-11-28T00:00'],
    ['weekly', 'weekly-2026-11-23', '2026-11-30T00:00'],
  ] as const)(
    'names its %s snapshot by the beginning of the period in UTC: %s',
    (every, name, next) => {
      setSchedule(database, 'home', every, 5);
      expect(look('2026-11-27T16:59')).toEqual({ made: [`home: ${name}`], failed: [] });
      expect(makeScheduled(database, wallTime(at(next) - 1)).made).toEqual([]);
      expect(look(next).made).toHaveLength(1);
    },
  );

  it('makes once what was missed while the server was down', () => {
    setSchedule(database, 'home', 'hourly', 5);
    look('2026-11-27T10:30');
    const again = openServerDatabase(file);
    const { made } = makeScheduled(again, at('2026-11-27T17:10'));
    expect(made).toEqual(['home: hourly-2026-11-27-17']);
    expect(makeScheduled(again, at('2026-11-27T17:11')).made).toEqual([]);
    again.close();
    expect(names()).toEqual(['hourly-2026-11-27-10', 'hourly-2026-11-27-17']);
  });

  it('goes on when the clock was years ahead for a while, and makes no second one of a day', async () => {
    setSchedule(database, 'home', 'daily', 3);
    look('2026-11-27T10:00');
    look('2036-01-01T10:00');
    expect(look('2026-11-27T11:00').made).toEqual([]);
    await change();
    expect(look('2026-11-28T00:00').made).toEqual(['home: daily-2026-11-28']);
    await change();
    look('2026-11-29T00:00');
    await change();
    look('2026-11-30T00:00');
    expect(names()).toEqual([
      'daily-2026-11-28',
      'daily-2026-11-29',
      'yesterday',
      'daily-2026-11-30',
    ]);
  });

  it('leaves what it made when it ends, and removes nothing that it did not make', () => {
    createSnapshot(database, 'home', 'daily-2026-11-26', at('2026-11-20T00:00'));
    setSchedule(database, 'home', 'daily', 1);
    look('2026-11-26T00:00');
    look('2026-11-27T00:00');
    look('2026-11-28T00:00');
    expect(names()).toContain('daily-2026-11-26');
    setSchedule(database, 'home', 'daily', null);
    expect(listSchedules(database, 'home')).toEqual([]);
    expect(look('2026-11-29T00:00')).toEqual({ made: [], failed: [] });
    expect(names()).toEqual(['daily-2026-11-26', 'daily-2026-11-28']);
  });

  it('does not make again within its period what was removed', () => {
    setSchedule(database, 'home', 'daily', 2);
    look('2026-11-27T00:00');
    removeSnapshot(database, 'home', 'daily-2026-11-27');
    expect(look('2026-11-27T12:00').made).toEqual([]);
  });

  it('says why none is made where the volume has as many as it may', () => {
    for (let n = 0; n < MAX_SNAPSHOTS; n++)
      createSnapshot(database, 'home', `s${n}`, at('2026-11-27'));
    setSchedule(database, 'home', 'daily', 2);
    expect(look('2026-11-27T00:00').failed).toEqual([expect.stringContaining('400 snapshots')]);
    expect(look('2026-11-27T00:01').failed).toEqual([]);
  });

  it('is refused for a count that is none, and for a volume that is not there', () => {
    const usage = expect.objectContaining({ code: 'usage' });
    for (const keep of [0, -1, 1.5, MAX_SCHEDULED + 1]) {
      expect(() => setSchedule(database, 'home', 'daily', keep)).toThrow(usage);
    }
    expect(() => setSchedule(database, 'other', 'daily', 1)).toThrow(
      expect.objectContaining({ code: 'no-such-volume' }),
    );
  });

  it('ends with its volume', async () => {
    setSchedule(database, 'home', 'daily', 2);
    look('2026-11-27T00:00');
    removeVolume(database, 'home', at('2026-11-27T00:00'));
    expect(look('2026-11-28T00:00').made).toEqual([]);
    await endRemovedVolumes(database, at('2036-11-27T00:00'), () => Promise.resolve());
    expect(database.prepare('SELECT count(*) FROM snapshot_schedule').pluck().get()).toBe(0);
    expect(checkRows(database, file)).toBeGreaterThanOrEqual(0);
  });
});

describe('the snapshot yesterday', () => {
  it('is the newest one that a schedule made the day before', async () => {
    setSchedule(database, 'home', 'hourly', 40);
    look('2026-11-26T09:00');
    await change();
    look('2026-11-26T21:00');
    await change();
    look('2026-11-27T00:00');
    expect(pointOf('yesterday')).toBe(pointOf('hourly-2026-11-26-21'));
    await change();
    look('2026-11-27T08:00');
    expect(pointOf('yesterday')).toBe(pointOf('hourly-2026-11-26-21'));
  });

  it('outlives the snapshot that it names, and ends on a day after none was made', () => {
    setSchedule(database, 'home', 'daily', 1);
    look('2026-11-26T09:00');
    look('2026-11-27T00:00');
    look('2026-11-27T01:00');
    expect(names().sort()).toEqual(['daily-2026-11-27', 'yesterday']);
    look('2026-11-29T00:00');
    expect(names()).toEqual(['daily-2026-11-29']);
  });

  it('stays a person’s own snapshot of that name', () => {
    setSchedule(database, 'home', 'daily', 2);
    look('2026-11-26T09:00');
    const own = createSnapshot(database, 'home', 'yesterday', at('2026-11-26T10:00'));
    for (const day of [27, 28, 29]) look(`2026-11-${day}T00:00`);
    expect(listSnapshots(database, 'home')).toContainEqual(own);
  });
});
