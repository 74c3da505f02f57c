/** Conflicts resolved in a volume that no folder shows, with the production core and the adapter that does it. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { ConflictResolver } from '../../daemon/adapters/conflicts/conflict-resolver.ts';
import type { Disk } from '../../daemon/adapters/folder/disk/disk.ts';
import type { FoundConflict } from '../../shared/control/resolution.ts';
import type { ConflictStatus } from '../../shared/control/snapshot.ts';
import { minutes } from '../../shared/model/time.ts';
import type { FileSystem } from '../../shared/ports/file-system.ts';

/** What the process of a daemon has of it. */
function resolverOf(
  node: ClientNode,
  over: Partial<FileSystem> = {},
  conflict = (id: number): FoundConflict | null => node.daemon.conflict(id),
): ConflictResolver {
  const { daemon } = node;
  const fileSystem = new Proxy(daemon.fileSystem, {
    get: (target, name: keyof FileSystem) => over[name] ?? target[name].bind(target),
  });
  return new ConflictResolver({
    fileSystem,
    disk: {} as Disk,
    conflict,
    dismiss: (id) => daemon.dismissConflict(id),
    scan: () => daemon.scan(),
    folder: () => null,
  });
}

interface Met {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly conflict: ConflictStatus;
}

/** Both have changed it; ada, who has lost, was told. */
async function met(
  before: (files: UserFiles) => Promise<unknown>,
  adas: (files: UserFiles) => Promise<unknown>,
  bobs: (files: UserFiles) => Promise<unknown>,
  frontEnd: 'folder' | 'none' = 'none',
): Promise<Met> {
  const cluster = await Cluster.start({ seed: 1, frontEnd });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, before);
  await cluster.settled();
  await cluster.at(bob, (files) => files.names('/'));
  cluster.cut(ada);
  await cluster.at(ada, adas);
  await cluster.at(bob, bobs);
  await cluster.settled([bob]);
  cluster.heal(ada);
  await cluster.settled();
  const [conflict] = ada.daemon.inside.conflict.list.newest(1, () => undefined);
  return { cluster, ada, conflict: conflict as ConflictStatus };
}

/** The tree that all laptops read when nothing is left to send. */
async function agreed(cluster: Cluster): Promise<Record<string, string>> {
  await cluster.settled();
  const reads = async (files: UserFiles): Promise<Record<string, string>> => {
    const read: Record<string, string> = {};
    for (const name of await files.names('/')) read[`/${name}`] = await files.read(`/${name}`);
    return read;
  };
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const shown = await cluster.at(ada, reads);
  expect(await cluster.at(bob, reads)).toEqual(shown);
  return shown;
}

/** With the front end `folder` both follow the volume. */
const both = (frontEnd: 'folder' | 'none' = 'none'): Promise<Met> =>
  met(
    (files) => files.write('/doc', 'first'),
    (files) => files.write('/doc', "ada's"),
    (files) => files.write('/doc', "bob's"),
    frontEnd,
  );

it.each([
  ['mine', { '/doc': "ada's" }],
  ['theirs', { '/doc': "bob's" }],
] as const)('the side %s stays everywhere, and the conflict is forgotten', async (keep, shown) => {
  const { cluster, ada, conflict } = await both();
  const report = await cluster.run(resolverOf(ada).resolve(conflict.id, keep));
  const removed = keep === 'mine' ? 'doc' : conflict.copy;
  expect(report).toMatchObject({ keep, volume: 'home', path: 'doc', removed, note: null });
  expect(await agreed(cluster)).toEqual(shown);
  expect(ada.daemon.inside.conflict.list.size).toBe(0);
  await expect(cluster.run(resolverOf(ada).resolve(conflict.id, keep))).rejects.toMatchObject({
    code: 'not-found',
  });
});

it.each([
  ['mine', { '/doc': "bob's" }],
  ['theirs', { '/doc': "ada's" }],
] as const)(
  'the laptop that only heard of it keeps %s, as soon as the copy has its contents',
  async (keep, shown) => {
    const { cluster } = await both('folder');
    const [, bob] = cluster.clients as [ClientNode, ClientNode];
    const [heard] = bob.daemon.inside.conflict.list.newest(1, () => undefined);
    expect(heard).toMatchObject({ kind: 'elsewhere', path: 'doc' });
    const id = heard?.id ?? 0;
    expect(bob.daemon.conflict(id)?.sides?.mine.digest).not.toBeNull();
    await cluster.run(resolverOf(bob).resolve(id, keep));
    expect(await agreed(cluster)).toEqual(shown);
  },
);

describe.each(['mine', 'theirs'] as const)('laptops of which each keeps %s', (keep) => {
  it.each([0, 1])('remove one side only, also when laptop %i is heard first', async (first) => {
    const { cluster, ada, conflict } = await both('folder');
    const [, bob] = cluster.clients as [ClientNode, ClientNode];
    const [heard] = bob.daemon.inside.conflict.list.newest(1, () => undefined);
    for (const laptop of [ada, bob]) cluster.cut(laptop);
    await cluster.run(resolverOf(ada).resolve(conflict.id, keep));
    await cluster.run(resolverOf(bob).resolve(heard?.id ?? 0, keep));
    const [sooner, later] = first === 0 ? [ada, bob] : [bob, ada];
    cluster.heal(sooner);
    await cluster.settled([sooner]);
    cluster.heal(later);
    const chosen = (keep === 'mine') === (sooner === ada) ? "ada's" : "bob's";
    expect(Object.values(await agreed(cluster))).toEqual([chosen]);
  });
});

it('a conflict that is resolved offline and paused becomes an ordinary queued change', async () => {
  const { cluster, ada, conflict } = await both();
  ada.daemon.pause();
  cluster.cut(ada);
  await cluster.run(resolverOf(ada).resolve(conflict.id, 'mine'));
  expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe("ada's");
  cluster.heal(ada);
  ada.daemon.resume();
  expect(await agreed(cluster)).toEqual({ '/doc': "ada's" });
});

it.each(['mine', 'theirs'] as const)('the contents that %s replaced come back', async (keep) => {
  const { cluster, ada, conflict } = await both();
  const { removed } = await cluster.run(resolverOf(ada).resolve(conflict.id, keep));
  const path = (removed ?? '').split('/');
  const order = { path, version: null, at: null, to: null };
  await cluster.run(ada.daemon.past.restore('home', order));
  const shown = await agreed(cluster);
  expect(shown[`/${removed}`]).toBe(keep === 'mine' ? "bob's" : "ada's");
});

it('keeping both sides leaves both files', async () => {
  const { cluster, ada, conflict } = await both();
  await cluster.run(resolverOf(ada).resolve(conflict.id, 'both'));
  expect(Object.values(await agreed(cluster)).sort()).toEqual(["ada's", "bob's"]);
  expect(ada.daemon.inside.conflict.list.size).toBe(0);
});

it.each(['mine', 'theirs'] as const)(
  'a write between the check and the removal is kept, when %s is to stay',
  async (keep) => {
    const { cluster, ada, conflict } = await both();
    const { fileSystem } = ada.daemon;
    const files = ada.files;
    const loser = keep === 'mine' ? '/doc' : `/${conflict.copy}`;
    const keeper = resolverOf(ada, {
      remove: async (place, options) => {
        await files.write(loser, 'and more');
        await fileSystem.remove(place, options);
      },
      rename: async (from, to, options) => {
        await files.write(loser, 'and more');
        await fileSystem.rename(from, to, options);
      },
    });
    await expect(cluster.run(keeper.resolve(conflict.id, keep))).rejects.toMatchObject({
      code: 'changed-since',
    });
    const kept = keep === 'mine' ? "ada's" : "bob's";
    expect(Object.values(await agreed(cluster)).sort()).toEqual([kept, 'and more'].sort());
  },
);

it('a write elsewhere that the laptop had not heard of is kept beside the side that stays', async () => {
  const { cluster, ada, conflict } = await both();
  const [, bob] = cluster.clients as [ClientNode, ClientNode];
  cluster.cut(ada);
  await cluster.at(bob, (files) => files.write('/doc', 'and more'));
  await cluster.settled([bob]);
  await cluster.run(resolverOf(ada).resolve(conflict.id, 'mine'));
  cluster.heal(ada);
  expect(Object.values(await agreed(cluster)).sort()).toEqual(["ada's", 'and more'].sort());
});

it('a folder takes the place of a file, and is not removed whole', async () => {
  const { cluster, ada, conflict } = await met(
    (files) => files.names('/'),
    async (files) => {
      await files.mkdir('/doc');
      await files.write('/doc/in', "ada's");
    },
    (files) => files.write('/doc', "bob's"),
  );
  await expect(cluster.run(resolverOf(ada).resolve(conflict.id, 'theirs'))).rejects.toMatchObject({
    code: 'is-a-directory',
  });
  await cluster.run(resolverOf(ada).resolve(conflict.id, 'mine'));
  await cluster.settled();
  const [, bob] = cluster.clients as [ClientNode, ClientNode];
  expect(await cluster.at(bob, (files) => files.names('/'))).toEqual(['doc']);
  expect(await cluster.at(bob, (files) => files.read('/doc/in'))).toBe("ada's");
});

it('a resolution goes on after the daemon ended before it was forgotten', async () => {
  const { cluster, ada, conflict } = await both();
  const { fileSystem } = ada.daemon;
  const keeper = resolverOf(ada, {
    rename: async (...args) => {
      await fileSystem.rename(...args);
      throw new Error('the daemon ended');
    },
  });
  await expect(cluster.run(keeper.resolve(conflict.id, 'mine'))).rejects.toThrow('ended');
  expect(await agreed(cluster)).toEqual({ '/doc': "ada's" });
  await cluster.restart(ada);
  await cluster.run(resolverOf(ada).resolve(conflict.id, 'mine'));
  expect(await agreed(cluster)).toEqual({ '/doc': "ada's" });
});

it('a resolution goes on where only the other side was removed yet', async () => {
  const { cluster, ada, conflict } = await both();
  await cluster.at(ada, (files) => files.remove('/doc'));
  await cluster.run(resolverOf(ada).resolve(conflict.id, 'mine'));
  expect(await agreed(cluster)).toEqual({ '/doc': "ada's" });
});

it.each([
  ['mine', { '/doc': 'kept' }],
  ['theirs', {}],
] as const)('written here and removed there, %s stays', async (keep, shown) => {
  const { cluster, ada, conflict } = await met(
    (files) => files.write('/doc', 'first'),
    (files) => files.write('/doc', 'kept'),
    (files) => files.remove('/doc'),
  );
  expect(conflict.kind).toBe('removed');
  await cluster.run(resolverOf(ada).resolve(conflict.id, keep));
  expect(await agreed(cluster)).toEqual(shown);
});

it('a conflict from long before its record was lost is refused as changed since', async () => {
  const { cluster, ada, conflict } = await both();
  await cluster.pass(minutes(90));
  await cluster.restart(ada);
  await cluster.run(resolverOf(ada).resolve(conflict.id, 'mine'));
  expect(await agreed(cluster)).toEqual({ '/doc': "ada's" });
});

it('a conflict recorded by an older daemon has no known sides', async () => {
  const { cluster, ada, conflict } = await both();
  const resolver = resolverOf(ada, {}, () => ({ ...conflict, sides: null }));
  await expect(cluster.run(resolver.resolve(conflict.id, 'mine'))).rejects.toMatchObject({
    code: 'changed-since',
  });
  expect(Object.values(await agreed(cluster)).sort()).toEqual(["ada's", "bob's"]);
});

it.each(['mine', 'theirs'] as const)(
  'the conflict ends on both laptops when one of them keeps %s, and nothing is left to remove',
  async (keep) => {
    const { cluster, ada, conflict } = await both('folder');
    const [, bob] = cluster.clients as [ClientNode, ClientNode];
    const [his] = bob.daemon.inside.conflict.list.newest(1, () => 'home');
    await cluster.run(resolverOf(ada).resolve(conflict.id, keep));
    await cluster.settled();
    expect(bob.daemon.inside.conflict.list.size).toBe(0);
    const again = cluster.run(resolverOf(bob).resolve(his?.id ?? 0, 'theirs'));
    await expect(again).rejects.toMatchObject({ code: 'not-found' });
    expect(await agreed(cluster)).toEqual({ '/doc': keep === 'mine' ? "ada's" : "bob's" });
  },
);
