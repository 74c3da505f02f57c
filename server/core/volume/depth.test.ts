/** How deep directories may lie: what is committed, what is staged and what is moved count alike, and one refusal is one update's. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import { create, mkdir, rename, ROOT } from '../../../test/support/core-updates.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { MetadataUpdate, UpdateResult } from '../../../shared/model/update.ts';
import { MAX_DEPTH, MEASURE_AGAIN } from '../../limits.ts';

let server: CoreServer;
let device: TestDevice;
let made: number;

beforeEach(async () => {
  server = await CoreServer.start();
  device = await server.join();
  made = 0;
});

const fresh = (): Fid => device.fid(made++);

/** Directories in one another, below `top`; from the first to the deepest. */
function chainOf(
  count: number,
  top: Fid,
  name: string,
): { fids: Fid[]; updates: MetadataUpdate[] } {
  const fids = Array.from({ length: count }, fresh);
  return { fids, updates: fids.map((fid, n) => mkdir(fid, name, fids[n - 1] ?? top)) };
}

async function makeChain(count: number, top: Fid = ROOT, name = 'd'): Promise<Fid[]> {
  const { fids, updates } = chainOf(count, top, name);
  for (let n = 0; n < updates.length; n += 256) {
    const results = await device.apply(...updates.slice(n, n + 256));
    expect(results.every(({ ok }) => ok)).toBe(true);
  }
  return fids;
}

const told = (results: readonly UpdateResult[]) =>
  results.map((each) => (each.ok ? 'ok' : each.refusal));
const last = (fids: readonly Fid[]): Fid => fids.at(-1) as Fid;
const into = (fid: Fid, name: string, toDir: Fid, fromDir: Fid = ROOT) =>
  rename(fid, name, 'in', { fromDir, toDir });

describe('a new directory', () => {
  it('is made at the depth limit and refused beyond it, and the rest of its batch goes on', async () => {
    const fids = await makeChain(MAX_DEPTH - 1);
    const [deepest, beyond, beside] = [fresh(), fresh(), fresh()];
    const results = await device.apply(
      mkdir(deepest, 'deepest', last(fids)),
      mkdir(beyond, 'beyond', deepest),
      create(beside, 'file', deepest),
      mkdir(fresh(), 'elsewhere'),
    );
    expect(told(results)).toEqual(['ok', 'too-deep', 'ok', 'ok']);
    expect(told(await device.apply(mkdir(fresh(), 'again', deepest)))).toEqual(['too-deep']);
  });

  it('is checked in the same way when its parents are not committed yet', async () => {
    const fids = await makeChain(MAX_DEPTH - 20);
    const mover = fresh();
    await device.applyOne(mkdir(mover, 'mover'));
    Object.assign(server.hold, { commits: true });
    const { updates, fids: staged } = chainOf(40, last(fids), 'd');
    const call = device.sendUpdates(
      [...updates, into(mover, 'mover', last(staged))].map((update) => ({ update })),
    );
    await server.settle();
    await server.release('commits');
    const { results } = (server.outcome(call) as { body: { results: UpdateResult[] } }).body;
    expect(told(results).filter((each) => each === 'ok')).toHaveLength(20);
    expect(told(results).slice(20)).toEqual([
      'too-deep',
      ...Array<string>(19).fill('no-such-vnode'),
      'no-such-vnode',
    ]);
  });
});

describe('a directory that is moved', () => {
  it('is refused beyond the depth limit and accepted at it', async () => {
    const fids = await makeChain(MAX_DEPTH);
    const mover = fresh();
    await device.applyOne(mkdir(mover, 'mover'));
    const [beyond, ok] = await device.apply(
      into(mover, 'mover', last(fids)),
      into(mover, 'mover', fids[MAX_DEPTH - 2] as Fid),
    );
    expect(told([beyond as UpdateResult, ok as UpdateResult])).toEqual(['too-deep', 'ok']);
  });

  it('counts with everything below it', async () => {
    const deep = await makeChain(MAX_DEPTH - 100);
    const tall = await makeChain(101, ROOT, 'tall');
    const refused = await device.apply(into(tall[0] as Fid, 'tall', last(deep)));
    expect(told(refused)).toEqual(['too-deep']);
    // One level less fits.
    const moved = into(tall[1] as Fid, 'tall', last(deep), tall[0]);
    expect(told(await device.apply(moved))).toEqual(['ok']);
    expect(told(await device.apply(mkdir(fresh(), 'x', last(tall))))).toEqual(['too-deep']);
  });

  it('counts with everything below it that is not committed yet', async () => {
    const deep = await makeChain(MAX_DEPTH - 20);
    const mover = fresh();
    await device.applyOne(mkdir(mover, 'mover'));
    const { updates } = chainOf(40, mover, 'tall');
    const items = [...updates, into(mover, 'mover', last(deep))].map((update) => ({
      update,
      seq: device.seq(),
    }));
    Object.assign(server.hold, { commits: true });
    const call = device.sendUpdates(items);
    await server.settle();
    await server.release('commits');
    // What is staged is not measured: it is asked for again, and what was made of the batch stays.
    expect(server.outcome(call)).toEqual({ code: 'try-again' });
    const again = device.sendUpdates(items);
    await server.settle();
    await server.release('commits');
    const { results } = (server.outcome(again) as { body: { results: UpdateResult[] } }).body;
    expect(told(results)).toEqual([...Array<string>(40).fill('ok'), 'too-deep']);
  });

  it('can go up and down any number of times', async () => {
    const [a, b, c] = [fresh(), fresh(), fresh()];
    await device.apply(mkdir(a, 'a'), mkdir(b, 'b', a), mkdir(c, 'c'));
    const down = rename(c, 'c', 'c', { toDir: b });
    const up = rename(c, 'c', 'c', { fromDir: b });
    for (let n = 0; n < MAX_DEPTH; n += 2) {
      expect(told(await device.apply(down))).toEqual(['ok']);
      expect(told(await device.apply(up))).toEqual(['ok']);
    }
  });

  it('can move among shallow directories while others are deep', async () => {
    await makeChain(MAX_DEPTH);
    const [a, b, c] = [fresh(), fresh(), fresh()];
    await device.apply(mkdir(a, 'a'), mkdir(b, 'b', a), mkdir(c, 'c'));
    expect(told(await device.apply(rename(c, 'c', 'c', { toDir: b })))).toEqual(['ok']);
    expect(MEASURE_AGAIN).toBeLessThan(MAX_DEPTH / 2);
  });

  it('is refused as a cycle when it would move into itself, however deep', async () => {
    const fids = await makeChain(MAX_DEPTH);
    const results = await device.apply(into(fids[0] as Fid, 'd', fids[3000] as Fid));
    expect(told(results)).toEqual(['cycle']);
  });
});
