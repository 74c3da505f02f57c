/** Disks that become full, fail or lose bits, and machines that lose power in the middle of a step: nothing acknowledged is lost, and everything recovers. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import { milliseconds, minutes, seconds } from '../../shared/model/time.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { agreed } from './agreed.ts';

interface Pair {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
}

async function pair(frontEnd: 'folder' | 'none' = 'folder'): Promise<Pair> {
  const cluster = await Cluster.start({ frontEnd });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  return { cluster, ada, bob };
}

const codes = (client: ClientNode): string[] => client.status.errors.map(({ code }) => code);

describe('a laptop whose disk can not be read for a while', () => {
  it('reports the file that it cannot send, sends all others, and sends that one later', async () => {
    const { cluster, ada } = await pair();
    cluster.cut(ada);
    await cluster.until(() => !ada.status.connected, 'ada to notice');
    await cluster.at(ada, (files) => files.write('/bad', 'unreadable'));
    const [bad] = ada.disk.list('/store/contents');
    const over = ada.disk.troubles.add((call, path) =>
      call === 'read' && path === bad ? 'EIO' : null,
    );
    await cluster.at(ada, (files) => files.write('/good', 'readable'));
    cluster.heal(ada);
    await cluster.until(() => codes(ada).includes('sync-blocked'), 'it to be shown');
    await cluster.pass(seconds(5));
    const bobs = cluster.shown(cluster.clients[1] as ClientNode);
    expect(bobs).toEqual({ '/good': 'readable' });
    over();
    await cluster.pass(minutes(1));
    expect(codes(ada)).toEqual([]);
    expect(await agreed(cluster)).toEqual({ '/bad': 'unreadable', '/good': 'readable' });
  });
});

describe('contents that rot before they are sent', () => {
  it('are never sent as if they were intact: they are reported, and other files do not wait', async () => {
    const { cluster, ada, bob } = await pair();
    cluster.cut(ada);
    await cluster.until(() => !ada.status.connected, 'ada to notice');
    await cluster.at(ada, (files) => files.write('/bad', 'as it was'));
    const [bad = ''] = ada.disk.list('/store/contents');
    ada.disk.rot(bad, 9);
    await cluster.at(ada, (files) => files.write('/good', 'readable'));
    cluster.heal(ada);
    await cluster.until(() => codes(ada).includes('sync-blocked'), 'it to be shown');
    await cluster.pass(seconds(5));
    expect(cluster.shown(bob)).toEqual({ '/good': 'readable' });
    ada.disk.rot(bad, 9);
    await cluster.pass(minutes(1));
    expect(await agreed(cluster)).toEqual({ '/bad': 'as it was', '/good': 'readable' });
  });

  it('leave no dirty mark on the server when a refusal renumbered their store on its way', async () => {
    const { cluster, ada, bob } = await pair();
    cluster.network.shape('ada', 'server', { bytesPerSecond: 50_000 });
    cluster.cut(ada);
    await cluster.until(() => !ada.status.connected, 'ada to notice');
    await cluster.at(bob, (files) => files.write('/doc', 'of bob'));
    const text = 'of ada '.repeat(5_000);
    await cluster.at(ada, (files) => files.write('/doc', text));
    const [bad = ''] = ada.disk.list('/store/contents');
    ada.disk.rot(bad, 9);
    cluster.heal(ada);
    await cluster.until(() => codes(ada).includes('sync-blocked'), 'it to be shown');
    ada.disk.rot(bad, 9);
    await cluster.pass(minutes(2));
    expect(new Set(Object.values(await agreed(cluster)))).toEqual(new Set([text, 'of bob']));
    expect([...ada.daemon.inside.queue.renumbered.keys()]).toEqual([]);
    expect(cluster.server.inside.volumes.limits.marks.owners()).toEqual([]);
  });

  it('are fetched again when they were only cached', async () => {
    const { cluster, ada, bob } = await pair('none');
    await cluster.at(ada, (files) => files.write('/doc', 'text'));
    await cluster.settled();
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('text');
    bob.crash();
    for (const path of bob.disk.list('/store/contents')) bob.disk.rot(path, 9);
    await cluster.restart(bob);
    await cluster.until(() => bob.status.connected, 'bob to be back');
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('text');
  });
});

describe('a server whose disk can not be read for a while', () => {
  it('keeps its contents and serves them when the disk works again', async () => {
    const { cluster, ada, bob } = await pair('none');
    await cluster.at(ada, (files) => files.write('/doc', 'first'));
    await cluster.settled();
    const over = cluster.server.disk.troubles.add((call, path) =>
      call === 'read' && path.startsWith('/data/contents') ? 'EIO' : null,
    );
    const reading = bob.files.read('/doc');
    await cluster.pass(seconds(5));
    over();
    expect(await cluster.run(reading, 'the read')).toBe('first');
  });
});

describe('a server that can not commit for a while', () => {
  it('keeps its readers waiting without an answer until it can commit', async () => {
    const { cluster, ada, bob } = await pair('none');
    for (let lateMs = 0; lateMs < 40; lateMs += 2) {
      const path = `/doc ${lateMs}`;
      await cluster.at(ada, (files) => files.write(path, 'first'));
      await cluster.settled();
      await cluster.at(bob, (files) => files.look(path));
      const over = cluster.server.metaStore.troubles.add((method) =>
        method === 'commit' ? new GodwitError('server-full') : null,
      );
      const writing = ada.files.write(path, 'second');
      await cluster.pass(milliseconds(lateMs));
      const reading = bob.files.read(path);
      await cluster.pass(seconds(1));
      over();
      await cluster.run(writing, 'the write');
      expect(['first', 'second']).toContain(await cluster.run(reading, 'the read'));
    }
  });
});

describe('contents that could not be sent', () => {
  it('are kept after their file was removed and come back when another laptop stores the file', async () => {
    const { cluster, ada, bob } = await pair();
    const over = cluster.server.disk.troubles.add((call, path) =>
      call === 'write' && path.startsWith('/data/spool') ? 'ENOSPC' : null,
    );
    await cluster.at(ada, (files) => files.write('/old', 'first'));
    await cluster.until(() => bob.status.connected, 'bob');
    await cluster.pass(seconds(2));
    await cluster.at(ada, (files) => files.remove('/old'));
    await cluster.at(bob, (files) => files.rename('/old', '/new'));
    await cluster.pass(seconds(2));
    await cluster.at(ada, (files) => files.write('/new', 'second'));
    await cluster.at(bob, (files) => files.remove('/new'));
    await cluster.pass(seconds(2));
    over();
    await cluster.pass(minutes(1));
    expect(Object.values(await agreed(cluster))).toContain('second');
  });
});

describe('a laptop whose disk is full', () => {
  it('can still close: unacknowledged changes are refused, and the rest is there later', async () => {
    const { cluster, ada } = await pair();
    await cluster.at(ada, (files) => files.write('/doc', 'text'));
    const room = ada.clientStore.troubles.add((method) =>
      method === 'commit' || method === 'record' ? new GodwitError('disk-full') : null,
    );
    const refused = expect(ada.files.write('/new', 'never told')).rejects.toMatchObject({
      code: 'not-running',
    });
    await cluster.until(() => codes(ada).includes('disk-full'), 'it to be shown');
    await cluster.run(ada.close(), 'ada to close', seconds(10));
    await refused;
    room();
    await cluster.run(ada.start());
    expect(await agreed(cluster)).toEqual({ '/doc': 'text' });
  });
});

describe('a laptop whose server stopped answering', () => {
  it('can still close when its front end waits for an answer', async () => {
    const { cluster, ada, bob } = await pair('none');
    await cluster.at(bob, (files) => files.write('/doc', 'text'));
    cluster.cut(ada);
    const asked = ada.files.read('/doc').catch(() => undefined);
    await cluster.pass(milliseconds(500));
    const { daemon } = ada;
    daemon.attach({
      volume: daemon.snapshot().volumes[0]?.id as VolumeId,
      unsettled: () => ({ paths: 0, commits: 0 }),
      waiting: () => [],
      scan: () => Promise.resolve(),
      reached: () => Promise.resolve(),
      close: () => asked.then(() => undefined),
    });
    await cluster.run(ada.close(), 'ada to close', seconds(10));
  });
});
