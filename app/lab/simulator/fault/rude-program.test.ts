import { expect, it } from '@jest/globals';
import { seconds } from '../../../../shared/model/time.ts';
import { begun } from '../../../../test/support/fault-target.ts';
import { Cluster } from '../cluster/cluster.ts';
import { rudeProgram } from './rude-program.ts';

it.each(['folder', 'none'] as const)(
  'a program with invalid calls gets error codes and leaves nothing behind (front end %s)',
  async (frontEnd) => {
    const cluster = await Cluster.start({ clients: 2, frontEnd });
    for (let seed = 1; seed <= 12; seed++) {
      await begun(cluster, rudeProgram, { laptop: seed % 2, seed });
      // A read of what has no contents yet waits for them for a while.
      await cluster.pass(seconds(10));
    }
    await cluster.settled();
    for (const client of cluster.clients) {
      expect(await cluster.at(client, (files) => files.names('/'))).toEqual([]);
      expect(client.daemon.snapshot().errors).toEqual([]);
    }
  },
);
