/** Others save while the disk of a laptop is full, so that it can acknowledge nothing. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes } from '../../shared/model/time.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { LEASE } from '../../server/limits.ts';

/** What a save may take beside that, as with any laptop that acknowledges nothing. */
const SAVE = 1000;

it.each(['folder', 'none'] as const)(
  'saves of others wait once for a laptop with a full disk (front end %s), and only as long as its lease',
  async (frontEnd) => {
    const cluster = await Cluster.start({ frontEnd });
    const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
    await cluster.at(ada, (files) => files.write('/doc', 'first'));
    await cluster.settled();
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('first');
    const room = bob.clientStore.troubles.add((method) =>
      method === 'commit' || method === 'record' ? new GodwitError('disk-full') : null,
    );
    // It has something to make durable, and can't.
    const writing = bob.files.write('/of bob', 'told when there is room');
    const codes = (): string[] => bob.status.errors.map(({ code }) => code);
    await cluster.until(() => codes().includes('disk-full'), 'his disk to be full');
    const took: number[] = [];
    for (let save = 0; save < 5; save++) {
      const begun = cluster.world.time.now();
      await cluster.at(ada, (files) => files.write('/doc', `save ${save}`));
      await cluster.until(() => ada.status.queues.data.updates === 0, 'the save', minutes(2));
      took.push(cluster.world.time.now() - begun);
      await cluster.pass(LEASE);
    }
    expect(took[0]).toBeLessThan(LEASE + SAVE);
    for (const later of took.slice(1)) expect(later).toBeLessThan(SAVE);
    room();
    await cluster.run(writing, 'the write of bob', minutes(2));
    await cluster.settled();
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('save 4');
    expect(await cluster.at(ada, (files) => files.read('/of bob'))).toBe('told when there is room');
  },
);
