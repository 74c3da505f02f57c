/** A conflict of two laptops, told to a third one that has none of the two sides: no folder shows the volume there. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { ConflictResolver } from '../../daemon/adapters/conflicts/conflict-resolver.ts';
import type { Disk } from '../../daemon/adapters/folder/disk/disk.ts';
import type { FoundConflict, SideToKeep } from '../../shared/control/resolution.ts';
import { milliseconds, seconds } from '../../shared/model/time.ts';
import { present } from '../../shared/util/assert.ts';

interface World {
  readonly cluster: Cluster;
  /** Ada has lost, bob has won, and cem hears of it when he is back. */
  readonly ada: ClientNode;
  readonly bob: ClientNode;
  readonly cem: ClientNode;
}

async function inConflict(bobs: (files: UserFiles) => Promise<unknown>): Promise<World> {
  const cluster = await Cluster.start({ seed: 1, clients: 3, frontEnd: 'none' });
  const [ada, bob, cem] = cluster.clients as [ClientNode, ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.mkdir('/d');
    await files.write('/d/doc', 'first');
  });
  await cluster.settled();
  for (const laptop of [bob, cem]) await cluster.at(laptop, (files) => files.names('/'));
  cluster.cut(cem);
  cluster.cut(ada);
  await cluster.at(ada, (files) => files.write('/d/doc', "ada's"));
  await cluster.at(bob, bobs);
  await cluster.settled([bob]);
  cluster.heal(ada);
  await cluster.settled([ada, bob]);
  return { cluster, ada, bob, cem };
}

const changed = (files: UserFiles): Promise<unknown> => files.write('/d/doc', "bob's");

function toldAt({ daemon }: ClientNode): FoundConflict {
  const [conflict] = daemon.inside.conflict.list.newest(1, () => undefined);
  expect(conflict).toMatchObject({ kind: 'elsewhere', path: 'd/doc' });
  return present(daemon.conflict(present(conflict, 'a conflict').id), 'the conflict');
}

/** What the process of a daemon has of it. */
function resolve(node: ClientNode, keep: SideToKeep): Promise<unknown> {
  const { daemon } = node;
  return new ConflictResolver({
    fileSystem: daemon.fileSystem,
    disk: {} as Disk,
    conflict: (id) => daemon.conflict(id),
    dismiss: (id) => daemon.dismissConflict(id),
    scan: () => daemon.scan(),
    folder: () => null,
  }).resolve(toldAt(node).id, keep);
}

const reads = async (files: UserFiles): Promise<string[]> => {
  const texts: string[] = [];
  for (const name of await files.names('/d')) texts.push(await files.read(`/d/${name}`));
  return texts;
};

it.each([
  ['mine', "bob's"],
  ['theirs', "ada's"],
] as const)('a laptop that has neither side keeps %s', async (keep, kept) => {
  const { cluster, ada, cem } = await inConflict(changed);
  cluster.heal(cem);
  await cluster.settled();
  await cluster.run(resolve(cem, keep));
  await cluster.settled();
  expect(await cluster.at(ada, reads)).toEqual([kept]);
});

it('a laptop that has neither side keeps mine after a safe save won', async () => {
  const { cluster, ada, cem } = await inConflict(async (files) => {
    await files.write('/d/doc.tmp', "bob's");
    await files.rename('/d/doc.tmp', '/d/doc');
  });
  cluster.heal(cem);
  await cluster.settled();
  await cluster.run(resolve(cem, 'theirs'));
  await cluster.settled();
  expect(await cluster.at(ada, reads)).toEqual(["ada's"]);
});

it('a laptop that went away and ended before the answer came still learns both sides', async () => {
  const { cluster, ada, cem } = await inConflict(changed);
  await untilTold(cluster, cem);
  expect(toldAt(cem).sides).toBeNull();
  cluster.cut(cem);
  await cluster.pass(seconds(5));
  await cluster.restart(cem);
  expect(toldAt(cem).sides).toBeNull();
  cluster.heal(cem);
  await cluster.settled();
  await cluster.restart(cem);
  expect(toldAt(cem).sides).toMatchObject({ theirs: { kind: 'file' } });
  await cluster.run(resolve(cem, 'theirs'));
  await cluster.settled();
  expect(await cluster.at(ada, reads)).toEqual(["ada's"]);
});

it.each([
  ['written', again, ["bob's again", "ada's"]],
  [
    'replaced',
    async (files: UserFiles) => {
      await files.write('/d/tmp', "bob's again");
      await files.rename('/d/tmp', '/d/doc');
    },
    ["bob's again", "ada's"],
  ],
  [
    'replaced by an older file',
    (files: UserFiles) => files.rename('/old', '/d/doc'),
    ['old', "ada's"],
  ],
] as const)(
  'a winner that was %s before the answer came is not taken for the side of the conflict',
  async (_how, again, left) => {
    const { cluster, bob, cem } = await inConflict(async (files) => {
      await files.write('/old', 'old');
      await changed(files);
    });
    await untilTold(cluster, cem);
    cluster.cut(cem);
    await cluster.at(bob, again);
    await cluster.settled([bob]);
    cluster.heal(cem);
    await cluster.settled();
    await expect(cluster.run(resolve(cem, 'theirs'))).rejects.toMatchObject({
      code: 'changed-since',
    });
    await cluster.settled();
    expect((await cluster.at(bob, reads)).sort()).toEqual([...left].sort());
  },
);

it('other changes in the folder do not keep the sides from being learnt', async () => {
  const { cluster, bob, cem } = await inConflict(changed);
  await untilTold(cluster, cem);
  cluster.cut(cem);
  await cluster.at(bob, (files) => files.write('/d/other', 'other'));
  await cluster.settled([bob]);
  cluster.heal(cem);
  await cluster.settled();
  await cluster.run(resolve(cem, 'mine'));
  await cluster.settled();
  expect((await cluster.at(bob, reads)).sort()).toEqual(["bob's", 'other']);
});

function again(files: UserFiles): Promise<unknown> {
  return files.write('/d/doc', "bob's again");
}

/** Lets the world go on until the step that records the conflict, and no further. */
async function untilTold(cluster: Cluster, cem: ClientNode): Promise<void> {
  cluster.heal(cem);
  const isTold = (): boolean => cem.daemon.inside.conflict.list.size > 0;
  for (let step = 0; step < 100_000 && !isTold(); step++) await cluster.pass(milliseconds(1));
  expect(isTold()).toBe(true);
}
