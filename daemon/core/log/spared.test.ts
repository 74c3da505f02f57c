import { beforeEach, expect, it } from '@jest/globals';
import type { Mtime } from '../../../shared/model/vnode.ts';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';
import { sparedCounts } from './spared.ts';
import type { LoggedUpdate } from './update-log.ts';

let bench: ClientBench;
let ada: BenchClient;

beforeEach(async () => {
  bench = await ClientBench.start();
  ada = await bench.join();
});

const spared = (): Record<string, number[]> =>
  Object.fromEntries(
    sparedCounts(ada.client.inside.spared.values)
      .filter(({ updates }) => updates > 0)
      .map(({ by, updates, bytes }) => [by, [updates, bytes]]),
  );

async function away(): Promise<void> {
  ada.cutOff();
  await bench.pass(60_000);
}

it('a save that is overwritten before it was sent spares its bytes', async () => {
  const { fid } = await ada.write(ROOT, 'f', 'one');
  await bench.pass(100);
  expect(spared()).toEqual({});
  await away();
  await ada.store(fid, 'four');
  await ada.store(fid, 'three hundred');
  expect(spared()).toEqual({ overwritten: [1, 4] });
});

it('a file that is made and removed before anything of it was sent spares all of it', async () => {
  await ada.write(ROOT, 'kept', 'k');
  await bench.pass(100);
  await away();
  const { fid } = await ada.write(ROOT, 'passing', 'twelve bytes');
  await ada.do({ op: 'remove', place: { dir: ROOT, name: 'passing' }, options: {} });
  await bench.settle();
  expect(ada.client.inside.log.index.onVnode(fid)).toEqual([]);
  // Its making, its contents, its removal.
  expect(spared()).toEqual({ removed: [3, 12] });
});

it('two changes of attributes become one', async () => {
  const { fid } = await ada.write(ROOT, 'f', 'one');
  await bench.pass(100);
  await away();
  await ada.do({ op: 'setattr', fid, change: { mode: 0o600 } });
  await ada.do({ op: 'setattr', fid, change: { mtime: '5' as Mtime } });
  expect(spared()).toEqual({ merged: [1, 0] });
});

it('a save that was on its way is paid for when it is overwritten', async () => {
  const { fid } = await ada.write(ROOT, 'f', 'one');
  await bench.pass(100);
  const call = ada.call({ op: 'open', fid, how: { mode: 'write', truncate: true } });
  await bench.settle();
  const { handle, content } = (
    ada.answers.get(call) as { value: { handle: number; content: string } }
  ).value;
  ada.disk.set(content, 'on its way');
  ada.call({ op: 'close', handle: handle, changed: {} });
  ada.online = false;
  await bench.settle();
  const [sent] = ada.client.inside.log.index.onVnode(fid) as LoggedUpdate[];
  expect(sent?.state).not.toBe('queued');
  await ada.store(fid, 'later');
  expect(spared()).toEqual({});
});
