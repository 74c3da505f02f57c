/** A server whose disk is full: contents wait, people are notified, everything else continues. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { agreed } from './agreed.ts';

const codes = (client: ClientNode): string[] => client.status.errors.map(({ code }) => code);

describe('a server whose disk is full', () => {
  it('is reported while an update waits for it, and no longer once the update is accepted', async () => {
    const cluster = await Cluster.start({ frontEnd: 'folder' });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    await cluster.at(ada, (files) => files.write('/old', 'as it was'));
    await cluster.settled();
    const over = cluster.server.disk.troubles.add((call, path) =>
      call === 'sync' && path.startsWith('/data/spool') ? 'ENOSPC' : null,
    );
    await cluster.at(ada, (files) => files.write('/new', 'text'));
    await cluster.until(() => codes(ada).includes('server-full'), 'ada to be told');
    await cluster.at(ada, (files) => files.rename('/old', '/moved'));
    await cluster.pass(seconds(5));
    expect(cluster.shown(bob)).toMatchObject({ '/moved': 'as it was' });
    expect([codes(ada), codes(bob)]).toEqual([['server-full'], []]);
    over();
    await cluster.pass(minutes(1));
    expect(codes(ada)).toEqual([]);
    expect(await agreed(cluster)).toEqual({ '/moved': 'as it was', '/new': 'text' });
  });

  it('refuses the first hello of a laptop, and lets it in when there is room', async () => {
    const cluster = await Cluster.start({ clients: 1 });
    const over = cluster.server.metaStore.troubles.add((method) =>
      method === 'commit' ? new GodwitError('server-full') : null,
    );
    const bob = cluster.add();
    await cluster.run(bob.start(), 'bob to start');
    await cluster.until(() => codes(bob).length > 0, 'bob to be told', seconds(2));
    expect(codes(bob)).toEqual(['server-full']);
    expect(bob.status.connected).toBe(false);
    over();
    await cluster.until(() => bob.status.connected, 'bob to be let in', minutes(1));
    expect(codes(bob)).toEqual([]);
  });

  it('refuses no hello for the sake of begun parts of uploads', async () => {
    const cluster = await Cluster.start({
      clients: 1,
      partial: { minDelta: 1000, minResume: 1000 },
    });
    const [ada] = cluster.clients as [ClientNode];
    cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 25_000 });
    const writing = ada.files.write('/large', 'x'.repeat(100_000));
    await cluster.pass(seconds(2));
    cluster.cut(ada);
    void writing.catch(() => undefined);
    const { disk, metaStore, log } = cluster.server;
    const parts = (): number => disk.list('/data/streams').length;
    await cluster.until(() => parts() > 0, 'a part to be kept');
    const over = metaStore.troubles.add((method) =>
      method === 'commit' && parts() > 0 ? new GodwitError('server-full') : null,
    );
    const bob = cluster.add();
    await cluster.run(bob.start(), 'bob to start');
    await cluster.until(() => bob.status.connected || codes(bob).length > 0, 'an answer');
    expect([bob.status.connected, parts()]).toEqual([true, 0]);
    expect(log.lines.filter(({ message }) => message === 'a commit failed')).toEqual([]);
    over();
  });
});
