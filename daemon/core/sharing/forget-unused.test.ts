/** Names and statuses that nothing holds are bounded, and their promises given up (rule N3). */
import { beforeEach, expect, it } from '@jest/globals';
import { ClientBench, ROOT, VOLUME, type BenchClient } from '../../../test/support/client-bench.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';
import type { Fid } from '../../../shared/model/fid.ts';

const MOST = 10;
/** The second device that was paired. */
const READER = 2;
const FOLDERS = Array.from({ length: 6 }, (_, nth) => `d${nth}`);

let bench: ClientBench;
let writer: BenchClient;
let reader: BenchClient;
let folders: Fid[];

/** Six folders of four files each. */
beforeEach(async () => {
  bench = await ClientBench.start();
  writer = await bench.join();
  reader = await bench.join({ mostStatuses: MOST });
  folders = [];
  for (const name of FOLDERS) {
    const { fid } = await writer.do({ op: 'mkdir', dir: ROOT, name, options: { mode: 0o755 } });
    folders.push(fid);
    for (let nth = 0; nth < 4; nth++) await writer.write(fid, `f${nth}`, `${name} ${nth}`);
  }
});

const list = (dir: Fid) => reader.do<unknown[]>({ op: 'readdir', dir });
const known = () => reader.client.inside.names;
const held = (): Set<unknown> =>
  new Set(bench.server.state.volumes.of(VOLUME).promises.ofHolder(READER));

it('walks over more than is kept are bounded, and whatever was forgotten is asked for anew', async () => {
  for (const dir of folders) expect(await list(dir)).toHaveLength(4);
  await bench.pass(60_000);
  expect(known().attributes.count).toBeLessThanOrEqual(MOST + 1);
  for (const dir of folders) expect(await list(dir)).toHaveLength(4);
});

it('the server holds no promise of what was forgotten', async () => {
  for (const dir of folders) await list(dir);
  // The rest of them goes along with the next sign of life.
  await bench.pass(60_000);
  const kept = new Set([...known().attributes.all()].map(({ fid }) => fid));
  expect([...held()].filter((key) => !kept.has(key as Fid))).toEqual([]);
});

it('contents that are here, and what has an update in the log, are not forgotten', async () => {
  const [first, second] = folders as [Fid, Fid];
  await list(first);
  const f0 = await reader.do<Attributes>({ op: 'lookup', dir: first, name: 'f0' });
  await reader.read(f0.fid);
  const f1 = await reader.do<Attributes>({ op: 'lookup', dir: second, name: 'f1' });
  reader.feed({ kind: 'pause' });
  await reader.do({ op: 'setattr', fid: f1.fid, change: { mode: 0o600 } });
  for (const dir of folders) await list(dir);
  await bench.pass(60_000);
  expect(known().attributes.get(f0.fid)).toBeDefined();
  expect(known().attributes.get(f1.fid)).toBeDefined();
  reader.feed({ kind: 'resume' });
  expect(await reader.do({ op: 'getattr', fid: f1.fid })).toMatchObject({ mode: 0o600 });
});

it('a status that was forgotten is not shown older by an answer that comes late', async () => {
  const [first] = folders as [Fid];
  const { fid } = await reader.do<Attributes>({ op: 'lookup', dir: first, name: 'f0' });
  const old = known().attributes.get(fid);
  await writer.do({ op: 'setattr', fid, change: { mode: 0o600 } });
  await reader.do({ op: 'getattr', fid });
  known().attributes.drop(fid);
  expect(old && known().attributes.learn(old)).toBe(false);
  expect(await reader.do({ op: 'getattr', fid })).toMatchObject({ mode: 0o600 });
});

it('a front end that follows the volume keeps all of it', async () => {
  const folder = await bench.join({ mostStatuses: MOST, frontEnd: 'folder' });
  for (const dir of folders) await folder.do({ op: 'readdir', dir });
  await bench.pass(60_000);
  expect(folder.client.inside.names.attributes.count).toBeGreaterThan(4 * FOLDERS.length);
});
