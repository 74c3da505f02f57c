import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Log } from '../../../shared/ports/log.ts';
import { openDatabase } from '../../../shared/sqlite/database.ts';
import { SealedRows } from '../../../shared/sqlite/sealed-rows.ts';
import { SILENT } from '../../../test/support/silent-log.ts';
import type { PauseEnds } from '../pause/pause-ends.ts';
import { CLIENT_MIGRATIONS, SqliteClientStore } from './client-store-sqlite.ts';

const WHEN = '2026-01-02T03:04:05.000Z';
const side = (vnode: number, letter: string) => ({
  ...{ kind: 'file', fid: `1.${vnode}.1`, version: 1, target: null },
  digest: letter.repeat(64),
});
const SIDES = { mine: side(2, 'a'), theirs: side(3, 'b') };
const END = { until: 1_700_000_000_000, forMs: 60_000, boot: 'boot', due: 5000 };
const LEAVES = { leaves: 'train' };
const FILES = {
  'conflicts.json': [{ id: 4, when: WHEN, volume: 'home', ...SIDES }],
  'pause.json': END,
  'pause-network.json': LEAVES,
};
const NAMES = Object.keys(FILES);

let dataDir: string;
let warned: string[];
/** Told of each sync of a folder: what was removed before is gone for good. */
let synced: () => void;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'godwit-side-files-'));
  warned = [];
  synced = () => undefined;
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const path = (name: string): string => join(dataDir, name);
const left = (): string[] => NAMES.filter((name) => existsSync(path(name)));

/** What a daemon of schema 9 has left, with two conflicts, of which one is in conflicts.json. */
function leave(files: Partial<Record<string, unknown>> = FILES): void {
  const migrations = path('migrations');
  mkdirSync(migrations);
  for (const name of readdirSync(CLIENT_MIGRATIONS).filter((each) => each < '0010')) {
    cpSync(join(CLIENT_MIGRATIONS, name), join(migrations, name));
  }
  const database = openDatabase(path('daemon.db'), migrations);
  const rows = new SealedRows(database);
  rows.sealTheRest();
  const conflict = { at: WHEN, volume: null, path: 'doc', copy: 'doc (2)', kind: 'contents' };
  rows.write(() => {
    for (const id of [4, 5]) rows.table('conflict').put({ id, ...conflict });
    const volume = { id: 7, name: 'home', root: '7.1.1', rights: 'write' };
    rows.table('volume').put({ ...volume, head: 1, caught_up: 1, blocks: '[]' });
    rows.table('meta').put({ key: 'paused', value: 'true' });
  });
  database.close();
  for (const [name, value] of Object.entries(files)) {
    writeFileSync(path(name), typeof value === 'string' ? value : JSON.stringify(value));
  }
}

interface Taken {
  readonly sides: readonly unknown[];
  readonly volumes: readonly unknown[];
  readonly time: unknown;
  readonly network: unknown;
}

/** A daemon starts, does something, and ends. */
async function start(then: (ends: PauseEnds) => void = () => undefined): Promise<Taken> {
  const log: Log = { ...SILENT, warn: (message) => void warned.push(message) };
  const host = { syncData: () => Promise.resolve(), syncDirectory: () => synced() };
  const store = SqliteClientStore.open(path('daemon.db'), host, null, { dataDir, host, log });
  const { conflict, meta } = await store.load();
  expect([store.damage(), meta.get('paused')]).toEqual([[], true]);
  const ends = store.pauseEnds(log);
  then(ends);
  const rows = [...conflict.values()];
  const taken = {
    sides: rows.map(({ sides }) => sides),
    volumes: rows.map(({ volume }) => volume),
    ...{ time: ends.byTime.load(), network: ends.byNetwork.load() },
  };
  await store.close();
  return taken;
}

const ALL: Taken = { sides: [SIDES, null], volumes: [7, null], time: END, network: LEAVES };

describe('side files of an older daemon', () => {
  it('are in rows after the first start, and the files are gone', async () => {
    leave();
    expect(await start()).toEqual(ALL);
    expect([left(), warned]).toEqual([[], []]);
    expect(await start()).toEqual(ALL);
  });

  it('may be missing: their rows are those of a new database', async () => {
    leave({ 'pause.json': END });
    const some = { ...ALL, sides: [null, null], volumes: [null, null], network: null };
    expect(await start()).toEqual(some);
    expect([left(), warned]).toEqual([[], []]);
  });

  it('counts for conflicts that are in the list, and were found at that moment', async () => {
    const later = { id: 4, when: '2026-01-02T03:04:06.000Z', volume: 'home', ...SIDES };
    leave({ 'conflicts.json': [later, { ...later, id: 9 }] });
    expect(await start()).toMatchObject({ sides: [null, null] });
  });

  it.each([
    ['conflicts.json', { sides: [null, null], volumes: [null, null] }],
    ['pause.json', { time: { until: 0, forMs: 0, boot: null, due: 0 } }],
    ['pause-network.json', { network: null }],
  ])('damaged, %s is set aside with one line, and the others count', async (name, lost) => {
    for (const text of ['{"half', '{"of":"another"}', '']) {
      leave({ ...FILES, [name]: text });
      expect(await start()).toEqual({ ...ALL, ...lost });
      expect(left()).toEqual([]);
      expect(readFileSync(path(`set-aside/1-${name}`), 'utf8')).toBe(text);
      expect(warned).toEqual([expect.stringContaining(`(it is set-aside/1-${name} now)`)]);
      expect(await start()).toEqual({ ...ALL, ...lost });
      for (const each of readdirSync(dataDir)) rmSync(path(each), { recursive: true });
      warned = [];
    }
  });

  it('are set aside also when one is a folder', async () => {
    leave();
    rmSync(path('pause.json'));
    mkdirSync(path('pause.json'));
    expect(await start()).toMatchObject({ time: { forMs: 0 }, network: LEAVES });
    expect(readdirSync(path('set-aside'))).toEqual(['1-pause.json']);
  });
});

describe('something else in the place of a side file', () => {
  it.each<[string, (at: string) => void]>([
    ['a pipe', (at) => void spawnSync('mkfifo', [at])],
    ['a link to a device', (at) => symlinkSync('/dev/zero', at)],
    ['a link to itself', (at) => symlinkSync(at, at)],
  ])('is set aside and never read when it is %s', async (_what, make) => {
    leave();
    rmSync(path('pause.json'));
    make(path('pause.json'));
    expect(await start()).toMatchObject({ time: { forMs: 0 }, network: LEAVES });
    expect(readdirSync(path('set-aside'))).toEqual(['1-pause.json']);
  });
});

describe('an end of the program in between', () => {
  it.each([1, 2, 3])(
    'after %s files were removed, loses nothing and does nothing twice',
    async (n) => {
      leave();
      let removed = 0;
      // What the disk has at that moment is what the next start finds.
      synced = () => {
        removed += 1;
        if (removed === n) cpSync(dataDir, `${dataDir}-then`, { recursive: true });
      };
      await start();
      rmSync(dataDir, { recursive: true });
      cpSync(`${dataDir}-then`, dataDir, { recursive: true });
      rmSync(`${dataDir}-then`, { recursive: true });
      expect(left()).toHaveLength(NAMES.length - n);
      expect(await start()).toEqual(ALL);
      expect([left(), warned]).toEqual([[], []]);
    },
  );

  it('a file that could not be removed never comes back over what was said since', async () => {
    leave();
    synced = () => {
      throw new Error('EIO');
    };
    await start((ends) => {
      ends.byTime.remove();
      ends.byNetwork.save({ leaves: 'home' });
    });
    expect(warned).toHaveLength(NAMES.length);
    for (const [name, value] of Object.entries(FILES)) {
      writeFileSync(path(name), JSON.stringify(value));
    }
    synced = () => undefined;
    expect(await start()).toEqual({ ...ALL, time: null, network: { leaves: 'home' } });
    expect(left()).toEqual([]);
  });
});
