import { describe, expect, it } from '@jest/globals';
import { milliseconds, seconds } from '../../../../shared/model/time.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { encodeReply } from '../../../../shared/wire/codec.ts';
import { Cluster, HOME } from '../cluster/cluster.ts';
import { HostilePeer } from './hostile-peer.ts';

interface Met {
  readonly cluster: Cluster;
  readonly peer: HostilePeer;
}

/** A cluster that one hostile machine has worked on for a while. */
async function met(seed: number, rights: 'none' | 'read' | 'write'): Promise<Met> {
  const cluster = await Cluster.start({ seed });
  const peer = new HostilePeer(cluster, {
    host: 'mallory',
    volume: HOME,
    invitation: rights === 'none' ? null : cluster.server.invite('mallory', HOME, rights),
    random: new SeededRandom(seed),
  });
  const [ada] = cluster.clients;
  if (ada === undefined) throw new Error('a laptop');
  await cluster.at(ada, (files) => files.mkdir('/folder'));
  await cluster.at(ada, (files) => files.write('/file', 'text'));
  peer.begin();
  await cluster.pass(seconds(60));
  peer.end();
  await cluster.settled();
  return { cluster, peer };
}

describe('a hostile machine', () => {
  it.each([
    [1, 'none'],
    [2, 'read'],
    [3, 'write'],
  ] as const)(
    'gets valid answers and stops nothing (seed %i, rights: %s)',
    async (seed, rights) => {
      const { cluster, peer } = await met(seed, rights);
      const refused = cluster.server.log.lines.filter(({ message }) => /refused/.test(message));
      expect(refused.length).toBeGreaterThan(3);
      expect(peer.device !== null).toBe(rights !== 'none');
      const [ada, bob] = cluster.clients.map((client) => cluster.shown(client));
      // Who may write may also link and rename what others made; it knows no base to end it with.
      expect(Object.values(ada ?? {})).toContain('text');
      if (rights !== 'write') expect(ada).toEqual({ '/folder': null, '/file': 'text' });
      expect(bob).toEqual(ada);
      expect(cluster.server.openCalls).toBeLessThan(10);
    },
  );

  it('changes nothing beyond its rights', async () => {
    const { cluster, peer } = await met(4, 'read');
    const history = await cluster.run(cluster.server.history(HOME));
    expect(history.filter(({ device }) => device === peer.device)).toEqual([]);
  });

  it('has one history for its seed', async () => {
    const digests = [await met(5, 'write'), await met(5, 'write')].map(({ cluster }) =>
      cluster.world.trace.digest(),
    );
    expect(digests[0]).toBe(digests[1]);
  });

  it('causes a finding when a stranger gets an answer', async () => {
    const cluster = await Cluster.start({ clients: 0 });
    const random = new SeededRandom(6);
    const peer = new HostilePeer(cluster, { host: 'eve', volume: HOME, invitation: null, random });
    peer.begin();
    await cluster.pass(milliseconds(900));
    peer.hear(1, encodeReply('GetTime', { wall: 1, heads: [] }));
    await expect(cluster.pass(seconds(1))).rejects.toThrow('eve hears');
  });
});
