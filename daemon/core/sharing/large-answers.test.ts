/** What an answer had no room for is asked for again: attributes may be large. */
import { beforeEach, expect, it } from '@jest/globals';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';
import { LARGE_XATTRS } from '../../../test/support/large-xattrs.ts';
import type { Fid } from '../../../shared/model/fid.ts';

const NAMES = ['u', 'v', 'w', 'x', 'y', 'z'];

let bench: ClientBench;
let a: BenchClient;
let b: BenchClient;
let fids: Fid[];

beforeEach(async () => {
  bench = await ClientBench.start();
  [a, b] = [await bench.join(), await bench.join()];
  fids = [];
  for (const name of NAMES) {
    const options = { mode: 0o644, xattrs: LARGE_XATTRS };
    fids.push((await a.do({ op: 'create', dir: ROOT, name, options })).fid);
  }
  await bench.settle();
});

it.each(['known before', 'not known'])(
  'a large answer about statuses that many callers wait for is split, %s',
  async (when) => {
    if (when === 'known before') {
      await b.list();
      b.cutOff();
      for (const fid of fids) await a.do({ op: 'setattr', fid, change: { mode: 0o600 } });
      await bench.pass(60_000);
    }
    b.crash();
    b.online = true;
    b.begin();
    const calls = fids.map((fid) => b.call({ op: 'getattr', fid }));
    await bench.pass(10_000);
    for (const [index, call] of calls.entries()) {
      expect(b.answers.get(call)).toMatchObject({ ok: true, value: { fid: fids[index] } });
    }
  },
);

it('a large answer about refused updates is split', async () => {
  for (const fid of fids) await a.store(fid, "a's", 0);
  await bench.settle();
  b.cutOff();
  for (const name of NAMES) {
    const options = { mode: 0o644, observed: true } as const;
    const { fid } = await b.do({ op: 'create', dir: ROOT, name, options });
    await b.store(fid, `b's ${name}`, 0);
  }
  b.online = true;
  await bench.pass(60_000);
  expect([...b.client.inside.log.all()]).toEqual([]);
  const names = await b.list();
  for (const name of NAMES) expect(names).toContain(name);
  expect(names.filter((name) => name.includes('conflict'))).toHaveLength(NAMES.length);
});
