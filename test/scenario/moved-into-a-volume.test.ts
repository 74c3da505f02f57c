/** Many files that are moved at once from a folder into a volume that is mounted in it, and back. */
import { expect, it } from '@jest/globals';
import { mountedLaptops } from '../support/mounted-laptops.ts';

/** More than may be missing at once without a question. */
const MANY = 60;

it('many files that were moved across a mount point while the daemon was not running are no loss', async () => {
  const { cluster, ann, bob } = await mountedLaptops();
  await ann.mount('team');
  ann.mkdir('trip');
  for (let day = 0; day < MANY; day++) ann.write(`trip/day ${day}`, `${day}`);
  await ann.flush();
  await bob.until(() => Object.keys(bob.tree()).length === MANY + 2, 'to show all');
  for (const [from, to] of [
    ['trip', 'team/trip'],
    ['team/trip', 'back'],
  ] as const) {
    await bob.flush();
    await cluster.run(bob.node.close());
    bob.rename(from, to);
    await cluster.run(bob.node.start());
    const isThere = (path: string): boolean => path.startsWith(`${to}/day`);
    const count = (): number => Object.keys(ann.tree()).filter(isThere).length;
    await ann.until(() => count() === MANY, 'to show all there');
    await ann.until(() => !(`${from}/` in ann.tree()), 'to show them here no more');
    await bob.flush();
    expect([bob.machine.folder?.heldRemovals(), bob.tree()]).toEqual([0, ann.tree()]);
    expect([ann.errors(), bob.errors()]).toEqual([[], []]);
  }
});
