/** The server keeps the names of laptops: whoever renames one, all see the same. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { present } from '../../shared/util/assert.ts';
import { minutes, seconds } from '../../shared/model/time.ts';

async function pair(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.settled();
  return { cluster, ada, bob };
}

function atServer(cluster: Cluster, node: ClientNode): string | undefined {
  return cluster.server.metaStore.nameOf(present(node.device, 'it is paired'));
}

const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'renamed',
    (error: unknown) => String((error as { code?: string }).code),
  );

describe('the name of a laptop', () => {
  it('is that of the first when two ask for one at the same time', async () => {
    const { cluster, ada, bob } = await pair();
    const asked = [ada, bob].map((node) => outcome(node.daemon.renameDevice('study')));
    const told = await cluster.run(Promise.all(asked));
    expect([...told].sort()).toEqual(['device-name-taken', 'renamed']);
    await cluster.pass(seconds(1));
    const winner = told[0] === 'renamed' ? ada : bob;
    expect(atServer(cluster, winner)).toBe('study');
    expect(winner.status.device.name).toBe('study');
    const other = winner === ada ? bob : ada;
    expect(other.status.device.name).toBe(other.name);
  });

  it('is the one that the server has heard last, though the answer was lost', async () => {
    const { cluster, ada } = await pair();
    const renamed = outcome(ada.daemon.renameDevice('study'));
    cluster.cut(ada);
    await cluster.pass(seconds(1));
    cluster.heal(ada);
    expect(await cluster.run(renamed)).toBe('renamed');
    await cluster.settled();
    expect([ada.status.device.name, atServer(cluster, ada)]).toEqual(['study', 'study']);
  });

  it('is that of an administrator within a second, or when the laptop is back', async () => {
    const { cluster, ada, bob } = await pair();
    cluster.cut(bob);
    for (const node of [ada, bob]) {
      cluster.server.metaStore.rename(present(node.device, 'it is paired'), `${node.name}s own`);
    }
    await cluster.pass(seconds(2));
    expect(ada.status.device.name).toBe('adas own');
    expect(bob.status.device.name).toBe('bob');
    cluster.heal(bob);
    await cluster.pass(minutes(1));
    expect(bob.status.device.name).toBe('bobs own');
    expect(atServer(cluster, bob)).toBe('bobs own');
  });

  it('survives a restart of both sides', async () => {
    const { cluster, ada } = await pair();
    await cluster.run(ada.daemon.renameDevice('study'));
    await cluster.restart(ada);
    await cluster.settled();
    expect([ada.status.device.name, atServer(cluster, ada)]).toEqual(['study', 'study']);
  });
});
