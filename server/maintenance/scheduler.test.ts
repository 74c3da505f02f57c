/** The scheduler of a server on a real data folder, with a clock and a disk of the test's. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { MemoryLog } from '../../app/lab/simulator/process/memory-log.ts';
import { World } from '../../app/lab/simulator/world.ts';
import { instant, wallTime } from '../../shared/model/time.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import type { Digest } from '../../shared/model/vnode.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import type { FreeDiskSpace } from '../../shared/system/free-disk.ts';
import { FIRST } from '../../test/conformance/meta-script.ts';
import { askForCollection, outcomeOf, rememberCollection } from './collect/collection-requests.ts';
import { PackedContentStore } from '../adapters/content-packs/content-packs.ts';
import { askForKept, keptTold, takeQuestion, type ReservedQuota } from './quota/quota-questions.ts';
import { openServerDatabase } from '../adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../adapters/meta-sqlite/sqlite-meta-store.ts';
import { dataFolder, lockMaintenance, type DataFolder } from '../data-folder.ts';
import { DiskReserve } from './disk-reserve.ts';
import { setSchedule } from './volumes/snapshot-schedules.ts';
import { listSnapshots } from './volumes/snapshots.ts';
import { MaintenanceScheduler } from './scheduler.ts';

const DAY_MS = 86_400_000;
const AMPLE: FreeDiskSpace = { free: 50e9, total: 100e9 };
const SHORT: FreeDiskSpace = { free: 0.9e9, total: 100e9 };

let folder: DataFolder;
let meta: SqliteMetaStore;
let contents: PackedContentStore;
let house: MaintenanceScheduler;
let room: FreeDiskSpace;
/** Of the clock and of the wall. */
let now: number;
let inUse: Digest[];
let kept: ReservedQuota[];
const log = new MemoryLog(new World(1), 'server');
const host = new NativeHost();
/** What waits for its time. */
const timers: Array<() => void> = [];
/** Timers of steps ring at once; the scheduler's own never, here: tests call `look`. */
let ringsAtOnce: boolean;

beforeEach(async () => {
  folder = dataFolder(mkdtempSync(join(tmpdir(), 'godwit-house-')));
  meta = new SqliteMetaStore(folder.database);
  await meta.open(FIRST);
  now = 100 * DAY_MS;
  log.lines.length = 0;
  timers.length = 0;
  [room, inUse, kept, ringsAtOnce] = [AMPLE, [], [], true];
  contents = await PackedContentStore.open(folder.path, { log, wall: () => now });
  house = open();
});
afterEach(async () => {
  await house.close();
  await contents.close();
  await meta.close();
  rmSync(folder.path, { recursive: true });
});

function open(): MaintenanceScheduler {
  return new MaintenanceScheduler({
    folder,
    database: openServerDatabase(folder.database),
    host,
    contents,
    inUse: () => inUse,
    kept: () => kept,
    clock: { now: () => instant(now), wall: () => wallTime(now) },
    timers: {
      start: (_delay, run) => {
        if (ringsAtOnce) setImmediate(run);
        else timers.push(run);
        return { cancel: () => undefined };
      },
    },
    log,
    reserve: new DiskReserve(folder.reserve, log),
    room: () => room,
  });
}

async function put(text: string): Promise<Digest> {
  const digest = digestOf(Buffer.from(text));
  const path = join(folder.path, 'spooled');
  writeFileSync(path, text);
  await contents.put(path, digest);
  return digest;
}

const collections = () =>
  log.lines
    .filter(({ message }) => message === 'contents were collected')
    .map((line) => line.fields);
const reasons = (): unknown[] => collections().map(({ reason }) => reason);

it('the scheduler makes the snapshots that are due, each with a line in the log', async () => {
  const asking = openServerDatabase(folder.database);
  setSchedule(asking, 'home', 'daily', 2);
  await house.look();
  await house.look();
  expect(listSnapshots(asking, 'home').map(({ name }) => name)).toEqual(['daily-1970-04-11']);
  const said = log.lines.filter(({ message }) => message === 'a snapshot was made');
  expect(said.map(({ fields }) => fields)).toEqual([{ snapshot: 'home: daily-1970-04-11' }]);
  asking.close();
});

it('the scheduler answers a question about reserved quota with the present state', async () => {
  const asking = openServerDatabase(folder.database);
  askForKept(asking, 'first');
  kept = [{ volume: 1 as VolumeId, uploads: 5, granted: 7 }];
  await house.look();
  expect(keptTold(asking, 'first')).toEqual(kept);
  expect(keptTold(asking, 'second')).toBeNull();
  await house.look();
  askForKept(asking, 'second');
  kept = [];
  expect(keptTold(asking, 'second')).toBeNull();
  await house.look();
  expect(keptTold(asking, 'second')).toEqual([]);
  expect(takeQuestion(asking)).toBeNull();
  asking.close();
});

describe('the scheduler without a request', () => {
  it('collects a day after the last collection, and a new server counts from its start', async () => {
    const digest = await put('nobody names it');
    await house.look();
    now += DAY_MS - 1;
    await house.look();
    expect(reasons()).toEqual([]);
    now += 1;
    await house.look();
    expect(reasons()).toEqual(['daily']);
    // It is younger than a week.
    expect(await contents.locate(digest)).not.toBeNull();
    for (let day = 0; day < 7; day++) {
      now += DAY_MS;
      await house.look();
    }
    expect(await contents.locate(digest)).toBeNull();
    expect(reasons()).toHaveLength(8);
  });

  it('continues its count after a restart', async () => {
    const database = openServerDatabase(folder.database);
    rememberCollection(database, now - DAY_MS);
    database.close();
    await house.look();
    expect(reasons()).toEqual(['daily']);
    await house.close();
    house = open();
    await house.look();
    expect(reasons()).toEqual(['daily']);
  });

  it('collects when disk space is short, logs that once, and does not repeat it all the time', async () => {
    const digest = await put('nobody names it');
    now += 8 * DAY_MS;
    room = SHORT;
    await house.look();
    await house.look();
    expect(reasons()).toEqual(['disk']);
    expect(collections()[0]).toMatchObject({ contents: 1, contentBytes: 15 });
    expect(await contents.locate(digest)).toBeNull();
    now += 600_000;
    await house.look();
    expect(reasons()).toEqual(['disk', 'disk']);
    const warnings = log.lines.filter(({ message }) => message === 'the disk runs short');
    expect(warnings.map(({ fields }) => fields)).toEqual([
      { folder: folder.path, free: SHORT.free, total: SHORT.total },
    ]);
  });

  it('keeps contents that stores under way name', async () => {
    const digest = await put('about to be committed');
    now += 8 * DAY_MS;
    inUse = [digest];
    room = SHORT;
    await house.look();
    expect(collections()[0]).toMatchObject({ contents: 0 });
    expect(await contents.locate(digest)).not.toBeNull();
  });

  it('waits while another task needs all contents', async () => {
    const backup = lockMaintenance(folder, host);
    room = SHORT;
    await house.look();
    expect(reasons()).toEqual([]);
    backup.release();
    now += 600_000;
    await house.look();
    expect(reasons()).toEqual(['disk']);
  });

  it('continues after a failed look and logs the reason', async () => {
    room = {
      ...AMPLE,
      get free(): number {
        throw new Error('no such disk');
      },
    };
    await house.look();
    expect(log.lines.at(-1)).toMatchObject({
      level: 'error',
      fields: { error: 'Error: no such disk' },
    });
    [room, now] = [SHORT, now + 600_000];
    await house.look();
    expect(reasons()).toEqual(['disk']);
  });
});

describe('the scheduler with a request of an administrator', () => {
  const ask = (days: number) => {
    const database = openServerDatabase(folder.database);
    askForCollection(database, { id: 'some id', days });
    return { database, outcome: () => outcomeOf(database, 'some id') };
  };

  it('collects and returns the outcome', async () => {
    await put('nobody names it');
    now += 5;
    const { database, outcome } = ask(0);
    await house.look();
    expect(outcome()).toMatchObject({ state: 'done', collected: { contents: 1 } });
    await house.look();
    expect(reasons()).toEqual(['asked']);
    database.close();
  });

  it('returns what prevented the collection', async () => {
    const backup = lockMaintenance(folder, host);
    const { database, outcome } = ask(0);
    await house.look();
    backup.release();
    expect(outcome()).toMatchObject({ state: 'failed', code: 'upkeep-running' });
    database.close();
  });

  it('ignores an invalid request that somebody else wrote', async () => {
    const { database, outcome } = ask(7);
    database.prepare("UPDATE meta SET value = 'no JSON' WHERE key = 'collection-request'").run();
    await house.look();
    expect([outcome(), reasons()]).toEqual([null, []]);
    database.close();
  });
});

it('a server that closes ends a collection under way', async () => {
  await put('nobody names it');
  now += 8 * DAY_MS;
  [room, ringsAtOnce] = [SHORT, false];
  house.start();
  for (const ring of timers.splice(0)) ring();
  while (timers.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const closing = house.close();
  for (const ring of timers.splice(0)) ring();
  await closing;
  expect(reasons()).toEqual([]);
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  ringsAtOnce = true;
  house = open();
});
