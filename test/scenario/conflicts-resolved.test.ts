/** Conflicts resolved in a volume that no folder shows, with the production core and the adapter that does it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { ConflictKeeper } from '../../daemon/adapters/conflicts/conflict-keeper.ts';
import type { FolderHost } from '../../daemon/adapters/conflicts/folder-hands.ts';
import type { ConflictStatus } from '../../shared/control/snapshot.ts';
import { minutes } from '../../shared/model/time.ts';
import type { FileSystem } from '../../shared/ports/file-system.ts';
import type { Host } from '../../shared/ports/host.ts';
import { SILENT } from '../support/silent-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-resolved-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Makes the conflict keeper that the process of a daemon has. */
function keeperOf(node: ClientNode, over: Partial<FileSystem> = {}): ConflictKeeper {
  const { daemon } = node;
  const fileSystem = new Proxy(daemon.fileSystem, {
    get: (target, name: keyof FileSystem) => over[name] ?? target[name].bind(target),
  });
  return new ConflictKeeper({
    file: join(folder, 'conflicts.json'),
    fileSystem,
    host: { syncDirectory: () => undefined } as unknown as FolderHost & Pick<Host, 'openBeneath'>,
    clock: daemon.clock,
    log: SILENT,
    conflicts: () => daemon.inside.conflicts.newest(Number.MAX_SAFE_INTEGER, () => undefined),
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

/** Starts a conflict: both laptops have changed the file, and ada, who has lost, has the notice. */
async function met(
  before: (files: UserFiles) => Promise<unknown>,
  adas: (files: UserFiles) => Promise<unknown>,
  bobs: (files: UserFiles) => Promise<unknown>,
): Promise<Met> {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
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
  await cluster.run(keeperOf(ada).look());
  const [conflict] = ada.daemon.inside.conflicts.newest(1, () => undefined);
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

const both = (): Promise<Met> =>
  met(
    (files) => files.write('/doc', 'first'),
    (files) => files.write('/doc', "ada's"),
    (files) => files.write('/doc', "bob's"),
  );

it.each([
  ['mine', { '/doc': "ada's" }],
  ['theirs', { '/doc': "bob's" }],
] as const)(
  'the side %s stays on all laptops, and the conflict is forgotten',
  async (keep, shown) => {
    const { cluster, ada, conflict } = await both();
    const report = await cluster.run(keeperOf(ada).resolve(conflict.id, keep));
    const removed = keep === 'mine' ? 'doc' : conflict.copy;
    expect(report).toMatchObject({ keep, volume: 'home', path: 'doc', removed, note: null });
    expect(await agreed(cluster)).toEqual(shown);
    expect(ada.daemon.inside.conflicts.size).toBe(0);
    await expect(cluster.run(keeperOf(ada).resolve(conflict.id, keep))).rejects.toMatchObject({
      code: 'not-found',
    });
  },
);

it('a conflict that is resolved offline and paused becomes an ordinary queued change', async () => {
  const { cluster, ada, conflict } = await both();
  ada.daemon.pause();
  cluster.cut(ada);
  await cluster.run(keeperOf(ada).resolve(conflict.id, 'mine'));
  expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe("ada's");
  cluster.heal(ada);
  ada.daemon.resume();
  expect(await agreed(cluster)).toEqual({ '/doc': "ada's" });
});

it.each(['mine', 'theirs'] as const)(
  'the contents that %s replaced can be restored from the history',
  async (keep) => {
    const { cluster, ada, conflict } = await both();
    const { removed } = await cluster.run(keeperOf(ada).resolve(conflict.id, keep));
    const path = (removed ?? '').split('/');
    const order = { path, version: null, at: null, to: null };
    await cluster.run(ada.daemon.past.restore('home', order));
    const shown = await agreed(cluster);
    expect(shown[`/${removed}`]).toBe(keep === 'mine' ? "bob's" : "ada's");
  },
);

it('keeping both sides leaves both files', async () => {
  const { cluster, ada, conflict } = await both();
  await cluster.run(keeperOf(ada).resolve(conflict.id, 'both'));
  expect(Object.values(await agreed(cluster)).sort()).toEqual(["ada's", "bob's"]);
  expect(ada.daemon.inside.conflicts.size).toBe(0);
});

it('a write between the check and the removal is kept', async () => {
  const { cluster, ada, conflict } = await both();
  const { fileSystem } = ada.daemon;
  const files = ada.files;
  const keeper = keeperOf(ada, {
    remove: async (place, options) => {
      await files.write('/doc', "bob's, and more");
      await fileSystem.remove(place, options);
    },
  });
  await expect(cluster.run(keeper.resolve(conflict.id, 'mine'))).rejects.toMatchObject({
    code: 'changed-since',
  });
  expect(Object.values(await agreed(cluster)).sort()).toEqual(["ada's", "bob's, and more"]);
});

it('a resolution goes on after the daemon ended between the removal and the rename', async () => {
  const { cluster, ada, conflict } = await both();
  const keeper = keeperOf(ada, { rename: () => Promise.reject(new Error('the daemon ended')) });
  await expect(cluster.run(keeper.resolve(conflict.id, 'mine'))).rejects.toThrow('ended');
  expect(Object.values(await agreed(cluster))).toEqual(["ada's"]);
  await cluster.restart(ada);
  await cluster.run(keeperOf(ada).resolve(conflict.id, 'mine'));
  expect(await agreed(cluster)).toEqual({ '/doc': "ada's" });
});

it.each([
  ['mine', { '/doc': 'kept' }],
  ['theirs', {}],
] as const)(
  'the side %s stays when one laptop wrote the file and the other removed it',
  async (keep, shown) => {
    const { cluster, ada, conflict } = await met(
      (files) => files.write('/doc', 'first'),
      (files) => files.write('/doc', 'kept'),
      (files) => files.remove('/doc'),
    );
    expect(conflict.kind).toBe('removed');
    await cluster.run(keeperOf(ada).resolve(conflict.id, keep));
    expect(await agreed(cluster)).toEqual(shown);
  },
);

it('a conflict from long before its record was lost is refused as changed since', async () => {
  const { cluster, ada, conflict } = await both();
  rmSync(join(folder, 'conflicts.json'));
  await cluster.pass(minutes(2));
  await expect(cluster.run(keeperOf(ada).resolve(conflict.id, 'mine'))).rejects.toMatchObject({
    code: 'changed-since',
  });
  expect(Object.values(await agreed(cluster)).sort()).toEqual(["ada's", "bob's"]);
});
