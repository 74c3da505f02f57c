/** What can stay nowhere in a folder goes to its lost+found, and the status says so until a person has taken it out (rule C1). */
import { describe, expect, it } from '@jest/globals';
import { HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import { mountedLaptops, type MountedLaptop } from '../support/mounted-laptops.ts';

const ROOM = '.godwit/lost+found';

const listed = ({ node }: MountedLaptop): Array<readonly [path: string | null, message: string]> =>
  node.status.errors
    .filter(({ code }) => code === 'put-aside')
    .map(({ path, message }) => [path, message] as const);

describe('a file that is given up, and that the server never had', () => {
  it('is listed by number and place, over a restart, until it is taken out', async () => {
    const { cluster, ann, bob } = await mountedLaptops();
    ann.write('plan', 'the plan');
    await bob.until(() => bob.tree()['plan'] === 'the plan', 'to show the plan');
    cluster.server.metaStore.allow('bob', HOME, 'read');
    bob.write('one', "bob's");
    bob.write('two', "bob's too");
    await bob.until(() => bob.node.status.errors.length === 2, 'to list what is refused');
    expect(listed(bob)).toEqual([]);
    const target = { volume: 'home', path: [] };
    const order = { act: 'cancel', target, withDependents: true } as const;
    await cluster.run(bob.node.daemon.orderQueue(order));
    await bob.until(() => listed(bob).length === 1, 'to say where they are');
    const said = [[ROOM, '2 files could stay nowhere in the folder: unsynced, and kept there']];
    expect([listed(bob), bob.tree()]).toEqual([said, { plan: 'the plan' }]);
    await bob.flush();
    await cluster.restart(bob.node);
    await bob.until(() => listed(bob).length === 1, 'to say it still');
    expect(listed(bob)).toEqual(said);
    const [first = '', second = ''] = bob.calls.readdir(bob.path(ROOM));
    bob.rename(`${ROOM}/${first}`, first);
    bob.unlink(`${ROOM}/${second}`);
    await bob.until(() => listed(bob).length === 0, 'to say nothing more');
  });
});
