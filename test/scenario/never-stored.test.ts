/** A file whose name reached the server and whose contents never did: nothing is made a conflict with it, for it has no bytes that could be lost. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { mtimeOf } from '../../shared/model/vnode.ts';
import { agreed } from './agreed.ts';

const MTIME = mtimeOf(1_700_000_000_000_000_000n);

interface Ghost {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
  readonly fid: Fid;
}

/** Ada has made `/doc` and not stored it; bob is cut off since before that. */
async function made(): Promise<Ghost> {
  const cluster = await Cluster.start({ clients: 3 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(bob, (files) => files.write('/other', 'other'));
  await cluster.settled();
  cluster.cut(bob);
  const { dir, name } = await cluster.at(ada, (files) => files.place('/doc'));
  const how = { mode: 0o644, mtime: MTIME, xattrs: [] };
  const { fid } = await cluster.run(ada.daemon.fileSystem.create(dir, name, how));
  const isSent = (): boolean => [...ada.daemon.inside.log.all()].length === 0;
  await cluster.until(isSent, 'the making to be committed');
  return { cluster, ada, bob, fid };
}

const told = ({ daemon }: ClientNode): unknown[] =>
  daemon.inside.conflict.list.newest(Number.MAX_SAFE_INTEGER, () => undefined);

/** Ada's laptop is lost; bob does this, and is back. */
async function met(act: (files: UserFiles) => Promise<unknown>) {
  const ghost = await made();
  const { cluster, ada, bob } = ghost;
  cluster.takeOut(ada);
  await cluster.at(bob, act);
  cluster.heal(bob);
  const shown = await agreed(cluster);
  return { ...ghost, shown, told: cluster.clients.flatMap(told) };
}

describe('a file that was never stored', () => {
  it('takes the contents of a new file of its name', async () => {
    const {
      cluster,
      bob,
      fid,
      shown,
      told: conflicts,
    } = await met(async (files) => {
      await files.write('/doc', "bob's");
      await files.chmod('/doc', 0o600);
    });
    expect(shown).toEqual({ '/doc': "bob's", '/other': 'other' });
    expect(conflicts).toEqual([]);
    const { fid: has, mode } = await cluster.at(bob, (files) => files.look('/doc'));
    expect({ has, mode }).toEqual({ has: fid, mode: 0o600 });
  });

  it('takes what was saved, and saved again, under its name', async () => {
    const { shown, told: conflicts } = await met(async (files) => {
      await files.write('/doc', 'first');
      await files.write('/doc', 'second');
    });
    expect(shown).toEqual({ '/doc': 'second', '/other': 'other' });
    expect(conflicts).toEqual([]);
  });

  it.each<[string, (files: UserFiles) => Promise<unknown>, Record<string, string | null>]>([
    [
      'a file that is renamed to it',
      (files) => files.rename('/other', '/doc'),
      { '/doc': 'other' },
    ],
    [
      'a safe save',
      async (files) => {
        await files.write('/doc.tmp', 'saved');
        await files.rename('/doc.tmp', '/doc');
      },
      { '/doc': 'saved', '/other': 'other' },
    ],
    [
      'a safe save over one that was made there',
      async (files) => {
        await files.write('/doc', 'first');
        await files.write('/doc.tmp', 'saved');
        await files.rename('/doc.tmp', '/doc');
      },
      { '/doc': 'saved', '/other': 'other' },
    ],
    [
      'a folder',
      async (files) => {
        await files.mkdir('/doc');
        await files.write('/doc/in', 'in');
      },
      { '/doc': null, '/doc/in': 'in', '/other': 'other' },
    ],
    [
      'a folder that is renamed to it',
      async (files) => {
        await files.mkdir('/dir');
        await files.write('/dir/in', 'in');
        await files.rename('/dir', '/doc');
      },
      { '/doc': null, '/doc/in': 'in', '/other': 'other' },
    ],
    ['a link', (files) => files.symlink('/doc', 'to'), { '/doc': null, '/other': 'other' }],
    [
      'a second name of a file',
      (files) => files.link('/other', '/doc'),
      { '/doc': 'other', '/other': 'other' },
    ],
  ])('gives its name to %s', async (_what, act, wanted) => {
    const { shown, told: conflicts } = await met(act);
    expect({ shown, conflicts }).toEqual({ shown: wanted, conflicts: [] });
  });

  it('is a conflict as any other when its own contents come after all', async () => {
    const { cluster, ada, bob, fid } = await made();
    cluster.cut(ada);
    await cluster.at(ada, (files) => files.write('/doc', "ada's"));
    await cluster.at(bob, (files) => files.write('/doc', "bob's"));
    cluster.heal(bob);
    await cluster.until(() => cluster.shown(bob)['/doc'] === "bob's", 'bob to be synced');
    await cluster.settled([bob]);
    cluster.heal(ada);
    const shown = await agreed(cluster);
    expect(shown['/doc']).toBe("bob's");
    expect(Object.values(shown)).toContain("ada's");
    expect((await cluster.at(bob, (files) => files.look('/doc'))).fid).toBe(fid);
  });
});
