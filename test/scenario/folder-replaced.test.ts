/**
 * A folder is replaced while another laptop, which has not heard of it, puts something into it: that is found below the folder's name. A folder of that
 * name takes it in; where something else has the name, a folder beside it, with a conflict name, keeps all of it as it lay.
 */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { agreed } from './agreed.ts';

type Shown = Record<string, string | null>;
type Change = (files: UserFiles) => Promise<unknown>;

const short = (path: string): string =>
  path.replaceAll(/ \(conflict, ada, \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\)/g, '*');

async function prepared(frontEnd: 'folder' | 'none') {
  const cluster = await Cluster.start({ seed: 3, frontEnd });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.mkdir('/full');
    await files.write('/full/in', 'in');
    await files.mkdir('/full/sub');
    await files.write('/full/sub/deep', 'deep');
  });
  await cluster.settled();
  await cluster.at(bob, (files) => files.walk());
  return { cluster, ada, bob };
}

/** What a laptop shows, and all the same where there is a folder. */
async function shownAt(cluster: Cluster, ada: ClientNode): Promise<Shown> {
  const shown: Shown = {};
  if (ada.frontEnd === 'folder') Object.assign(shown, await agreed(cluster));
  else {
    await cluster.settled();
    for (const client of cluster.clients) {
      const seen: Shown = {};
      for (const [path, { kind }] of await cluster.at(client, (files) => files.walk())) {
        const isFile = kind === 'file';
        seen[path] = isFile ? await cluster.at(client, (files) => files.read(path)) : null;
      }
      if (client === ada) Object.assign(shown, seen);
      else expect(seen).toEqual(shown);
    }
  }
  return Object.fromEntries(Object.entries(shown).map(([path, text]) => [short(path), text]));
}

const toldAt = ({ daemon }: ClientNode): string[] =>
  daemon.inside.conflict.list
    .newest(100, () => undefined)
    .reverse()
    .map(({ kind, path, copy }) => short(`${kind} ${path} > ${copy}`));

/** Both are offline; bob's change comes first. */
async function apart(frontEnd: 'folder' | 'none', bobs: Change, adas: Change) {
  const { cluster, ada, bob } = await prepared(frontEnd);
  for (const laptop of [ada, bob]) cluster.cut(laptop);
  await cluster.at(bob, bobs);
  await cluster.at(ada, adas);
  cluster.heal(bob);
  await cluster.settled([bob]);
  cluster.heal(ada);
  const shown = await shownAt(cluster, ada);
  return { shown, ada: toldAt(ada), bob: toldAt(bob) };
}

const removed: Change = async (files) => {
  for (const path of ['/full/in', '/full/sub/deep']) await files.remove(path);
  for (const path of ['/full/sub', '/full']) await files.rmdir(path);
};
const byFile: Change = async (files) => {
  await removed(files);
  await files.write('/full', 'bob');
};
const byFolder: Change = async (files) => {
  await removed(files);
  await files.mkdir('/full');
  await files.write('/full/bobs', 'bob');
};

describe.each(['folder', 'none'] as const)('a lost folder, with the front end "%s"', (frontEnd) => {
  it('keeps what is put into it beside the file that replaced it', async () => {
    const told = await apart(frontEnd, byFile, async (files) => {
      await files.write('/full/new', 'ada');
      await files.write('/full/in', "ada's in");
      await files.write('/full/other', 'ada');
      await files.symlink('/full/link', 'new');
    });
    expect(told).toEqual({
      shown: {
        '/full': 'bob',
        '/full*': null,
        '/full*/in': "ada's in",
        '/full*/link': null,
        '/full*/new': 'ada',
        '/full*/other': 'ada',
      },
      ada: ['name full > full*', 'removed full*/in > full*/in'],
      bob: frontEnd === 'folder' ? ['elsewhere full > full*'] : [],
    });
  });

  it('keeps the folders within it, old and new', async () => {
    const { shown, ada } = await apart(frontEnd, byFile, async (files) => {
      await files.write('/full/sub/new', 'ada');
      await files.mkdir('/full/fresh');
      await files.write('/full/fresh/new', 'ada');
      await files.write('/full/sub/deep', "ada's deep");
    });
    expect(shown).toEqual({
      '/full': 'bob',
      '/full*': null,
      '/full*/fresh': null,
      '/full*/fresh/new': 'ada',
      '/full*/sub': null,
      '/full*/sub/deep': "ada's deep",
      '/full*/sub/new': 'ada',
    });
    expect(ada).toEqual(['name full > full*', 'removed full*/sub/deep > full*/sub/deep']);
  });

  it('keeps it beside a link that replaced it, too', async () => {
    const { shown } = await apart(
      frontEnd,
      async (files) => {
        await removed(files);
        await files.symlink('/full', 'elsewhere');
      },
      (files) => files.write('/full/new', 'ada'),
    );
    expect(shown).toEqual({ '/full': null, '/full*': null, '/full*/new': 'ada' });
  });

  it('keeps it within what is left when only a folder in it was replaced', async () => {
    const { shown } = await apart(
      frontEnd,
      async (files) => {
        await files.remove('/full/sub/deep');
        await files.rmdir('/full/sub');
        await files.write('/full/sub', 'bob');
      },
      (files) => files.write('/full/sub/new', 'ada'),
    );
    expect(shown).toEqual({
      '/full': null,
      '/full/in': 'in',
      '/full/sub': 'bob',
      '/full/sub*': null,
      '/full/sub*/new': 'ada',
    });
  });

  it('has it in the other folder that replaced it', async () => {
    const { shown, ada, bob } = await apart(frontEnd, byFolder, async (files) => {
      await files.write('/full/new', 'ada');
      await files.write('/full/bobs', 'ada');
      await files.write('/full/sub/new', 'ada');
    });
    expect(shown).toEqual({
      '/full': null,
      '/full/bobs': 'bob',
      '/full/bobs*': 'ada',
      '/full/new': 'ada',
      '/full/sub': null,
      '/full/sub/new': 'ada',
    });
    expect(ada).toEqual(['name full/bobs > full/bobs*']);
    expect(bob).toEqual(frontEnd === 'folder' ? ['elsewhere full/bobs > full/bobs*'] : []);
  });

  it('has it in the folder above when it was only removed', async () => {
    const { shown, ada } = await apart(frontEnd, removed, (files) =>
      files.write('/full/sub/new', 'ada'),
    );
    expect(shown).toEqual({ '/new': 'ada' });
    expect(ada).toEqual(['directory-gone new > new']);
  });

  it('leaves a save beside it when a folder comes in the place of a file', async () => {
    const { shown } = await apart(
      frontEnd,
      async (files) => {
        await files.remove('/full/in');
        await files.mkdir('/full/in');
        await files.write('/full/in/bobs', 'bob');
      },
      (files) => files.write('/full/in', 'ada'),
    );
    expect(shown).toMatchObject({ '/full/in': null, '/full/in/bobs': 'bob', '/full/in*': 'ada' });
  });

  it('stays when it was put into first, and has the file beside it', async () => {
    const { shown } = await apart(frontEnd, (files) => files.write('/full/new', 'bob'), byFile);
    expect(shown).toMatchObject({ '/full': null, '/full/new': 'bob', '/full*': 'bob' });
  });
});

it.each(['folder', 'none'] as const)(
  'an upload after a restart is found below the name of its folder, with the front end "%s"',
  async (frontEnd) => {
    const { cluster, ada, bob } = await prepared(frontEnd);
    const { fid } = await cluster.at(ada, (files) => files.look('/full'));
    for (const laptop of [ada, bob]) cluster.cut(laptop);
    await cluster.at(bob, byFile);
    await cluster.at(ada, (files) => files.write('/full/sub/deep', 'x'.repeat(20_000)));
    cluster.heal(bob);
    await cluster.settled([bob]);
    cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 1000 });
    cluster.heal(ada);
    await cluster.until(() => ada.status.connected, 'ada to be there');
    await cluster.at(ada, (files) => files.look('/full'));
    const isHeard = (): boolean => !ada.daemon.inside.names.directories.has(fid);
    await cluster.until(isHeard, 'ada to hear of it');
    await cluster.restart(ada);
    cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 10_000_000 });
    expect(Object.keys(await shownAt(cluster, ada))).toEqual([
      '/full',
      '/full*',
      '/full*/sub',
      '/full*/sub/deep',
    ]);
  },
);
