/**
 * What a laptop has made is committed and the feed has told it so, but the answer has not come: somebody who is away holds promises still.
 * Then the server is put back (rule I1). What is offered again is made once: whoever removes it is not given it back.
 */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

const OLD = 'the old contents '.repeat(2_400);

type Kind = 'file' | 'symlink' | 'directory';

function make(files: UserFiles, kind: Kind): Promise<{ readonly fid: Fid }> {
  if (kind === 'file') return files.write('/doc', 'new');
  return kind === 'symlink' ? files.symlink('/doc', 'target') : files.mkdir('/doc');
}

/** Bob has moved a large file aside, made something under its name, and offers both; ada sees the new one before the old is there. */
async function offered(kind: Kind): Promise<{ cluster: Cluster; ada: ClientNode }> {
  const cluster = await Cluster.start({ clients: 3 });
  const [ada, bob, cleo] = cluster.clients as [ClientNode, ClientNode, ClientNode];
  const { server } = cluster;
  const backup = server.backUp();
  cluster.cut(ada);
  await cluster.at(bob, (files) => files.write('/doc', OLD));
  await cluster.settled([bob, cleo]);
  cluster.cut(cleo);
  await cluster.at(bob, (files) => files.rename('/doc', '/doc~'));
  const { fid } = await cluster.at(bob, (files) => make(files, kind));
  await cluster.pass(seconds(5));
  const head = server.inside.volumes.find(bob.volume)?.head.committed;
  await cluster.until(() => bob.replica.applied === head, 'the feed to tell bob', seconds(5));
  expect(bob.status.queues.metadata.inFlight).toBe(2);
  cluster.takeOut(cleo);
  server.crash();
  server.restore(backup);
  cluster.network.shape('bob', 'server', { bytesPerSecond: 800 });
  await cluster.run(server.start(), 'the server to start');
  await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
  cluster.heal(ada);
  const hasIt = (): boolean => {
    const seen = ada.replica.vnodes.get(fid);
    return seen !== undefined && (kind !== 'file' || seen.bytes !== null);
  };
  await cluster.until(hasIt, 'ada to see it');
  expect(cluster.shown(ada)).not.toHaveProperty('/doc~');
  return { cluster, ada };
}

it.each(['symlink', 'directory'] as const)(
  'a %s that is removed after it was offered again stays removed',
  async (kind) => {
    const { cluster, ada } = await offered(kind);
    const isLink = kind === 'symlink';
    await cluster.at(ada, (files) => (isLink ? files.remove('/doc') : files.rmdir('/doc')));
    expect(Object.keys(await agreed(cluster))).toEqual(['/doc~']);
  },
);

it('a file that is removed after it was offered again comes back only with its contents', async () => {
  const { cluster, ada } = await offered('file');
  await cluster.at(ada, (files) => files.remove('/doc'));
  // The save was not answered either, and a save beats a removal (C3).
  expect(await agreed(cluster)).toEqual({ '/doc': 'new', '/doc~': OLD });
});

it('a file that one laptop offers and removes does not return with its maker', async () => {
  const cluster = await Cluster.start({ clients: 3 });
  const [ada, bob, cleo] = cluster.clients as [ClientNode, ClientNode, ClientNode];
  const { server } = cluster;
  const backup = server.backUp();
  cluster.cut(cleo);
  const { fid } = await cluster.at(bob, (files) => make(files, 'symlink'));
  await cluster.until(() => ada.replica.vnodes.has(fid), 'ada to see it');
  expect(bob.status.queues.metadata.inFlight).toBe(1);
  cluster.takeOut(cleo);
  cluster.cut(bob);
  server.crash();
  server.restore(backup);
  await cluster.run(server.start(), 'the server to start');
  await cluster.settled([ada]);
  await cluster.at(ada, (files) => files.remove('/doc'));
  await cluster.settled([ada]);
  cluster.heal(bob);
  expect(await agreed(cluster)).toEqual({});
});

it('a store into a file that is offered again goes along with it, so that no empty file remains', async () => {
  const cluster = await Cluster.start({ frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const { server } = cluster;
  await cluster.settled();
  // It is made, and neither answered nor stored yet, when another laptop gives it one name after the other.
  server.crashAtCommit({ when: 'after', fits: (rows) => rows.some((row) => row.kind === 'vnode') });
  await cluster.at(ada, (files) => files.write('/doc', 'new'));
  await cluster.until(() => !server.running, 'the server to die');
  ada.daemon.pause();
  await cluster.run(server.start(), 'the server to start');
  await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
  await cluster.at(bob, (files) => files.rename('/doc', '/doc 2'));
  await cluster.settled([bob]);
  const backup = server.backUp();
  await cluster.at(bob, (files) => files.rename('/doc 2', '/doc 3'));
  await cluster.settled([bob]);
  expect(await cluster.at(ada, (files) => files.names('/'))).toEqual(['doc', 'doc 3']);
  cluster.cut(bob);
  server.crash();
  server.restore(backup);
  await cluster.run(server.start(), 'the server to start');
  const logged = (): string[] => [...ada.daemon.inside.log.all()].map(({ update }) => update.op);
  await cluster.until(() => logged().length === 3, 'ada to offer what she knows', minutes(5));
  expect(logged()).toEqual(['rename', 'create', 'store']);
  cluster.heal(bob);
  await cluster.until(() => bob.status.connected, 'bob to connect', minutes(5));
  await cluster.settled([bob]);
  await cluster.at(bob, (files) => files.remove('/doc 3'));
  await cluster.settled([bob]);
  ada.daemon.resume();
  await cluster.settled();
  expect(await cluster.at(bob, (files) => files.names('/'))).toEqual(['doc']);
  expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('new');
});

/** Restores the server to its present state, while cleo is disconnected. */
async function putBack(cluster: Cluster, cleo: ClientNode): Promise<void> {
  const { server } = cluster;
  const backup = server.backUp();
  cluster.takeOut(cleo);
  server.crash();
  server.restore(backup);
  await cluster.run(server.start(), 'the server to start');
}

it('a conflict copy that the restored server has takes its place on the disk', async () => {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const cleo = await cluster.join('write', 'owner', { frontEnd: 'none' });
  await cluster.at(bob, (files) => files.write('/doc', 'old'));
  await cluster.settled();
  cluster.cut(ada);
  await cluster.at(bob, (files) => files.write('/doc', 'theirs'));
  await cluster.settled([bob, cleo]);
  await cluster.at(ada, (files) => files.write('/doc', 'mine'));
  await cluster.at(cleo, (files) => files.list('/'));
  cluster.heal(ada);
  const {
    conflict: { adjustments },
    log,
  } = ada.daemon.inside;
  await cluster.until(() => adjustments.size === 1, 'the conflict');
  // The making of the copy waits for cleo, who has a promise for the folder; what is stored in it does not.
  cluster.cut(cleo);
  await cluster.until(() => log.unanswered === 1, 'the copy to be stored', seconds(5));
  expect(ada.status.queues.metadata.updates).toBe(1);
  expect(adjustments.offered(ada.volume)).toEqual([]);
  await putBack(cluster, cleo);
  await cluster.until(() => adjustments.size === 0, 'the front end to have done it');
  expect(new Set(Object.values(await agreed(cluster)))).toEqual(new Set(['mine', 'theirs']));
});

it('a file that the restored server has is no longer pending for the front end', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  const [ada] = cluster.clients as [ClientNode];
  const cleo = await cluster.join('write', 'owner', { frontEnd: 'none' });
  await cluster.settled();
  await cluster.at(cleo, (files) => files.list('/'));
  cluster.cut(cleo);
  const committed = () => cluster.server.inside.volumes.find(ada.volume)?.head.committed ?? 0;
  const before = committed();
  const { fid } = await cluster.at(ada, (files) => files.symlink('/doc', 'target'));
  await cluster.until(() => committed() > before, 'the commit', seconds(5));
  const { feed } = ada.daemon;
  const told: boolean[] = [];
  feed.onWoken(() => told.push(feed.pendingVnode(fid)));
  expect(feed.pendingVnode(fid)).toBe(true);
  await putBack(cluster, cleo);
  await cluster.until(() => told.includes(false), 'the front end to be told');
});
