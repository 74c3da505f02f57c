/**
 * The files that an older daemon has left beside its database, taken in by real processes of which each is killed at another disk call, or
 * meets a disk that fails there: the next one has all of it, once.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CLIENT_MIGRATIONS } from '../../daemon/adapters/store/client-store-sqlite.ts';
import { openDatabase } from '../../shared/sqlite/database.ts';
import { SealedRows } from '../../shared/sqlite/sealed-rows.ts';
import { buildDiskCalls, DiskCalls, type DiskFault } from '../support/disk-calls/disk-calls.ts';
import type { Classes } from '../support/disk-calls/labels.ts';

const PROGRAM = fileURLToPath(new URL('../support/take-in-program.ts', import.meta.url));
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
const ALL = { sides: [SIDES], time: END, network: LEAVES };

let folder: string;
let left: string;
let library: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-take-in-'));
  library = buildDiskCalls(folder);
  left = join(folder, 'left');
  mkdirSync(left);
  leave();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A data folder of schema 9. */
function leave(): void {
  const migrations = join(folder, 'migrations');
  mkdirSync(migrations);
  for (const name of readdirSync(CLIENT_MIGRATIONS).filter((each) => each < '0010')) {
    cpSync(join(CLIENT_MIGRATIONS, name), join(migrations, name));
  }
  const database = openDatabase(join(left, 'daemon.db'), migrations);
  const rows = new SealedRows(database);
  rows.sealTheRest();
  const about = { volume: 7, path: 'doc', copy: 'doc (2)', kind: 'contents' };
  rows.write(() => rows.table('conflict').put({ id: 4, at: WHEN, ...about }));
  database.close();
  for (const [name, value] of Object.entries(FILES)) {
    writeFileSync(join(left, name), JSON.stringify(value));
  }
}

interface Taken {
  readonly killed: boolean;
  readonly calls: DiskCalls;
  readonly data: string;
}

/** One process on a copy of what was left, which meets a fault. */
function takeIn(fault: DiskFault | null): Taken {
  const data = mkdtempSync(join(folder, 'data-'));
  cpSync(left, data, { recursive: true });
  const classes: Classes = [
    ['wal', `${data}/daemon.db-wal`],
    ['shm', `${data}/daemon.db-shm`],
    ['database', `${data}/daemon.db`],
    ['side', `${data}/*.json`],
    ['folder', data],
  ];
  const faults = fault === null ? [] : [fault];
  const calls = new DiskCalls(library, join(folder, 'table'), classes, faults);
  const { signal } = run(data, calls.env);
  return { killed: signal === 'SIGKILL', calls, data };
}

function run(data: string, env: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, [PROGRAM, data], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
}

it('wherever the process ends, or the disk fails, the next one has all of it and no file is left', () => {
  const { calls, data } = takeIn(null);
  expect(Object.keys(FILES).filter((name) => existsSync(join(data, name)))).toEqual([]);
  const counts = [...calls.counts()];
  // What must be met, so that calls which go around the library are missed here.
  const labels = counts.map(([label]) => label);
  expect(labels).toEqual(expect.arrayContaining(['sync wal', 'remove side', 'sync folder']));
  let kills = 0;
  for (const [label, count] of counts) {
    for (const kind of kindsOf(label)) {
      for (const from of spread(count)) {
        const { killed, data: then } = takeIn({ label, kind, from, times: 1 });
        kills += killed ? 1 : 0;
        const { stdout, stderr } = run(then);
        const told: unknown = stdout === '' ? stderr : JSON.parse(stdout);
        const found = { label, kind, from, told };
        expect(found).toEqual({ label, kind, from, told: ALL });
        expect(Object.keys(FILES).filter((name) => existsSync(join(then, name)))).toEqual([]);
        rmSync(then, { recursive: true });
      }
    }
  }
  expect(kills).toBeGreaterThan(10);
});

/** Of so many calls some from the first to the last. */
function spread(count: number): number[] {
  const most = 4;
  const calls = Array.from({ length: most }, (_, at) => 1 + Math.floor((at * (count - 1)) / 3));
  return count <= most ? calls.slice(0, count).map((_, at) => at + 1) : calls;
}

/** A kill after a call is one before the next. What happens to the room that processes share says nothing that lasts. */
function kindsOf(label: string): Array<DiskFault['kind']> {
  if (label.endsWith(' shm')) return [];
  if (label.startsWith('write')) return ['torn'];
  return label.startsWith('sync') || label === 'remove side' ? ['before', 'EIO'] : ['before'];
}
