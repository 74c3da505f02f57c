/** A file of two names loses against another laptop, while a folder still tells what was done to the names. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { agreed } from './agreed.ts';

/** Ada saved it without a line, bob was first, and ada's folder has not heard of the copy yet. */
async function lost() {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.write('/doc', 'first');
    await files.link('/doc', '/second');
  });
  await cluster.settled();
  cluster.cut(ada);
  await cluster.at(bob, (files) => files.write('/doc', "bob's"));
  await cluster.at(ada, (files) => files.write('/doc', "ada's"));
  const { fid, version: base } = await cluster.at(ada, (files) => files.look('/doc'));
  const places = await cluster.at(ada, async (files) => ({
    doc: await files.place('/doc'),
    second: await files.place('/second'),
  }));
  cluster.heal(ada);
  await cluster.until(() => ada.daemon.inside.names.aliases.has(fid), 'her save to be refused');
  const remove = (name: keyof typeof places, hasOtherNames: boolean): Promise<void> =>
    cluster.run(
      ada.daemon.fileSystem.remove(places[name], { observed: { fid, base }, hasOtherNames }),
    );
  return { cluster, remove };
}

it.each(['doc', 'second'] as const)(
  'the removal of one of two names keeps what was saved there (%s)',
  async (name) => {
    const { cluster, remove } = await lost();
    await remove(name, true);
    const shown = Object.values(await agreed(cluster));
    expect(shown).toContain("ada's");
    expect(shown).toContain("bob's");
  },
);

it('the removal of both names ends what was saved there and keeps that of others', async () => {
  const { cluster, remove } = await lost();
  await remove('second', true);
  await remove('doc', false);
  const shown = Object.values(await agreed(cluster));
  expect(shown).not.toContain("ada's");
  expect(shown).toContain("bob's");
});
