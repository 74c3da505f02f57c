/** A server that is restored from a backup (rule I1): no local file is replaced by an older version, and nothing is lost. */
import { MOST_BROUGHT } from '../../server/limits.ts';
import { describe, expect, it } from '@jest/globals';
import { isOffering } from '../../daemon/core/log/offering.ts';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { Backup } from '../../app/lab/simulator/cluster/server-node.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

interface Restored {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
  readonly backup: Backup;
}

/** `/doc` and `/old` are in the backup. */
async function backedUp(options: Parameters<typeof Cluster.start>[0] = {}): Promise<Restored> {
  const cluster = await Cluster.start(options);
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.at(ada, (files) => files.write('/old', 'old'));
  await cluster.at(ada, (files) => files.mkdir('/dir'));
  await cluster.settled();
  return { cluster, ada, bob, backup: cluster.server.backUp() };
}

async function restore(cluster: Cluster, backup: Backup): Promise<void> {
  cluster.server.crash();
  cluster.server.restore(backup);
  await cluster.run(cluster.server.start(), 'the server to start');
  // By then every laptop has noticed that its connection is lost.
  await cluster.pass(minutes(1));
  const connected = (): boolean =>
    cluster.clients.every((each) => !each.running || each.status.connected);
  await cluster.until(connected, 'everybody to be connected', minutes(5));
}

const fidOf = (client: ClientNode, path: string) => client.replica.tree().get(path)?.status.fid;

describe('a server that was restored from a backup', () => {
  it('gets back what was stored, made, renamed and removed since, without conflict copies', async () => {
    const { cluster, ada, bob, backup } = await backedUp();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.at(bob, (files) => files.write('/dir/new', 'made since'));
    await cluster.at(bob, (files) => files.mkdir('/dir/deep'));
    await cluster.at(bob, (files) => files.rename('/dir/new', '/dir/deep/moved'));
    await cluster.at(ada, (files) => files.remove('/old'));
    await cluster.settled();
    const fid = fidOf(ada, '/dir/deep/moved');
    await restore(cluster, backup);
    expect(await agreed(cluster)).toEqual({
      '/dir': null,
      '/dir/deep': null,
      '/dir/deep/moved': 'made since',
      '/doc': 'second',
    });
    expect(fidOf(bob, '/dir/deep/moved')).toBe(fid);
    expect([ada, bob].map((each) => each.status.conflicts.length)).toEqual([0, 0]);
  });

  it('gets queued updates of a laptop after the versions which that laptop offers again', async () => {
    const { cluster, ada, backup } = await backedUp({ clients: 1 });
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.at(ada, (files) => files.write('/made', 'one'));
    await cluster.settled();
    cluster.server.crash();
    await cluster.at(ada, (files) => files.write('/doc', 'third'));
    await cluster.at(ada, (files) => files.write('/made', 'two'));
    cluster.server.restore(backup);
    await cluster.run(cluster.server.start(), 'the server to start');
    expect(await agreed(cluster)).toEqual({
      '/dir': null,
      '/doc': 'third',
      '/made': 'two',
      '/old': 'old',
    });
    expect(ada.status.conflicts.length).toBe(0);
  });

  it('does not get back a version that was changed again before the second laptop returned', async () => {
    const { cluster, ada, bob, backup } = await backedUp();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.at(ada, (files) => files.write('/made', 'one'));
    await cluster.at(ada, (files) => files.write('/gone', 'soon'));
    await cluster.settled();
    cluster.cut(bob);
    await cluster.pass(seconds(40));
    await restoreFor(cluster, ada, backup);
    await cluster.at(ada, (files) => files.write('/doc', 'third'));
    await cluster.at(ada, (files) => files.rename('/made', '/named'));
    await cluster.at(ada, (files) => files.remove('/gone'));
    await cluster.run(ada.daemon.flush(null), "ada's flush", minutes(2));
    cluster.heal(bob);
    expect(await agreed(cluster)).toEqual({
      '/dir': null,
      '/doc': 'third',
      '/named': 'one',
      '/old': 'old',
    });
    expect([ada, bob].map((each) => each.status.conflicts.length)).toEqual([0, 0]);
  });

  it('keeps both versions when two laptops changed a file differently', async () => {
    const { cluster, ada, bob, backup } = await backedUp();
    await cluster.at(bob, (files) => files.write('/doc', 'second'));
    await cluster.settled();
    cluster.cut(bob);
    await cluster.at(bob, (files) => files.write('/doc', "bob's third"));
    await cluster.pass(seconds(40));
    await restoreFor(cluster, ada, backup);
    await cluster.at(ada, (files) => files.write('/doc', "ada's third"));
    await cluster.run(ada.daemon.flush(null), "ada's flush", minutes(2));
    cluster.heal(bob);
    const shown = Object.values(await agreed(cluster));
    expect(shown).toContain("ada's third");
    expect(shown).toContain("bob's third");
  });

  it('gets back a file that one laptop removed and another changed', async () => {
    const { cluster, ada, bob, backup } = await backedUp();
    await cluster.at(bob, (files) => files.remove('/old'));
    await cluster.settled([bob]);
    cluster.cut(bob);
    cluster.server.crash();
    await cluster.pass(seconds(1));
    cluster.server.restore(backup);
    await cluster.at(ada, (files) => files.write('/old', 'not gone').catch(() => undefined));
    await cluster.run(cluster.server.start(), 'the server to start');
    await cluster.run(ada.daemon.flush(null), "ada's flush", minutes(2));
    cluster.heal(bob);
    expect(await agreed(cluster)).toMatchObject({ '/doc': 'first' });
  });

  it.each([
    ['there is room on that disk to give it back from', 'ENOSPC', 'disk-full'],
    ['that disk takes copies of it again', 'EIO', 'disk-failing'],
  ] as const)('gets a version that exists in a folder only, once %s', async (_, errno, code) => {
    const { cluster, ada, bob, backup } = await backedUp({ cacheBytes: 0 });
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.settled();
    cluster.takeOut(bob);
    const mended = ada.disk.troubles.add((call) => (call === 'write' ? errno : null));
    cluster.server.crash();
    cluster.server.restore(backup);
    await cluster.run(cluster.server.start(), 'the server to start');
    await cluster.until(() => codeOf(ada) === code, 'ada to tell of it', minutes(5));
    expect(cluster.shown(ada)).toMatchObject({ '/doc': 'second' });
    mended();
    await cluster.until(() => ada.status.connected, 'ada to connect', minutes(5));
    expect(await agreed(cluster)).toMatchObject({ '/doc': 'second' });
  });

  it('never serves a file of which only the name is known, not even as an empty one', async () => {
    const { cluster, ada, bob, backup } = await backedUp({ frontEnd: 'none' });
    await cluster.at(ada, (files) => files.write('/made', 'by ada'));
    await cluster.run(ada.daemon.flush(null), "ada's flush");
    await cluster.at(bob, (files) => files.walk());
    cluster.takeOut(ada);
    await restore(cluster, backup);
    const paths = await cluster.at(bob, (files) => files.walk());
    expect([...paths.keys()]).toEqual(['/dir', '/doc', '/old']);
    expect(bob.status.conflicts.length).toBe(1);
  });

  it('is refused by a laptop that knows more when no restore was announced', async () => {
    const { cluster, ada, bob, backup } = await backedUp();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.settled();
    cluster.server.crash();
    cluster.server.restore(backup, 'byHand');
    await cluster.run(cluster.server.start(), 'the server to start');
    await cluster.until(() => codeOf(ada) === 'server-behind', 'ada to be refused', minutes(5));
    await cluster.until(() => codeOf(bob) === 'server-behind', 'bob to be refused', minutes(5));
    await restore(cluster, backup);
    expect(await agreed(cluster)).toMatchObject({ '/doc': 'second' });
  });

  it('gets a folder once when two laptops offer it at the same time and one has renamed it', async () => {
    const { cluster, ada, bob, backup } = await backedUp();
    await cluster.at(ada, (files) => files.mkdir('/y'));
    await cluster.at(ada, (files) => files.write('/y/in', 'it'));
    await cluster.settled();
    cluster.cut(bob);
    await cluster.at(bob, (files) => files.rename('/y', '/x'));
    await cluster.at(bob, (files) => files.mkdir('/x/z'));
    await cluster.at(bob, (files) => files.rename('/x/in', '/x/moved'));
    // Ada has read the state of the server before bob offers anything, and offers the same after him.
    ada.daemon.pause();
    await restoreFor(cluster, ada, backup);
    cluster.heal(bob);
    await cluster.until(() => bob.status.connected, 'bob to be connected', minutes(5));
    await cluster.run(bob.daemon.flush(null), "bob's flush", minutes(2));
    ada.daemon.resume();
    expect(Object.keys(await agreed(cluster))).toEqual([
      ...['/dir', '/doc', '/old'],
      ...['/x', '/x/moved', '/x/z'],
    ]);
    expect([ada, bob].map((each) => each.status.conflicts.length)).toEqual([0, 0]);
  });

  it('gets back a store that its laptop had no answer for before it restarted', async () => {
    const { cluster, ada, bob, backup: first } = await backedUp({ frontEnd: 'none' });
    let backup = first;
    cluster.watch((heard) => {
      const isMade =
        heard.kind === 'committed' &&
        heard.writes.some((write) => write.kind === 'entry' && write.name === 'made');
      if (isMade) backup = cluster.server.backUp();
    });
    // Without a promise for it, the number of its own commit does not get into what it knows of the file.
    await cluster.at(ada, (files) => files.write('/made', 'newer'));
    await cluster.run(ada.daemon.flush(null), "ada's flush");
    ada.crash();
    await cluster.run(ada.start(), 'ada to start');
    await restore(cluster, backup);
    await cluster.run(ada.daemon.flush(null), "ada's flush");
    expect(await cluster.at(bob, (files) => files.read('/made'))).toBe('newer');
  });

  it('gets back a file in a folder that its laptop knows better than the parent folder', async () => {
    const cluster = await Cluster.start({ frontEnd: 'none' });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    await cluster.at(ada, (files) => files.mkdir('/dir'));
    await cluster.run(ada.daemon.flush(null), "ada's flush");
    const backup = cluster.server.backUp();
    await cluster.at(ada, (files) => files.write('/dir/made', 'by ada'));
    await cluster.run(ada.daemon.flush(null), "ada's flush");
    await restore(cluster, backup);
    await cluster.run(ada.daemon.flush(null), "ada's flush");
    expect(await cluster.at(bob, (files) => files.read('/dir/made'))).toBe('by ada');
  });

  it('gets back a file whose folder had not been shown to anybody yet', async () => {
    const { cluster, ada, bob, backup } = await backedUp({ frontEnd: 'none' });
    // The folder waits for bob, who has a promise for the root; what is made and stored in it does not.
    await cluster.at(bob, (files) => files.list('/'));
    cluster.cut(bob);
    await cluster.at(ada, (files) => files.mkdir('/new'));
    await cluster.at(ada, (files) => files.write('/new/doc', 'stored'));
    await cluster.pass(seconds(1));
    expect(ada.status.queues).toMatchObject({ metadata: { updates: 1 }, data: { updates: 0 } });
    cluster.heal(bob);
    await restore(cluster, backup);
    await cluster.run(ada.daemon.flush(null), "ada's flush");
    expect(await cluster.at(bob, (files) => files.read('/new/doc'))).toBe('stored');
  });

  it('gets an older lost version from a folder when the newest one exists nowhere', async () => {
    const { cluster, ada, bob, backup } = await backedUp();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.settled();
    // Bob's daemon hears of the third version, and its contents do not get to his folder.
    const { fid } = await cluster.at(bob, (files) => files.look('/doc'));
    // The contents are longer than those that come along with a change.
    await cluster.at(ada, (files) => files.write('/doc', 'third'.repeat(MOST_BROUGHT)));
    const third = (): boolean => bob.daemon.inside.names.attributes.get(fid)?.version === 3;
    await cluster.until(third, 'bob to hear of the third version');
    cluster.takeOut(ada);
    await restore(cluster, backup);
    expect(await agreed(cluster)).toMatchObject({ '/doc': 'second' });
    expect(bob.status.conflicts.length).toBe(1);
  });

  it('gets a folder once when two laptops offer it and its name is taken', async () => {
    const { cluster, ada, bob, backup } = await backedUp();
    await cluster.at(ada, (files) => files.mkdir('/y'));
    await cluster.settled();
    cluster.cut(bob);
    await cluster.at(bob, (files) => files.rename('/y', '/x'));
    await cluster.at(bob, (files) => files.mkdir('/y'));
    ada.daemon.pause();
    await restoreFor(cluster, ada, backup);
    cluster.heal(bob);
    await cluster.until(() => bob.status.connected, 'bob to be connected', minutes(5));
    await cluster.run(bob.daemon.flush(null), "bob's flush", minutes(2));
    ada.daemon.resume();
    expect(Object.keys(await agreed(cluster))).toEqual(['/dir', '/doc', '/old', '/x', '/y']);
    await cluster.at(ada, (files) => files.mkdir('/x/z'));
    expect(await agreed(cluster)).toMatchObject({ '/x/z': null });
  });

  it('leaves a read-only laptop with an empty queue and the same tree as all others', async () => {
    const { cluster, ada } = await backedUp();
    const reader = await cluster.join('read', 'guest');
    const backup = cluster.server.backUp();
    await cluster.at(ada, (files) => files.write('/dir/new', 'made since'));
    await cluster.at(ada, (files) => files.mkdir('/dir/deep'));
    await cluster.settled();
    await restore(cluster, backup);
    expect(await agreed(cluster)).toMatchObject({ '/dir/deep': null, '/dir/new': 'made since' });
    expect(reader.status.queues.metadata.updates).toBe(0);
  });

  it('is waited for until it has what was offered before its second restore', async () => {
    const { cluster, ada, backup } = await backedUp({ clients: 1 });
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.settled();
    const { inside } = ada.daemon;
    for (let restores = 0; restores < 2; restores++) {
      const epoch = inside.meta.get('epoch');
      cluster.server.crash();
      cluster.server.restore(backup);
      await cluster.run(cluster.server.start(), 'the server to start');
      const isNew = (): boolean => inside.meta.get('epoch') !== epoch;
      await cluster.until(isNew, 'ada to hear of it', minutes(5));
      expect(isOffering(inside, HOME)).toBe(true);
    }
    expect(await agreed(cluster)).toMatchObject({ '/doc': 'second' });
    expect(isOffering(inside, HOME)).toBe(false);
  });

  it('gets back a file that the folder has not shown yet although the laptop keeps no cache', async () => {
    const { cluster, ada, backup } = await backedUp({ clients: 1, cacheBytes: 0 });
    await cluster.at(ada, (files) => files.write('/made', 'by ada'));
    const isUnshown = (): boolean => ada.daemon.inside.queue.unshown.length > 0;
    await cluster.until(isUnshown, 'the store to be answered, and not shown');
    const {
      cache: { files },
      queue: { unshown },
    } = ada.daemon.inside;
    for (const { content } of unshown)
      expect(files.evictable(0, () => false)).not.toContain(content);
    await restore(cluster, backup);
    expect(await agreed(cluster)).toMatchObject({ '/made': 'by ada' });
  });

  it('keeps the newest version of a file when another laptop knows only an older one', async () => {
    const { cluster, ada, bob, backup } = await backedUp();
    await cluster.at(ada, (files) => files.write('/made', 'first'));
    await cluster.settled();
    cluster.cut(ada);
    await cluster.at(bob, (files) => files.write('/made', 'second'));
    await cluster.settled([bob]);
    await restoreFor(cluster, bob, backup);
    await cluster.run(bob.daemon.flush(null), "bob's flush", minutes(2));
    cluster.heal(ada);
    await cluster.until(() => ada.status.connected, 'ada to connect', minutes(5));
    const shown = await agreed(cluster);
    expect(shown['/made']).toBe('second');
  });

  it('can be restored again in the middle of the offers', async () => {
    const { cluster, ada, bob, backup } = await backedUp();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.at(bob, (files) => files.write('/made', 'by bob'));
    await cluster.settled();
    await restore(cluster, backup);
    await cluster.pass(seconds(31));
    await restore(cluster, cluster.server.backUp());
    expect(await agreed(cluster)).toEqual({
      '/dir': null,
      '/doc': 'second',
      '/made': 'by bob',
      '/old': 'old',
    });
  });
});

async function restoreFor(cluster: Cluster, client: ClientNode, backup: Backup): Promise<void> {
  cluster.server.crash();
  cluster.server.restore(backup);
  await cluster.run(cluster.server.start(), 'the server to start');
  await cluster.pass(minutes(1));
  await cluster.until(() => client.status.connected, `${client.name} to be connected`, minutes(5));
}

function codeOf(client: ClientNode): string | undefined {
  return client.status.errors[0]?.code;
}
