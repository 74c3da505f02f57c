import { expect, it } from '@jest/globals';
import { ClientBench, ROOT, VOLUME } from '../../../test/support/client-bench.ts';
import { minutes } from '../../../shared/model/time.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Event } from '../events.ts';

it('a client ends its marks also when it learns late of a failed message', async () => {
  const bench = await ClientBench.start();
  const [a, b] = [await bench.join(), await bench.join()];
  const { fid: dir } = await a.do({ op: 'mkdir', dir: ROOT, name: 'd', options: { mode: 0o755 } });
  // So nothing is a's own.
  await b.list();
  await b.list(dir);
  const { meta, state } = bench.server;
  const marked = (): unknown[] => state.volumes.marksOf(1).map(({ fid }) => fid);
  const late: Event[] = [];
  const feed = a.feed.bind(a);
  a.feed = (event) => {
    if (event.kind === 'reply' && !event.reply.ok) late.push(event);
    else feed(event);
  };
  const commit = meta.commit.bind(meta);
  meta.commit = () => {
    meta.commit = commit;
    return Promise.reject(new GodwitError('server-full', 'its disk is full'));
  };
  feed({ kind: 'pause' });
  await a.do({ op: 'create', dir: ROOT, name: 'x', options: { mode: 0o644 } });
  expect([late.length, marked()]).toEqual([1, []]);
  await a.do({ op: 'create', dir, name: 'y', options: { mode: 0o644 } });
  expect(marked()).toEqual([dir]);
  // Both are on their way, and nothing is hidden any more when all is told again.
  feed({ kind: 'resume' });
  late.forEach(feed);
  await bench.pass(minutes(1));
  expect(a.status().state).toBe('idle');
  expect(marked()).toEqual([]);
});

it('a client announces a hidden update of a vnode whose create is not answered yet', async () => {
  const bench = await ClientBench.start();
  const [a, b] = [await bench.join(), await bench.join()];
  await a.list();
  await b.list();
  const late: Event[] = [];
  const feed = a.feed.bind(a);
  a.feed = (event) => {
    const isOfBatch = event.kind === 'reply' && event.reply.ok && isApplied(event.reply.body);
    if (isOfBatch) late.push(event);
    else feed(event);
  };
  const { fid: x } = await a.do({ op: 'create', dir: ROOT, name: 'x', options: { mode: 0o644 } });
  const { fid: dir } = await a.do({ op: 'mkdir', dir: ROOT, name: 'd', options: { mode: 0o755 } });
  expect(late).toHaveLength(2);
  feed({ kind: 'pause' });
  await a.store(x, 'one');
  await a.do({ op: 'create', dir, name: 'y', options: { mode: 0o644 } });
  const { state } = bench.server;
  const marked = (): unknown[] => state.volumes.marksOf(1).map(({ fid }) => fid);
  expect(marked()).toEqual([]);
  // What b does makes a ask for the folder again.
  await b.do({ op: 'create', dir: ROOT, name: 'z', options: { mode: 0o644 } });
  expect(await a.list()).toEqual(['d', 'x', 'z']);
  expect(marked()).toEqual([dir, x]);
  a.feed = feed;
  late.forEach(feed);
  feed({ kind: 'resume' });
  await bench.pass(minutes(1));
  expect(marked()).toEqual([]);
});

it.each([
  ['at once', false],
  ['when it was announced before', true],
])('a client announces a save over quota, %s', async (_when, wasHidden) => {
  const bench = await ClientBench.start();
  const [a, b] = [await bench.join(), await bench.join()];
  const { fid } = await a.write(ROOT, 'x', 'one');
  await bench.settle();
  expect(await b.read(fid)).toBe('one');
  if (wasHidden) {
    a.feed({ kind: 'pause' });
    await a.store(fid, 'much more');
    await bench.settle();
  }
  await bench.server.limit(VOLUME, 3);
  if (wasHidden) a.feed({ kind: 'resume' });
  else await a.store(fid, 'much more');
  await bench.settle();
  expect(bench.server.state.volumes.marksOf(1)).toMatchObject([{ fid }]);
  expect(await b.do({ op: 'getattr', fid })).toMatchObject({ version: 1, behind: true });
  await bench.server.limit(VOLUME, null);
  await bench.pass(minutes(1));
  expect(await b.read(fid)).toBe('much more');
  expect(bench.server.state.volumes.marksOf(1)).toEqual([]);
});

function isApplied(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'results' in body;
}
