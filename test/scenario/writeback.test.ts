/** How updates are sent: with a delay, in order, or before a close returns; and what waits when too much is queued. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { queueNow } from '../../app/lab/simulator/cluster/queue-now.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { rootOf, type VolumeId } from '../../shared/model/fid.ts';
import type { WritebackChange } from '../../shared/model/writeback.ts';
import { agreed } from './agreed.ts';

async function pair(change: WritebackChange) {
  const cluster = await Cluster.start({ seed: 1 });
  await cluster.settled();
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.run(ada.daemon.writeback(change), 'the settings');
  const write = (path: string, text: string) => cluster.at(ada, (files) => files.write(path, text));
  return { cluster, ada, bob, write };
}

const DELAY = { delayMs: 30_000 };
const queued = (client: ClientNode) => client.status.queues.data.updates;

describe('a writeback delay', () => {
  it('sends a file once, when it was not written for that long', async () => {
    const { cluster, ada, bob, write } = await pair(DELAY);
    await write('/a', 'one');
    await cluster.pass(seconds(20));
    await write('/a', 'two');
    await cluster.pass(seconds(20));
    expect(queueNow(ada.daemon, 9).entries[0]).toMatchObject({ kind: 'store', state: 'delayed' });
    await cluster.pass(seconds(15));
    expect(queued(ada)).toBe(0);
    expect(cluster.shown(bob)).toEqual({ '/a': 'two' });
    expect((await cluster.at(bob, (files) => files.look('/a'))).version).toBe(1);
  });

  it('continues after a restart', async () => {
    const { cluster, ada, bob, write } = await pair(DELAY);
    await write('/a', 'one');
    await cluster.pass(seconds(20));
    await cluster.restart(ada);
    await cluster.pass(seconds(5));
    expect(queued(ada)).toBe(1);
    await cluster.pass(seconds(15));
    expect(cluster.shown(bob)).toEqual({ '/a': 'one' });
  });

  it('never sends a file that is removed meanwhile', async () => {
    const { cluster, ada, bob, write } = await pair(DELAY);
    await write('/a', 'one');
    await cluster.pass(seconds(10));
    await cluster.at(ada, (files) => files.remove('/a'));
    await cluster.pass(seconds(5));
    expect([queued(ada), ada.status.queues.metadata.updates]).toEqual([0, 0]);
    expect(cluster.shown(bob)).toEqual({});
  });

  it.each<[string, (client: ClientNode, cluster: Cluster) => Promise<unknown>]>([
    ['a flush', (ada, cluster) => cluster.run(ada.daemon.flush(null))],
    ['a shorter delay', (ada, cluster) => cluster.run(ada.daemon.writeback({ delayMs: 0 }))],
    [
      'an expedited update',
      (ada, cluster) =>
        cluster.run(
          ada.daemon.orderQueue({
            act: 'now',
            target: { number: queueNow(ada.daemon, 1).entries[0]?.number ?? 0 },
            withDependents: false,
          }),
        ),
    ],
  ])('does not apply to %s', async (_, ask) => {
    const { cluster, ada, bob, write } = await pair(DELAY);
    await write('/a', 'one');
    await cluster.pass(seconds(1));
    await ask(ada, cluster);
    await cluster.pass(seconds(5));
    expect(cluster.shown(bob)).toEqual({ '/a': 'one' });
  });
});

describe('the writeback policy sync', () => {
  it('ends a close when the server has the file', async () => {
    const { ada, write } = await pair({ policy: 'sync', ...DELAY });
    await write('/a', 'one');
    expect(queued(ada)).toBe(0);
  });

  it('makes an offline close report that the file is not committed, and loses nothing', async () => {
    const { cluster, ada, write } = await pair({ policy: 'sync' });
    await write('/a', 'one');
    cluster.cut(ada);
    await expect(write('/a', 'two')).rejects.toMatchObject({ code: 'not-committed' });
    ada.daemon.pause();
    await cluster.pass(seconds(1));
    await expect(write('/a', 'three')).rejects.toMatchObject({ code: 'not-committed' });
    ada.daemon.resume();
    cluster.heal(ada);
    expect(await agreed(cluster)).toEqual({ '/a': 'three' });
  });
});

it('the writeback policy logging commits everything in the order in which it was done', async () => {
  const { cluster, ada, write } = await pair({ policy: 'logging' });
  cluster.cut(ada);
  for (const name of ['a', 'b', 'c']) {
    await write(`/${name}`, name);
    await cluster.at(ada, (files) => files.mkdir(`/${name}.d`));
  }
  await cluster.restart(ada);
  cluster.heal(ada);
  await agreed(cluster);
  const history = await cluster.run(cluster.server.history());
  const own = history.filter(({ device }) => device === ada.device).map(({ seq }) => seq);
  expect(own).toEqual([...own].sort((one, other) => one - other));
  expect(own).toHaveLength(9);
});

describe('the dirty limit', () => {
  it('refuses new writes while too much is queued and nothing is sent', async () => {
    const { cluster, ada, write } = await pair({ dirtyLimit: 10 });
    cluster.cut(ada);
    await write('/a', 'more than ten');
    await expect(write('/b', 'b')).rejects.toMatchObject({ code: 'dirty-limit' });
    expect(ada.status.errors.map(({ code }) => code)).toContain('dirty-limit');
    cluster.heal(ada);
    await write('/b', 'b');
    expect(await agreed(cluster)).toEqual({ '/a': 'more than ten', '/b': 'b' });
    await cluster.pass(seconds(1));
    expect(ada.status.errors).toEqual([]);
  });

  it('refuses a new file that is to be written at once', async () => {
    const { cluster, ada, write } = await pair({ dirtyLimit: 10 });
    cluster.cut(ada);
    await write('/a', 'more than ten');
    const root = rootOf(1 as VolumeId);
    const made = cluster.run(
      ada.daemon.fileSystem.createOpen(root, 'b', { mode: 0o644 }),
      'the call to end',
    );
    await expect(made).rejects.toMatchObject({ code: 'dirty-limit' });
    expect(await cluster.at(ada, (files) => files.names('/'))).toEqual(['a']);
  });

  it('makes writes wait while the queue is being sent, and ends a delay', async () => {
    const { cluster, ada, write } = await pair({ dirtyLimit: 10, ...DELAY });
    for (const name of ['a', 'b', 'c']) await write(`/${name}`, 'more than ten');
    await cluster.pass(seconds(1));
    expect(queued(ada)).toBe(1);
    await cluster.pass(minutes(1));
    expect(Object.keys(await agreed(cluster))).toEqual(['/a', '/b', '/c']);
  });
});

it('writeback settings and network rules survive a restart', async () => {
  const { cluster, ada } = await pair({ policy: 'logging', delayMs: 1500, dirtyLimit: 7 });
  const rule = { budget: 5, trickle: 6, pause: true };
  await cluster.run(ada.daemon.ruleNetwork('train', rule));
  await cluster.restart(ada);
  expect(await cluster.run(ada.daemon.writeback({}))).toEqual({
    policy: 'logging',
    delay: 1500,
    dirtyLimit: 7,
  });
  expect(ada.daemon.networks().networks).toMatchObject([{ network: 'train', rule }]);
});
