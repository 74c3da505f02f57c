import { expect, it } from '@jest/globals';
import { seconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { streamsFail } from './streams-fail.ts';

const SLOW = { packetBytes: 64, bytesPerSecond: 100_000 };
const CUTS = { laptop: 0, way: 'up', parts: 5, times: 4, dies: 'connection', noticed: 'both' };

it('a failing stream folder loses the part of an upload, and the contents still arrive', async () => {
  const cluster = await Cluster.start({ clients: 2, network: SLOW });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const trouble = { machine: -1, code: 'EIO', folder: 0, chance: 1, seed: 1 };
  const end = await begun(cluster, streamsFail, { ...CUTS, ...trouble });
  await cluster.at(ada, (files) => files.write('/doc', 'x'.repeat(5_000)));
  await cluster.pass(seconds(60));
  await end();
  await cluster.settled();
  const said = cluster.server.log.lines.map(({ message }) => message);
  expect(said).toContain('the begun part of an upload could not be kept');
  expect(cluster.shown(bob)).toEqual(cluster.shown(ada));
});
