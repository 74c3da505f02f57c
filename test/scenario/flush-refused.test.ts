/** A refused flush leaves no timer behind. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import { seconds } from '../../shared/model/time.ts';

it('a flush of an unknown volume with a time limit leaves no timer behind', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  await cluster.settled();
  const [ada] = cluster.clients;
  const asked = ada?.daemon.fileSystem.flush(999 as VolumeId, 100);
  await expect(cluster.run(asked ?? Promise.resolve())).rejects.toMatchObject({
    code: 'no-such-volume',
  });
  const before = cluster.world.trace.count;
  await cluster.pass(seconds(5));
  expect(cluster.world.trace.count - before).toBeLessThan(50);
});
