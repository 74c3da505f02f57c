/** Orders to the queue name a change by its path in one tree, also below a mount point (rule M2). */
import { describe, expect, it } from '@jest/globals';
import { queueNow } from '../../app/lab/simulator/cluster/queue-now.ts';
import type { QueueAct } from '../../shared/control/queue.ts';
import { seconds } from '../../shared/model/time.ts';
import {
  mountedLaptops,
  TEAM,
  teamOfBoth,
  type MountedLaptop,
} from '../support/mounted-laptops.ts';

const FROM_ROOT = 'home';

/** The world, and how bob orders. */
async function shared() {
  const world = await teamOfBoth();
  const { cluster, bob } = world;
  const order = (act: QueueAct, path: string) => {
    const target = { volume: FROM_ROOT, path: path.split('/') };
    return cluster.run(bob.node.daemon.orderQueue({ act, target, withDependents: true }));
  };
  return { ...world, order };
}

const waiting = ({ node }: MountedLaptop): string[] =>
  queueNow(node.daemon, 100).entries.map(({ volume, path, state }) => `${volume} ${path} ${state}`);

describe('an order to the queue', () => {
  it('reaches what waits below a mount point, named by its path in the folder', async () => {
    const { cluster, ann, bob, order } = await shared();
    cluster.cut(bob.node);
    bob.write('team/plan', "bob's plan");
    bob.write('own', 'beside it');
    await bob.until(() => waiting(bob).length === 3, 'to queue both');
    expect(await order('cancel', 'team/plan')).toMatchObject({ updates: 1 });
    expect(waiting(bob).filter((each) => each.endsWith('cancelled'))).toEqual([
      'home 2 plan cancelled',
    ]);
    expect(await order('now', 'team/plan')).toMatchObject({ updates: 1 });
    expect(await order('later', 'team')).toMatchObject({ updates: 1 });
    await expect(order('now', 'team/other')).rejects.toMatchObject({
      ...{ code: 'not-queued', message: '/team/other: no change of it waits' },
    });
    cluster.heal(bob.node);
    await bob.flush();
    await ann.until(() => ann.tree()['team/plan'] === "bob's plan", 'to have it');
  });

  it('says in which volume lies what it has given up', async () => {
    const { cluster, bob, order } = await shared();
    cluster.server.metaStore.allow('bob', TEAM, 'read');
    await cluster.pass(seconds(5));
    bob.write('team/plan', "bob's plan");
    await bob.until(() => bob.errors().length > 0, 'to list what is refused');
    expect(await order('cancel', 'team/plan')).toMatchObject({
      ...{ givenUp: ['plan'], laidAside: ['plan'], volume: 'home 2' },
    });
    await bob.until(() => bob.tree()['team/plan'] === 'the plan', 'to have the plan again');
  });

  it('reaches the mount point itself', async () => {
    const { cluster, ann, bob } = await mountedLaptops();
    cluster.cut(ann.node);
    await ann.mount('team');
    const target = { volume: FROM_ROOT, path: ['team'] };
    const order = { act: 'later', target, withDependents: false } as const;
    expect(await cluster.run(ann.node.daemon.orderQueue(order))).toMatchObject({ updates: 1 });
    cluster.heal(ann.node);
    await bob.until(() => 'team/' in bob.tree(), 'to show it');
  });
});
