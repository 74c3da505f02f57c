/**
 * The databases of real daemons, of which a row was altered while no daemon ran: it is said, by the doctor before the start and by the daemon
 * after it, nothing is lost that is on the disk, and nobody else is sent anything wrong.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from '@jest/globals';
import { treeOf, twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops(async (begun) => {
  const { a, b } = begun;
  mkdirSync(join(a.folder, 'd'));
  writeFileSync(join(a.folder, 'doc'), 'first\n');
  writeFileSync(join(a.folder, 'd', 'large'), 'x'.repeat(300_000));
  writeFileSync(join(a.folder, 'd', 'small'), 'small\n');
  await begun.flush(a, b);
});
const { a, b } = bench;

function alter(name: string, sql: string): void {
  const database = new Database(join(a.data, name));
  expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
  database.close();
}

const down = () => bench.json(['down', '--data', a.data]);
const up = () => bench.json(['up', '--data', a.data]);
const doctor = () => bench.godwit(['doctor', '--data', a.data]);
const saidAtA = async (): Promise<string[]> =>
  (await bench.status(a.data)).errors
    .filter(({ code }) => code === 'damaged-rows')
    .map(({ message }) => message);

/** The texts of the files in a folder. */
const texts = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('.godwit'))
    .flatMap((path) => {
      try {
        return [readFileSync(join(folder, path), 'utf8')];
      } catch {
        return [];
      }
    });

const CACHED: ReadonlyArray<readonly [string, string, string]> = [
  ['a size', 'daemon.db', "UPDATE status SET size = size + 1 WHERE kind = 'file'"],
  [
    'a name',
    'daemon.db',
    "INSERT OR REPLACE INTO entry (dir, name, fid) VALUES ('1.1.1', 'doc', '1.9.9')",
  ],
  ['a commit', 'daemon.db', 'UPDATE volume SET caught_up = caught_up + 1'],
  ['a record', 'folder.db', "UPDATE vnode SET version = version + 1 WHERE kind = 'file'"],
];

it.each(CACHED)('damage in %s is found and costs nothing', async (what, name, sql) => {
  // What is cached of it is of this run.
  writeFileSync(join(a.folder, 'doc'), `for ${what}\n`);
  await bench.flush(a, b);
  const before = treeOf(b);
  await down();
  alter(name, sql);
  const found = await doctor();
  expect(found.code).toBe(1);
  expect(found.stdout).toMatch(new RegExp(`^✗ +database .*${name} is damaged \\(`, 'm'));
  await up();
  expect(await saidAtA()).toHaveLength(1);
  expect((await doctor()).code).toBe(1);
  await bench.flush(a, b);
  expect(bench.differences()).toEqual([]);
  expect(treeOf(b)).toEqual(before);
  await down();
  await up();
  expect(await saidAtA()).toEqual([]);
  expect((await doctor()).code).toBe(0);
});

it('queued changes of an altered log are neither sent nor lost', async () => {
  await bench.endServer();
  writeFileSync(join(a.folder, 'doc'), 'saved away\n');
  writeFileSync(join(a.folder, 'new'), 'made away\n');
  renameSync(join(a.folder, 'd', 'small'), join(a.folder, 'moved'));
  await bench.json(['flush', '--data', a.data]).catch(() => undefined);
  await bench.until(a.data, ({ queues }) => queues.data.updates >= 2);
  await down();
  alter('daemon.db', `UPDATE update_log SET body = replace(body, '"op":"', '"op": "')`);
  expect((await doctor()).code).toBe(1);
  await up();
  expect(await saidAtA()).toEqual([expect.stringMatching(/update .*lost\+found/)]);
  await bench.serveAgain();
  await bench.flush(a, b);
  await bench.flush(a, b);
  expect(bench.differences()).toEqual([]);
  for (const text of [
    'for a record\n',
    'saved away\n',
    'made away\n',
    'small\n',
    'x'.repeat(300_000),
  ]) {
    expect(texts(b.folder)).toContain(text);
  }
  const lost = readdirSync(join(a.data, 'store', 'lost+found')).map((name) =>
    readFileSync(join(a.data, 'store', 'lost+found', name), 'utf8'),
  );
  expect(lost).toEqual(expect.arrayContaining(['saved away\n', 'made away\n']));
  expect(readdirSync(join(a.data, 'set-aside'))).toContain('1-daemon.db');
});

const VALUES: ReadonlyArray<readonly [string, string]> = [
  ['a number that is given out goes on where none was given', "= 'last-seq'"],
  ['what the server tells is asked for again', "IN ('device', 'user', 'protocol', 'lease-ms')"],
  ['what a start makes is made', "IN ('identity', 'run', 'run-place')"],
];

it.each(VALUES)('a daemon starts with an altered value: %s', async (what, keys) => {
  await down();
  alter('daemon.db', `UPDATE meta SET value = '"another"' WHERE key ${keys}`);
  expect((await doctor()).code).toBe(1);
  await up();
  expect(await saidAtA()).toEqual([expect.stringMatching(/daemon\.db was damaged \(meta /)]);
  writeFileSync(join(a.folder, 'doc'), `after ${what}\n`);
  writeFileSync(join(a.folder, what), 'new\n');
  await bench.flush(a, b);
  await bench.flush(b);
  expect(bench.differences()).toEqual([]);
  expect(texts(b.folder)).toContain(`after ${what}\n`);
});

it('a laptop that lost its incarnation asks to be paired again and can be', async () => {
  await down();
  alter('daemon.db', `UPDATE meta SET value = '"${'0'.repeat(32)}"' WHERE key = 'incarnation'`);
  const run = await bench.godwit(['up', '--data', a.data]);
  expect([run.code, run.stderr]).toEqual([expect.any(Number), expect.stringMatching(/invit/)]);
  expect(run.code).not.toBe(0);
  await bench.json(['up', '--data', a.data, '--invite', await bench.invite(bench.home)]);
  writeFileSync(join(a.folder, 'doc'), 'paired again\n');
  await bench.flush(a, b);
  expect(bench.differences()).toEqual([]);
  expect(texts(b.folder)).toContain('paired again\n');
});
