/** What few set and few ask: it is heard, and in the end all is as at first. */
import { expect, it } from '@jest/globals';
import { seconds } from '../../../../shared/model/time.ts';
import { DEFAULT_CONSISTENCY } from '../../../../shared/model/consistency.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { queueNow } from '../cluster/queue-now.ts';
import { Cluster } from '../cluster/cluster.ts';
import { wishes } from './wishes.ts';

const PLAIN = {
  ...{ laptop: 0, which: 1, depth: 1, act: 'cancel', of: 'data', metered: 'yes' },
  ...{ forAll: true, waitMs: 10 },
};

async function queued() {
  const cluster = await Cluster.start({ clients: 1 });
  await cluster.settled();
  const ada = cluster.clients[0] as ClientNode;
  ada.daemon.pause();
  await cluster.at(ada, async (files) => {
    await files.mkdir('/folder');
    for (const name of ['one', 'two', 'three']) await files.write(`/folder/${name}`, name);
    await files.write('/beside', 'four');
  });
  return { cluster, ada };
}

const statesOf = ({ daemon }: ClientNode): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { state } of queueNow(daemon, 99).entries) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
};

it('a cancelled folder has all its updates cancelled, no others, and is resumed', async () => {
  const { cluster, ada } = await queued();
  const end = await begun(cluster, wishes, { ...PLAIN, wish: 'order' });
  await cluster.pass(seconds(1));
  expect(statesOf(ada)).toMatchObject({ cancelled: 7 });
  expect(queueNow(ada.daemon, 99).entries).toHaveLength(9);
  await end();
  expect(statesOf(ada)).not.toHaveProperty('cancelled');
});

it.each([
  ['try again', { awayReads: 'try-again' }],
  ['each', { validations: 'each' }],
])('the setting %s lasts for a while', async (wish, settings) => {
  const { cluster, ada } = await queued();
  const end = await begun(cluster, wishes, { ...PLAIN, wish });
  await cluster.pass(seconds(1));
  expect(ada.daemon.inside.sharing.settings).toEqual({ ...DEFAULT_CONSISTENCY, ...settings });
  await end();
  await cluster.pass(seconds(1));
  expect(ada.daemon.inside.sharing.settings).toEqual(DEFAULT_CONSISTENCY);
});

it.each([
  [true, 'you said so', ['boat']],
  [false, 'you said so', ['boat', 'metered']],
])('a network has rules during the fault and none after it', async (forAll, why, names) => {
  const { cluster, ada } = await queued();
  const end = await begun(cluster, wishes, { ...PLAIN, wish: 'rule', forAll });
  await cluster.pass(seconds(1));
  expect(ada.daemon.inside.networks.policy).toMatchObject({ metered: true, why, budget: 5_000 });
  expect([...ada.daemon.inside.networks.rules.keys()]).toEqual(names);
  await end();
  await cluster.pass(seconds(1));
  expect(ada.daemon.inside.networks.rules.size).toBe(0);
  expect(ada.daemon.inside.networks.now).toBeNull();
});

it.each(['order gone', 'pages', 'no rule', 'wrong rule', 'spend', 'never', 'as it is', 'bounds'])(
  'the request %s is answered and ends no daemon',
  async (wish) => {
    const { cluster, ada } = await queued();
    const before = queueNow(ada.daemon, 99);
    await begun(cluster, wishes, { ...PLAIN, wish });
    await cluster.pass(seconds(30));
    expect(cluster.world.trace.recent(400).join('\n')).toContain(`ada ${wish}: told`);
    expect(queueNow(ada.daemon, 99).entries).toEqual(before.entries);
  },
);
