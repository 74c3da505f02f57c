/** A file is removed elsewhere, and this laptop saves it after it has received the removal: the save keeps the name (C3). */
import { expect, it } from '@jest/globals';
import { dataVersion } from '../../shared/model/vnode.ts';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { agreed } from './agreed.ts';

const encoder = new TextEncoder();

async function two(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.write('/doc', 'base');
    await files.mkdir('/dir');
    await files.write('/dir/in', 'base');
  });
  await cluster.settled();
  await cluster.at(bob, async (files) => {
    await files.look('/doc');
    await files.look('/dir/in');
  });
  return { cluster, ada, bob };
}

/** Makes a change on ada and waits until bob has received it. */
async function heard(
  cluster: Cluster,
  ada: ClientNode,
  bob: ClientNode,
  ...paths: string[]
): Promise<void> {
  await cluster.at(ada, async (files) => {
    for (const path of paths) {
      await (path === '/dir' ? files.rmdir(path) : files.remove(path));
    }
  });
  await cluster.settled();
  for (const path of paths) {
    expect(await cluster.at(bob, (files) => files.exists(path))).toBe(false);
  }
}

async function shown(cluster: Cluster): Promise<Record<string, string | undefined>> {
  const all = Object.entries(await agreed(cluster));
  return Object.fromEntries(all.map(([path, bytes]) => [path, bytes ?? undefined]));
}

/** Opens the file for writing before the removal. */
async function opened(cluster: Cluster, bob: ClientNode, path: string) {
  const { fid } = await cluster.at(bob, (files) => files.look(path));
  const { fileSystem } = bob.daemon;
  const open = await cluster.run(fileSystem.open(fid, { mode: 'write', truncate: true }));
  return async (text: string): Promise<void> => {
    bob.disk.write(open.path, encoder.encode(text));
    await cluster.run(fileSystem.close(open.handle, {}));
  };
}

it('a save keeps the name of the removed file when a program had it open', async () => {
  const { cluster, ada, bob } = await two();
  const save = await opened(cluster, bob, '/doc');
  await heard(cluster, ada, bob, '/doc');
  await save('bob');
  expect(await shown(cluster)).toEqual({ '/dir': undefined, '/dir/in': 'base', '/doc': 'bob' });
});

it('a save keeps the name of the removed file when a front end found it changed on its disk', async () => {
  const { cluster, ada, bob } = await two();
  const { fid, dir } = await cluster.at(bob, async (files) => ({
    ...(await files.look('/doc')),
    dir: (await files.look('/')).fid,
  }));
  await heard(cluster, ada, bob, '/doc');
  const how = { mode: 'write', truncate: true, base: dataVersion(1) } as const;
  const place = { dir, name: 'doc' };
  const { fileSystem } = bob.daemon;
  const open = await cluster.run(fileSystem.open(fid, { ...how, place }));
  bob.disk.write(open.path, encoder.encode('bob'));
  await cluster.run(fileSystem.close(open.handle, {}));
  expect(await shown(cluster)).toEqual({ '/dir': undefined, '/dir/in': 'base', '/doc': 'bob' });
});

it('a save is put beside the name of the removed file when the name is taken by now', async () => {
  const { cluster, ada, bob } = await two();
  const save = await opened(cluster, bob, '/doc');
  await heard(cluster, ada, bob, '/doc');
  await cluster.at(ada, (files) => files.write('/doc', 'another'));
  await cluster.settled();
  await save('bob');
  const { '/doc': doc, ...others } = await shown(cluster);
  expect(doc).toBe('another');
  expect(others).toEqual({
    ...{ '/dir': undefined, '/dir/in': 'base' },
    [Object.keys(others).find((path) => path.startsWith('/doc (conflict, bob')) ?? '-']: 'bob',
  });
});

it('a save is put into the nearest existing folder when the folder of the file is gone as well', async () => {
  const { cluster, ada, bob } = await two();
  const save = await opened(cluster, bob, '/dir/in');
  await heard(cluster, ada, bob, '/dir/in', '/dir');
  await save('bob');
  expect(await shown(cluster)).toEqual({ '/doc': 'base', '/in': 'bob' });
});

it('a save keeps the name of the removed file when the daemon restarted in between', async () => {
  const { cluster, ada, bob } = await two();
  const { fid, dir } = await cluster.at(bob, async (files) => ({
    ...(await files.look('/doc')),
    dir: (await files.look('/')).fid,
  }));
  await heard(cluster, ada, bob, '/doc');
  cluster.cut(bob);
  const how = { mode: 'write', truncate: true, base: dataVersion(1) } as const;
  const { fileSystem } = bob.daemon;
  const open = await cluster.run(fileSystem.open(fid, { ...how, place: { dir, name: 'doc' } }));
  bob.disk.write(open.path, encoder.encode('bob'));
  await cluster.run(fileSystem.close(open.handle, {}));
  await cluster.restart(bob);
  cluster.heal(bob);
  await cluster.settled();
  expect(await shown(cluster)).toEqual({ '/dir': undefined, '/dir/in': 'base', '/doc': 'bob' });
});

it('a save keeps the name of the removed file when two programs save it one after the other', async () => {
  const { cluster, ada, bob } = await two();
  const save = await opened(cluster, bob, '/doc');
  const saveAgain = await opened(cluster, bob, '/doc');
  await heard(cluster, ada, bob, '/doc');
  cluster.cut(bob);
  await save('bob');
  await saveAgain('bob again');
  cluster.heal(bob);
  const { '/doc': doc, ...others } = await shown(cluster);
  expect(doc).toBe('bob again');
  expect(Object.keys(others).filter((path) => path.includes('unnamed'))).toEqual([]);
});

it('a save into a conflict copy that others have removed keeps the name of the copy', async () => {
  const { cluster, ada, bob } = await two();
  cluster.cut(bob);
  await cluster.at(bob, (files) => files.write('/doc', 'lost'));
  const save = await opened(cluster, bob, '/doc');
  await cluster.at(ada, (files) => files.write('/doc', 'won'));
  await cluster.settled([ada]);
  cluster.heal(bob);
  await cluster.settled();
  const names = await cluster.at(ada, (files) => files.names('/'));
  const copy = names.find((name) => name.startsWith('doc (conflict, bob')) ?? '-';
  await heard(cluster, ada, bob, `/${copy}`, '/doc');
  await save('bob');
  expect(await shown(cluster)).toEqual({
    ...{ '/dir': undefined, '/dir/in': 'base' },
    [`/${copy}`]: 'bob',
  });
});
