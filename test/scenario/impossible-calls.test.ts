/** A call that no server would accept is refused at once: its update never gets into the log, where it would stay for ever (contract 9). */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { agreed } from './agreed.ts';

it('a change that no server would accept is refused at the call, and later changes are synced', async () => {
  const cluster = await Cluster.start();
  const [ada] = cluster.clients as [ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'text'));
  const { fileSystem } = ada.daemon;
  const root = rootOf(1 as VolumeId);
  const { fid } = await cluster.run(fileSystem.lookup(root, 'doc'));
  const mode = 0o644;
  const xattr = (name: string, value = '') => [{ name, value }];
  const observed = { fid, base: -1 as never };
  const long = 'x'.repeat(5_000);
  const codes = async (calls: Array<() => Promise<unknown>>): Promise<Set<string>> => {
    const found = new Set<string>();
    for (const call of calls) {
      const refused = call().then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
      found.add(await cluster.run(refused));
    }
    return found;
  };
  const attributes = await codes([
    () => fileSystem.setattr(fid, { xattrs: xattr('user.a', 'not base64!') }),
    () => fileSystem.setattr(fid, { xattrs: xattr('user.a', 'AAAA'.repeat(1_400)) }),
    () => fileSystem.setattr(fid, { xattrs: xattr(long) }),
    () => fileSystem.setattr(fid, { xattrs: Array(65).fill(xattr('user.a')[0]) as [] }),
    () => fileSystem.setattr(fid, { mode: 0o10000 }),
    () => fileSystem.setattr(fid, { mtime: 'now' as never }),
    () => fileSystem.create(root, 'a', { mode: -1 }),
    () => fileSystem.create(root, 'a', { mode, at: '1.5' as never, observed: true }),
    () => fileSystem.mkdir(root, 'a', { mode, xattrs: xattr('') }),
    () => fileSystem.symlink(root, 'a', long, {}),
    () => fileSystem.symlink(root, 'a', 'a\0b', {}),
    () => fileSystem.symlink(root, 'a', '\ud800', {}),
    () => fileSystem.remove({ dir: root, name: 'doc' }, { observed }),
    () => fileSystem.open(fid, { mode: 'write', truncate: true, base: 0.5 as never }),
    async () => {
      const { handle } = await fileSystem.open(fid, { mode: 'write', truncate: true });
      await fileSystem.close(handle, { digest: 'none' as never });
    },
  ]);
  expect([...attributes]).toEqual(['bad-attribute']);
  const names = await codes([
    () =>
      fileSystem.remove(
        { dir: root, name: 'a/b' },
        { observed: { ...observed, base: 1 as never } },
      ),
    () => fileSystem.rename({ dir: root, name: '..' }, { dir: root, name: 'b' }, { moved: fid }),
    () => fileSystem.create(root, long, { mode, observed: true }),
  ]);
  expect([...names]).toEqual(['bad-name']);
  expect([...(await codes([() => fileSystem.getattr('1.x' as Fid)]))]).toEqual(['not-found']);
  await cluster.at(ada, (files) => files.write('/doc', 'new text'));
  expect(await agreed(cluster)).toEqual({ '/doc': 'new text' });
  expect(ada.status.errors).toEqual([]);
});

it('a folder cannot be moved into itself, which would make an endless tree', async () => {
  const cluster = await Cluster.start();
  const [ada] = cluster.clients as [ClientNode];
  const { fileSystem } = ada.daemon;
  const root = rootOf(1 as VolumeId);
  const { fid } = await cluster.run(fileSystem.mkdir(root, 'd', { mode: 0o755 }));
  const seen = { moved: fid, observed: null };
  await cluster.run(fileSystem.rename({ dir: root, name: 'd' }, { dir: root, name: 'e' }, seen));
  const inside = { dir: fid, name: 'f' };
  const move = fileSystem.rename({ dir: root, name: 'd' }, inside, seen);
  await expect(cluster.run(move)).rejects.toMatchObject({ code: 'cycle' });
  expect(await cluster.at(ada, (files) => files.names('/'))).toEqual(['e']);
});

it('a name with U+FFFD is held back from a server of the older protocol and synced with a newer one', async () => {
  const cluster = await Cluster.start({ clients: 2 });
  const [ada] = cluster.clients as [ClientNode];
  const { fileSystem, inside } = ada.daemon;
  const root = rootOf(1 as VolumeId);
  const protocol = inside.meta.get('protocol');
  inside.meta.set('protocol', 1);
  for (const call of [
    () => fileSystem.mkdir(root, '\ufffd', { mode: 0o755 }),
    () => fileSystem.symlink(root, 'a\ufffd', 'doc', {}),
  ]) {
    await expect(cluster.run(call())).rejects.toMatchObject({ code: 'server-too-old' });
  }
  inside.meta.set('protocol', protocol ?? null);
  await cluster.at(ada, (files) => files.write('/a\ufffd', 'text'));
  expect(await agreed(cluster)).toEqual({ '/a\ufffd': 'text' });
});
