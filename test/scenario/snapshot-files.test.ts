/** `.snapshots/NAME/` in the root of a volume, as programs read it through the port. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { minutes, wallTime } from '../../shared/model/time.ts';
import { present } from '../../shared/util/assert.ts';
import type { Attributes } from '../../shared/ports/file-system.ts';

const HOME = 1 as VolumeId;
const ROOT = rootOf(HOME);
const coded = (code: string): unknown => expect.objectContaining({ code });

/** Ada has written, a snapshot was made, and Bob has changed everything since. */
async function changed(): Promise<{ cluster: Cluster; ada: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.mkdir('/letters');
    await files.write('/letters/draft', 'first');
    await files.write('/doc', 'kept');
    await files.write('/none', '');
  });
  await cluster.settled();
  cluster.server.metaStore.makeSnapshot(HOME, 'then', wallTime(0));
  await cluster.at(bob, async (files) => {
    await files.write('/letters/draft', 'second, longer');
    await files.remove('/doc');
    await files.rename('/letters', '/post');
  });
  await cluster.settled();
  return { cluster, ada };
}

/** What the name of a path leads to, a name at a time. */
async function find(cluster: Cluster, node: ClientNode, path: string): Promise<Attributes> {
  let dir: Fid = ROOT;
  let found: Attributes | null = null;
  for (const name of path.split('/')) {
    found = await cluster.run(node.daemon.programs.lookup(dir, name));
    dir = found.fid;
  }
  if (found === null) throw new Error('a path has a name');
  return found;
}

async function list(cluster: Cluster, node: ClientNode, path: string): Promise<string[]> {
  const { fid } = await find(cluster, node, path);
  const entries = await cluster.run(node.daemon.programs.readdir(fid));
  return entries.map(({ name }) => name);
}

async function read(cluster: Cluster, node: ClientNode, path: string) {
  const { programs } = node.daemon;
  const { fid } = await find(cluster, node, path);
  const file = await cluster.run(programs.open(fid, { mode: 'read' }));
  const contents = new TextDecoder().decode(node.disk.read(file.path));
  const closed = await cluster.run(programs.close(file.handle, null));
  expect(closed).toEqual(file.attributes);
  return contents;
}

describe('the snapshots of a volume', () => {
  it('are folders in its root, which no listing shows', async () => {
    const { cluster, ada } = await changed();
    expect(await list(cluster, ada, '.snapshots')).toEqual(['then']);
    expect(await list(cluster, ada, '.snapshots/then')).toEqual(['doc', 'letters', 'none']);
    expect(await list(cluster, ada, '.snapshots/then/letters')).toEqual(['draft']);
    const names = await cluster.run(ada.daemon.programs.readdir(ROOT));
    expect(names.map(({ name }) => name)).toEqual(['none', 'post']);
    await expect(find(cluster, ada, '.snapshots/now')).rejects.toEqual(coded('not-found'));
    await expect(find(cluster, ada, '.snapshots/then/post')).rejects.toEqual(coded('not-found'));
    const away = ada.daemon.programs.lookup(rootOf(77 as VolumeId), '.snapshots');
    await expect(cluster.run(away)).rejects.toEqual(coded('not-found'));
    await expect(find(cluster, ada, 'post/.snapshots')).rejects.toEqual(coded('not-found'));
  });

  it('show the contents of then, of files that changed, moved or ended', async () => {
    const { cluster, ada } = await changed();
    expect(await read(cluster, ada, '.snapshots/then/letters/draft')).toBe('first');
    expect(await read(cluster, ada, '.snapshots/then/doc')).toBe('kept');
    expect(await read(cluster, ada, '.snapshots/then/none')).toBe('');
    expect(await read(cluster, ada, 'post/draft')).toBe('second, longer');
  });

  it('ask the server once for each folder, since nothing in them changes', async () => {
    const { cluster, ada } = await changed();
    const first = await find(cluster, ada, '.snapshots/then/letters/draft');
    const { programs } = ada.daemon;
    const folder = await find(cluster, ada, '.snapshots/then/letters');
    cluster.cut(ada);
    expect(await cluster.run(programs.lookup(folder.fid, 'draft'))).toEqual(first);
    expect(await cluster.run(programs.getattr(first.fid))).toEqual(first);
  });

  it('can not be changed', async () => {
    const { cluster, ada } = await changed();
    const { programs } = ada.daemon;
    const { fid: dir } = await find(cluster, ada, '.snapshots/then');
    const { fid } = await find(cluster, ada, '.snapshots/then/doc');
    const place = { dir, name: 'doc' };
    const refused = coded('no-right');
    const run = <T>(work: Promise<T>): Promise<T> => cluster.run(work);
    await expect(run(programs.remove(place))).rejects.toEqual(refused);
    await expect(run(programs.create(dir, 'new', { mode: 0o644 }))).rejects.toEqual(refused);
    await expect(run(programs.rename(place, { dir: ROOT, name: 'a' }))).rejects.toEqual(refused);
    await expect(run(programs.setattr(fid, { mode: 0o600 }))).rejects.toEqual(refused);
    const how = { mode: 'write', truncate: true } as const;
    await expect(run(programs.open(fid, how))).rejects.toEqual(refused);
  });

  it('give way to a folder of the volume that is called so', async () => {
    const { cluster, ada } = await changed();
    await cluster.at(ada, (files) => files.mkdir('/.snapshots'));
    await cluster.at(ada, (files) => files.write('/.snapshots/mine', 'mine'));
    await cluster.settled();
    expect(await list(cluster, ada, '.snapshots')).toEqual(['mine']);
  });

  it('are read with the rights of today', async () => {
    const { cluster } = await changed();
    const guest = await cluster.join('read', 'guest');
    await cluster.settled();
    const { fid } = await find(cluster, guest, '.snapshots/then/letters');
    expect(await list(cluster, guest, '.snapshots/then/letters')).toEqual(['draft']);
    expect(await read(cluster, guest, '.snapshots/then/doc')).toBe('kept');
    cluster.server.metaStore.allow('guest', HOME, null);
    await cluster.pass(minutes(1));
    const { programs } = guest.daemon;
    await expect(find(cluster, guest, '.snapshots/then')).rejects.toEqual(coded('no-such-volume'));
    const [draft] = await cluster.run(programs.readdir(fid));
    const opened = programs.open(present(draft, 'it was listed').attributes.fid, { mode: 'read' });
    await expect(cluster.run(opened)).rejects.toEqual(coded('no-such-volume'));
  });
});
