/** Conflicts of which a place was moved or removed since: every laptop follows it, or says that nothing is there. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import type { ConflictStatus } from '../../shared/control/snapshot.ts';
import { present } from '../../shared/util/assert.ts';

interface World {
  readonly cluster: Cluster;
  /** She has lost: the copy is hers. */
  readonly ada: ClientNode;
  readonly bob: ClientNode;
  readonly copy: string;
}

const toldAt = ({ status }: ClientNode): ConflictStatus =>
  present(status.conflicts[0], 'a conflict');

async function inConflict(): Promise<World> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.mkdir('/d');
    await files.write('/d/doc', 'first');
  });
  await cluster.settled();
  cluster.cut(ada);
  await cluster.at(ada, (files) => files.write('/d/doc', "ada's"));
  await cluster.at(bob, (files) => files.write('/d/doc', "bob's"));
  await cluster.settled([bob]);
  cluster.heal(ada);
  await cluster.settled();
  const { copy } = toldAt(ada);
  for (const laptop of [ada, bob]) {
    expect(toldAt(laptop)).toMatchObject({ path: 'd/doc', copy });
    expect(toldAt(laptop).gone).toBeUndefined();
  }
  return { cluster, ada, bob, copy };
}

type Change = (files: UserFiles, copy: string) => Promise<unknown>;
interface Shown {
  readonly path?: string;
  readonly copy?: string;
  readonly gone?: readonly string[];
}

const CASES: ReadonlyArray<readonly [string, Change, { ada: Shown; bob: Shown }]> = [
  [
    'its author moved the copy',
    (files, copy) => files.rename(`/${copy}`, '/d/mine'),
    { ada: { gone: ['copy'] }, bob: { copy: 'd/mine' } },
  ],
  [
    'its author removed the winner',
    (files) => files.remove('/d/doc'),
    { ada: { gone: ['path'] }, bob: { gone: ['path'] } },
  ],
  [
    'its author moved the folder',
    (files) => files.rename('/d', '/e'),
    { ada: { path: 'e/doc' }, bob: { path: 'e/doc' } },
  ],
  [
    'its author removed the folder',
    async (files, copy) => {
      await files.remove('/d/doc');
      await files.remove(`/${copy}`);
      await files.rmdir('/d');
    },
    { ada: { gone: ['path', 'copy'] }, bob: {} },
  ],
];

it.each(CASES)('a conflict says what it has after %s', async (_what, change, shown) => {
  const { cluster, ada, bob, copy } = await inConflict();
  await cluster.at(ada, (files) => change(files, copy));
  await cluster.settled();
  const check = (): void => {
    expect(shownAt(ada)).toMatchObject(shown.ada);
    expect(shownAt(bob)).toMatchObject(shown.bob);
    for (const laptop of [ada, bob]) expect(untoldAt(laptop)).toEqual([]);
  };
  check();
  for (const laptop of [ada, bob]) await cluster.restart(laptop);
  await cluster.settled();
  check();
});

it.each(['keeps the winner', 'keeps the copy'])(
  'a conflict ends for who lost it when somebody else %s',
  async (which) => {
    const { cluster, ada, bob, copy } = await inConflict();
    await cluster.at(bob, async (files) => {
      if (which === 'keeps the winner') return files.remove(`/${copy}`);
      await files.remove('/d/doc');
      await files.rename(`/${copy}`, '/d/doc');
    });
    await cluster.settled();
    expect(ada.status.conflicts).toEqual([]);
    for (const laptop of [ada, bob]) await cluster.restart(laptop);
    await cluster.settled();
    expect(ada.status.conflicts).toEqual([]);
  },
);

it('a place that is there again is not called gone', async () => {
  const { cluster, ada } = await inConflict();
  await cluster.at(ada, (files) => files.rename('/d/doc', '/d/aside'));
  await cluster.settled();
  expect(toldAt(ada).gone).toEqual(['path']);
  await cluster.at(ada, (files) => files.rename('/d/aside', '/d/doc'));
  await cluster.settled();
  expect(toldAt(ada).gone).toBeUndefined();
});

/** A conflict may be over where nothing is left of it. */
const shownAt = ({ status }: ClientNode): Partial<ConflictStatus> => status.conflicts[0] ?? {};

/** The places that a conflict names as if something were there, and nothing is. */
function untoldAt(laptop: ClientNode): string[] {
  const tree = new Set([...laptop.replica.tree().keys()].map((path) => path.replace(/^\//, '')));
  return laptop.status.conflicts.flatMap(({ gone = [], ...conflict }) =>
    (['path', 'copy'] as const)
      .filter((place) => !gone.includes(place) && !tree.has(conflict[place]))
      .map((place) => conflict[place]),
  );
}
