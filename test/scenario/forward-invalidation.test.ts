/** A laptop announces an update that it does not send yet, so that nobody takes the older version for the latest (rules S2, S4). */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { seconds } from '../../shared/model/time.ts';

interface Pair {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
  readonly doc: Fid;
}

/** Both fetch on demand; bob has read the file, and holds a promise for it. Ada is paused. */
async function paused(): Promise<Pair> {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const { fid: doc } = await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  await cluster.at(bob, (files) => files.read('/doc'));
  ada.daemon.pause();
  return { cluster, ada, bob, doc };
}

const marked = ({ cluster, bob, doc }: Pair): boolean =>
  cluster.server.inside.volumes.isDirtyFor(doc, bob.device ?? 0);

describe('an update in a paused queue', () => {
  it('ends the promises of others at once and is seen when it is sent', async () => {
    const pair = await paused();
    const { cluster, ada, bob, doc } = pair;
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.until(() => marked(pair), 'the server to know', seconds(2));
    await cluster.until(
      () => !bob.daemon.inside.sharing.promises.usable(doc),
      'the break',
      seconds(2),
    );
    ada.daemon.resume();
    await cluster.settled();
    expect(marked(pair)).toBe(false);
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('second');
    expect(bob.daemon.inside.sharing.promises.usable(doc)).toBe(true);
  });

  it.each(['ada', 'server'])('is remembered after a restart of %s', async (who) => {
    const pair = await paused();
    const { cluster, ada, bob, doc } = pair;
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.until(() => !bob.daemon.inside.sharing.promises.usable(doc), 'the break');
    await cluster.restart(who === 'ada' ? ada : cluster.server);
    await cluster.until(() => ada.status.connected && bob.status.connected, 'both to be back');
    await cluster.at(bob, (files) => files.look('/doc'));
    expect([marked(pair), bob.daemon.inside.sharing.promises.usable(doc)]).toEqual([true, false]);
    ada.daemon.resume();
    await cluster.settled();
    expect(cluster.server.inside.volumes.limits.marks.owners()).toEqual([]);
  });

  it('marks the folder of a changed name until all changes of names are committed', async () => {
    const { cluster, ada, bob } = await paused();
    const { marks } = cluster.server.inside.volumes.limits;
    await cluster.at(ada, async (files) => {
      await files.write('/new', 'text');
      await files.remove('/doc');
    });
    await cluster.until(() => marks.owners().length === 1, 'the server to know');
    expect(await cluster.at(bob, (files) => files.names('/'))).toEqual(['doc']);
    ada.daemon.resume();
    await cluster.settled();
    expect(await cluster.at(bob, (files) => files.names('/'))).toEqual(['new']);
    await cluster.until(() => marks.owners().length === 0, 'the marks to end', seconds(2));
  });
});

it('a client sends no forward invalidation when everything is sent at once', async () => {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada] = cluster.clients as [ClientNode];
  for (const name of ['/a', '/b']) await cluster.at(ada, (files) => files.write(name, 'text'));
  await cluster.settled();
  expect(ada.daemon.inside.log.hidden.nextNumber()).toBe(1);
});

it('an update loses its mark when it loses a conflict', async () => {
  const pair = await paused();
  const { cluster, ada, bob } = pair;
  await cluster.at(ada, (files) => files.write('/doc', 'of ada'));
  await cluster.until(() => marked(pair), 'the server to know');
  await cluster.at(bob, (files) => files.write('/doc', 'of bob'));
  await cluster.settled([bob]);
  ada.daemon.resume();
  await cluster.settled();
  expect(await cluster.at(bob, (files) => files.names('/'))).toHaveLength(2);
  await cluster.until(
    () => cluster.server.inside.volumes.limits.marks.owners().length === 0,
    'the end of marks',
  );
});
