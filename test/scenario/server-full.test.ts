/** A server whose disk is full: contents wait, people are notified, everything else continues. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
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
});
