/** A removed folder comes back with each name that was in it, also of files that live on elsewhere and where a new folder has its path. */
import { describe, expect, it, jest } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { minutes } from '../../shared/model/time.ts';
import type { RestoreOrder } from '../../shared/ports/controlled.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { agreed } from './agreed.ts';

const HOME_NAME = 'home';
const pathOf = (text: string): string[] => text.split('/').filter((name) => name !== '');

/** A folder with a file of its own and one that has another name outside. */
async function pair(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.mkdir('/d');
    await files.write('/d/x', 'one');
    await files.link('/d/x', '/keep');
    await files.write('/d/y', 'two');
  });
  await cluster.settled();
  return { cluster, ada, bob };
}

async function removeFolder(cluster: Cluster, at: ClientNode, names = ['x', 'y']): Promise<void> {
  await cluster.at(at, async (files) => {
    for (const name of names) await files.remove(`/d/${name}`);
    await files.rmdir('/d');
  });
  await cluster.settled();
}

function restore(
  cluster: Cluster,
  at: ClientNode,
  path: string,
  order: Partial<RestoreOrder> = {},
) {
  const full = { path: pathOf(path), version: null, at: null, to: null, ...order };
  return cluster.run(at.daemon.past.restore(HOME_NAME, full), `${path} to be restored`);
}

async function removedFrom(cluster: Cluster, at: ClientNode, path: string): Promise<string[]> {
  const told = await cluster.run(at.daemon.past.removed(HOME_NAME, pathOf(path)));
  return told.removed.map((row) => row.path).sort();
}

/** Which of these names stand for one file. */
async function areOne(cluster: Cluster, at: ClientNode, ...paths: string[]): Promise<boolean> {
  const fids = await cluster.at(at, (files) =>
    Promise.all(paths.map(async (path) => (await files.look(path)).fid)),
  );
  return new Set(fids).size === 1;
}

const WHOLE = { '/d': null, '/d/x': 'one', '/d/y': 'two', '/keep': 'one' };

describe('a removed name of a file that has another one', () => {
  it('is listed, and comes back with its folder as a name of that file', async () => {
    const { cluster, ada, bob } = await pair();
    await removeFolder(cluster, ada);
    expect(await removedFrom(cluster, bob, '/d')).toEqual(['/d/x', '/d/y']);
    const report = await restore(cluster, bob, '/d');
    expect(report.failed).toEqual([]);
    expect(report.done).toContainEqual({ path: '/d/x', as: 'linked', to: '/d/x' });
    expect(await agreed(cluster)).toEqual(WHOLE);
    expect(await areOne(cluster, ada, '/d/x', '/keep')).toBe(true);
    expect(await removedFrom(cluster, bob, '/d')).toEqual([]);
  });

  it('comes back alone, with the folder it was in', async () => {
    const { cluster, ada } = await pair();
    await removeFolder(cluster, ada);
    await restore(cluster, ada, '/d/x');
    expect(await agreed(cluster)).toEqual({ '/d': null, '/d/x': 'one', '/keep': 'one' });
    expect(await areOne(cluster, ada, '/d/x', '/keep')).toBe(true);
  });

  it('comes back with its contents where the file is gone by now', async () => {
    const { cluster, ada } = await pair();
    await removeFolder(cluster, ada);
    await cluster.at(ada, (files) => files.remove('/keep'));
    await cluster.settled();
    expect((await restore(cluster, ada, '/d')).failed).toEqual([]);
    expect(await agreed(cluster)).toEqual({ '/d': null, '/d/x': 'one', '/d/y': 'two' });
  });

  it('is one of two that were in the folder: both are names of one file again', async () => {
    const { cluster, ada } = await pair();
    await cluster.at(ada, (files) => files.link('/d/y', '/d/z'));
    await cluster.settled();
    await removeFolder(cluster, ada, ['x', 'y', 'z']);
    expect((await restore(cluster, ada, '/d')).failed).toEqual([]);
    expect(await agreed(cluster)).toEqual({ ...WHOLE, '/d/z': 'two' });
    expect(await areOne(cluster, ada, '/d/y', '/d/z')).toBe(true);
  });

  it('stays away where it was moved out of the folder and not removed', async () => {
    const { cluster, ada } = await pair();
    await cluster.at(ada, (files) => files.rename('/d/x', '/moved'));
    await cluster.settled();
    await removeFolder(cluster, ada, ['y']);
    expect(await removedFrom(cluster, ada, '/d')).toEqual(['/d/y']);
    await restore(cluster, ada, '/d');
    expect(await agreed(cluster)).toEqual({
      ...{ '/d': null, '/d/y': 'two', '/keep': 'one', '/moved': 'one' },
    });
  });

  it('comes back as it was at a time, beside what its file is by now', async () => {
    const { cluster, ada } = await pair();
    await cluster.pass(minutes(10));
    const then = cluster.server.clock.wall();
    await cluster.pass(minutes(10));
    await cluster.at(ada, async (files) => {
      await files.remove('/d/x');
      await files.write('/keep', 'changed');
    });
    await cluster.settled();
    expect((await restore(cluster, ada, '/d', { at: then })).failed).toEqual([]);
    expect(await agreed(cluster)).toEqual({ ...WHOLE, '/keep': 'changed' });
  });

  it('is a copy of its own where it is put elsewhere', async () => {
    const { cluster, ada } = await pair();
    await removeFolder(cluster, ada);
    expect((await restore(cluster, ada, '/d', { to: ['e'] })).failed).toEqual([]);
    expect(await agreed(cluster)).toEqual({
      ...{ '/e': null, '/e/x': 'one', '/e/y': 'two', '/keep': 'one' },
    });
    expect(await areOne(cluster, ada, '/e/x', '/keep')).toBe(false);
  });

  it('is reported as failed when it cannot come back', async () => {
    const { cluster, ada } = await pair();
    await removeFolder(cluster, ada);
    const { fileSystem } = ada.daemon;
    const refusal = new GodwitError('no-right', 'not there');
    const spy = jest.spyOn(fileSystem, 'link').mockRejectedValue(refusal);
    const report = await restore(cluster, ada, '/d');
    spy.mockRestore();
    expect(report.failed).toMatchObject([{ path: '/d/x', code: 'no-right' }]);
    expect(await agreed(cluster)).toMatchObject({ '/d/y': 'two' });
  });
});

describe('a folder that was made again where one was removed', () => {
  async function madeAgain() {
    const { cluster, ada, bob } = await pair();
    await cluster.pass(minutes(10));
    const then = cluster.server.clock.wall();
    await cluster.pass(minutes(10));
    await removeFolder(cluster, ada);
    await cluster.at(bob, async (files) => {
      await files.mkdir('/d');
      await files.write('/d/y', 'new');
    });
    await cluster.settled();
    return { cluster, ada, then };
  }

  it('shows what was removed with the one before', async () => {
    const { cluster, ada } = await madeAgain();
    expect(await removedFrom(cluster, ada, '/d')).toEqual(['/d/x']);
    const told = await cluster.run(ada.daemon.past.versions(HOME_NAME, ['d', 'y']));
    expect(told.versions).toHaveLength(2);
  });

  it('takes back a file of the one before', async () => {
    const { cluster, ada } = await madeAgain();
    await restore(cluster, ada, '/d/x');
    await restore(cluster, ada, '/d/y');
    expect(await agreed(cluster)).toEqual(WHOLE);
  });

  it('takes back what the one before had at a time', async () => {
    const { cluster, ada, then } = await madeAgain();
    expect((await restore(cluster, ada, '/d', { at: then })).failed).toEqual([]);
    expect(await agreed(cluster)).toEqual({
      ...{ '/d': null, '/d/x': 'one', '/d/y': 'new', '/d/y (restored)': 'two', '/keep': 'one' },
    });
  });

  it('takes back a file below two folders that were made again', async () => {
    const { cluster, ada } = await pair();
    await cluster.at(ada, async (files) => {
      await files.mkdir('/d/e');
      await files.write('/d/e/deep', 'deep');
    });
    await cluster.settled();
    await cluster.at(ada, async (files) => {
      await files.remove('/d/e/deep');
      await files.rmdir('/d/e');
    });
    await removeFolder(cluster, ada);
    await cluster.at(ada, (files) => files.mkdir('/d'));
    await cluster.settled();
    await restore(cluster, ada, '/d/e/deep');
    expect(await agreed(cluster)).toMatchObject({ '/d/e/deep': 'deep' });
  });
});
