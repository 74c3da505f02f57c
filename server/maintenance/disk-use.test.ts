/** The sum of the kinds is what `du` says. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { DataFolderBench } from '../../test/support/data-folder-bench.ts';
import { serverDiskUse } from './administration.ts';

const HEADER = 64;
/** What is in no kind: six folders, three small files, and the end of the pack. */
const REST = 10 * 4096;

let bench: DataFolderBench;
beforeEach(async () => {
  bench = await DataFolderBench.open();
});
afterEach(() => bench.close());

const fileOf = (digest: string): string =>
  join(bench.folder.path, 'contents', digest.slice(0, 2), digest);
const du = (path: string): number =>
  Number(execFileSync('du', ['-s', '--block-size=1', path], { encoding: 'utf8' }).split('\t')[0]);

it("the disk use has an entry for each kind, and the sum equals du's", async () => {
  const { path } = bench.folder;
  const vnode = await bench.name(await bench.put(Buffer.alloc(5000, 'a')));
  await bench.name(await bench.put(Buffer.alloc(7000, 'b')), vnode);
  const large = await bench.save(Buffer.alloc(200_000, 'l'));
  await bench.put(Buffer.alloc(100, 'u'));
  const removed = await bench.put(Buffer.alloc(900, 'r'));
  await bench.store.remove(removed);
  for (const [folder, size] of Object.entries({ log: 20_000, streams: 50_000, quarantine: 9000 })) {
    mkdirSync(join(path, folder), { recursive: true });
    writeFileSync(join(path, folder, 'some'), Buffer.alloc(size, 'x'));
  }
  const use = await serverDiskUse(path);
  expect(use.live).toEqual({ count: 2, bytes: HEADER + 7000 + du(fileOf(large)) });
  expect(use.past).toEqual({ count: 1, bytes: HEADER + 5000 });
  expect(use.unreferenced).toEqual({ count: 1, bytes: HEADER + 100 });
  const [pack = ''] = readdirSync(join(path, 'packs'));
  const dead = du(join(path, 'packs', pack)) - (3 * HEADER + 5000 + 7000 + 100);
  expect(use.dead).toBe(dead);
  expect(dead).toBeGreaterThanOrEqual(2 * HEADER + 900);
  const of = (...names: string[]): number =>
    names.reduce((sum, name) => sum + du(join(path, name)), 0);
  const { logs, receiving, aside } = use;
  expect([logs, receiving, aside]).toEqual([of('log'), of('spool', 'streams'), of('quarantine')]);
  expect(use.metadata).toBeGreaterThan(100_000);
  const { live, past, unreferenced, total, free, volumes, ...others } = use;
  const kinds = [live, past, unreferenced].map(({ bytes }) => bytes);
  const sum = [...kinds, ...Object.values(others)].reduce((all, bytes) => all + bytes, 0);
  expect([sum, total]).toEqual([du(path), du(path)]);
  expect(use.rest).toBeGreaterThan(0);
  expect(use.rest).toBeLessThanOrEqual(REST);
  expect(free).toBeGreaterThan(0);
  expect(volumes).toHaveLength(1);
});

it('the disk use counts for volumes what their users see', async () => {
  const file = async (letter: string, vnode?: number): Promise<number> =>
    bench.name(await bench.put(Buffer.alloc(1, letter)), vnode);
  const first = await file('a');
  await file('b', first);
  await file('b');
  const { volumes } = await serverDiskUse(bench.folder.path);
  const kept = { pastBytes: 1, snapshotBytes: 0, snapshots: 0 };
  expect(volumes).toEqual([{ volume: 'home', files: 2, bytes: 2, ...kept }]);
});

it('the disk use is refused when there never was a server', async () => {
  const none = serverDiskUse(join(bench.root, 'none'));
  await expect(none).rejects.toMatchObject({ code: 'no-server' });
});
