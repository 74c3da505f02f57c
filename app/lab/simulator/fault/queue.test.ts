import { expect, it } from '@jest/globals';
import { seconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { queueNow } from '../cluster/queue-now.ts';
import { Cluster } from '../cluster/cluster.ts';
import { queue } from './queue.ts';
import { logFails } from './store-trouble.ts';

const PLAIN = { which: 0, withDependents: true, delayMs: 30_000, limit: 1 };

async function queued() {
  const cluster = await Cluster.start({ clients: 1 });
  await cluster.settled();
  const ada = cluster.clients[0] as ClientNode;
  ada.daemon.pause();
  await cluster.at(ada, (files) => files.write('/doc', 'one'));
  return { cluster, ada };
}

it('a cancelled update is resumed at the end of the fault unless a crash lost it', async () => {
  const { cluster, ada } = await queued();
  const end = await begun(cluster, queue, { ...PLAIN, laptop: 0, order: 'cancel' });
  await cluster.pass(seconds(1));
  expect(queueNow(ada.daemon, 9).entries.map(({ state }) => state)).toEqual([
    'cancelled',
    'cancelled',
  ]);
  ada.crash();
  await end();
  expect(queueNow(ada.daemon, 9).entries.map(({ state }) => state)).not.toContain('cancelled');
});

it('a cancelled update is resumed in the next daemon when the first one dies', async () => {
  const { cluster, ada } = await queued();
  const end = await begun(cluster, queue, { ...PLAIN, laptop: 0, order: 'cancel' });
  await cluster.pass(seconds(1));
  await begun(cluster, logFails, { laptop: 0, method: 'commit', how: 'disk', times: 1 });
  await end();
  expect(queueNow(ada.daemon, 9).entries.map(({ state }) => state)).not.toContain('cancelled');
});

it('an update cancelled later is resumed, too', async () => {
  const { cluster, ada } = await queued();
  const end = await begun(cluster, queue, { ...PLAIN, laptop: 0, order: 'cancel' });
  await end();
  await cluster.pass(seconds(1));
  expect(queueNow(ada.daemon, 9).entries.map(({ state }) => state)).toEqual(['ready', 'waiting']);
});

it.each([
  ['delay', { delay: 30_000 }],
  ['logging', { policy: 'logging' }],
  ['limit', { dirtyLimit: 1 }],
])('the order %s lasts for a while', async (order, settings) => {
  const { cluster, ada } = await queued();
  const end = await begun(cluster, queue, { ...PLAIN, laptop: 0, order });
  await cluster.pass(seconds(1));
  expect(ada.daemon.inside.queue.settings).toMatchObject(settings);
  await end();
  expect(ada.daemon.inside.queue.settings).toEqual({ policy: 'async', delay: 0, dirtyLimit: null });
});
