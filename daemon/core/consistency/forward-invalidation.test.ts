import { expect, it } from '@jest/globals';
import { ClientBench, ROOT } from '../../../test/support/client-bench.ts';
import { minutes } from '../../../shared/model/time.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Event } from '../events.ts';

it('ends what it told of after a message that failed, where it hears of that last', async () => {
  const bench = await ClientBench.start();
  const [a, b] = [await bench.join(), await bench.join()];
  const { fid: dir } = await a.do({ op: 'mkdir', dir: ROOT, name: 'd', options: { mode: 0o755 } });
  // So nothing is a's own.
  await b.list();
  await b.list(dir);
  const { meta, state } = bench.server;
  const marked = (): unknown[] => state.dirty.ofDevice(1).map(({ fid }) => fid);
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
