import { expect, it } from '@jest/globals';
import { Cluster } from '../cluster/cluster.ts';
import { noLeaks } from './no-leaks.ts';

it('the checker finds work that will never end, and nothing in a cluster at rest', async () => {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada] = cluster.clients;
  if (ada === undefined) throw new Error('two laptops');
  await cluster.at(ada, (files) => files.write('/doc', 'text'));
  await cluster.settled();
  const texts: string[] = [];
  const checker = noLeaks.make((text) => texts.push(text));
  await checker.atRest?.(cluster);
  expect(texts).toEqual([]);

  ada.daemon.inside.queue.renumberedInFlight(1 as never, 1 as never);
  ada.disk.write('/spool/incoming-9', new Uint8Array(1));
  cluster.server.inside.waitingUpdates += 1;
  cluster.server.inside.volumes
    .of(1 as never)
    .marks.put({ fid: '1.2.2' as never, device: 1, seq: 1 as never });
  await checker.atRest?.(cluster);
  expect(texts).toEqual([
    'ada keeps numbers that were renumbered on their way',
    'ada keeps /spool/incoming-9',
    'the server keeps updates under way',
    'the server keeps dirty marks',
  ]);
});

it('the checker does not report work that comes and goes at even intervals', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  await cluster.settled();
  const { inside } = cluster.server;
  const begin = cluster.world.time.now();
  // There whenever somebody looks each 5 seconds.
  const there = (): number => ((cluster.world.time.now() - begin) % 5_000 < 200 ? 1 : 0);
  Object.defineProperty(inside, 'waitingFetchCount', { get: there });
  const texts: string[] = [];
  await noLeaks.make((text) => texts.push(text)).atRest?.(cluster);
  expect(texts).toEqual([]);
});

it('the checker does not report a laptop that reads page after page of changes', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  await cluster.settled();
  const { server } = cluster;
  const [ada] = cluster.clients;
  if (ada === undefined) throw new Error('one laptop');
  // The server has answered, and the answer is on its way whenever somebody looks.
  Object.defineProperty(server, 'openCalls', { get: () => server.inside.calls.size + 1 });
  const texts: string[] = [];
  const checker = noLeaks.make((text) => texts.push(text));
  await checker.atRest?.(cluster);
  expect(texts).toEqual(['the server keeps open calls without a poll']);

  const { requests } = ada.daemon.inside;
  requests.goOn({ id: -1 } as never, { for: 'catch-up' } as never);
  texts.length = 0;
  await checker.atRest?.(cluster);
  expect(texts).not.toContain('the server keeps open calls without a poll');
});
