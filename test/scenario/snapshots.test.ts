/** Snapshots: what a volume was when one was made, it is in that one, whatever becomes of the volume. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import { minutes, wallTime } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

const HOME = 1 as VolumeId;
const YESTERDAY = { snapshot: 'yesterday' } as const;

/** Ada has written, a snapshot was made, and Bob has changed everything since. */
async function changed(): Promise<{ cluster: Cluster; ada: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.mkdir('/letters');
    await files.write('/letters/draft', 'first');
    await files.write('/doc', 'kept');
  });
  await cluster.settled();
  // Many commits have the same time: a snapshot is a commit, and no time.
  cluster.server.metaStore.makeSnapshot(HOME, 'yesterday', wallTime(0));
  await cluster.at(bob, async (files) => {
    await files.write('/letters/draft', 'second, longer');
    await files.write('/letters/new', 'new');
    await files.remove('/doc');
  });
  await cluster.settled();
  return { cluster, ada };
}

const list = async (cluster: Cluster, node: ClientNode, path: string[]) => {
  const { entries } = await cluster.run(node.daemon.past.list('home', path, YESTERDAY));
  return entries.map(({ name, size, kind }) => (kind === 'file' ? `${name} ${size}` : name));
};

describe('a snapshot', () => {
  it('is listed, and shows folders and sizes of then', async () => {
    const { cluster, ada } = await changed();
    const { snapshots } = await cluster.run(ada.daemon.past.snapshots('home'));
    expect(snapshots).toMatchObject([{ name: 'yesterday' }]);
    expect(await list(cluster, ada, [])).toEqual(['doc 4', 'letters']);
    expect(await list(cluster, ada, ['letters'])).toEqual(['draft 5']);
    expect(await list(cluster, ada, ['doc'])).toEqual(['doc 4']);
    const { versions } = await cluster.run(
      ada.daemon.past.versions('home', ['letters', 'draft'], YESTERDAY),
    );
    expect(versions.map(({ size }) => size)).toEqual([5]);
  });

  it('brings back a file and what is gone of a folder', async () => {
    const { cluster, ada } = await changed();
    const order = { version: null, at: null, to: null, ...YESTERDAY };
    await cluster.run(ada.daemon.past.restore('home', { path: ['letters', 'draft'], ...order }));
    await cluster.run(ada.daemon.past.restore('home', { path: [], ...order }));
    await cluster.pass(minutes(1));
    expect(await agreed(cluster)).toMatchObject({ '/letters/draft': 'first', '/doc': 'kept' });
  });

  it('brings back a second time what is gone since, and nothing that is there again', async () => {
    const { cluster, ada } = await changed();
    await cluster.at(ada, async (files) => {
      await files.remove('/letters/draft');
      await files.remove('/letters/new');
      await files.rmdir('/letters');
    });
    await cluster.settled();
    const order = { path: [], version: null, at: null, to: null, ...YESTERDAY };
    const first = await cluster.run(ada.daemon.past.restore('home', order));
    expect(first.done.map(({ path }) => path)).toEqual(['/doc', '/letters', '/letters/draft']);
    await cluster.pass(minutes(1));
    const whole = await agreed(cluster);
    expect(whole).toMatchObject({ '/letters/draft': 'first', '/doc': 'kept' });
    expect(await cluster.run(ada.daemon.past.restore('home', order))).toEqual({
      done: [],
      failed: [],
    });
    await cluster.at(ada, (files) => files.remove('/letters/draft'));
    const third = await cluster.run(ada.daemon.past.restore('home', order));
    expect(third.done.map(({ to }) => to)).toEqual(['/letters/draft']);
    await cluster.pass(minutes(1));
    expect(await agreed(cluster)).toEqual(whole);
  });

  it('brings back what lay in a folder whose name another folder has since', async () => {
    const { cluster, ada } = await changed();
    await cluster.at(ada, async (files) => {
      await files.rename('/letters', '/post');
      await files.mkdir('/letters');
      await files.write('/letters/draft', 'of another folder');
    });
    await cluster.settled();
    const order = { version: null, at: null, to: ['old'], ...YESTERDAY };
    await cluster.run(ada.daemon.past.restore('home', { path: ['letters', 'draft'], ...order }));
    await cluster.settled();
    expect(await agreed(cluster)).toMatchObject({
      '/old': 'first',
      '/post/draft': 'second, longer',
      '/letters/draft': 'of another folder',
    });
  });

  it('keeps its contents through collections and restarts, until it is removed', async () => {
    const { cluster, ada } = await changed();
    const { server } = cluster;
    const collect = () => cluster.run(server.collect({ allDays: 0, dailyDays: 0 }));
    const order = { version: null, at: null, to: null, ...YESTERDAY };
    expect(await collect()).toEqual([]);
    await cluster.restart(server);
    await cluster.until(() => ada.status.connected, 'ada to be back');
    expect(await collect()).toEqual([]);
    await cluster.run(ada.daemon.past.restore('home', { path: ['letters', 'draft'], ...order }));
    await cluster.settled();
    expect(await agreed(cluster)).toMatchObject({ '/letters/draft': 'first' });
    await cluster.at(ada, (files) => files.write('/letters/draft', 'third'));
    await cluster.settled();
    server.metaStore.removeSnapshot(HOME, 'yesterday');
    // The draft of before and the one of Bob, and the document that he removed.
    expect(await collect()).toHaveLength(3);
    const { versions } = await cluster.run(ada.daemon.past.versions('home', ['letters', 'draft']));
    expect(versions.map(({ kept }) => kept)).toEqual([true, false, false, false]);
  });

  it('is refused with its name and a remedy when there is none of that name', async () => {
    const { cluster, ada } = await changed();
    const asked = cluster.run(ada.daemon.past.list('home', [], { snapshot: 'other' }));
    await expect(asked).rejects.toMatchObject({
      code: 'not-found',
      message: 'home has no snapshot other',
      remedy: '`godwit snapshots` lists those there are',
    });
    const gone = cluster.run(ada.daemon.past.list('home', ['letters', 'new'], YESTERDAY));
    await expect(gone).rejects.toMatchObject({ code: 'not-found' });
  });
});
