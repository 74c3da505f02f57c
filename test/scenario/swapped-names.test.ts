/**
 * Two things change names with each other while others change the folders that they are in. The folder front end takes one of them through a name
 * of its own: that is nobody's name for anything, so nothing is left with it.
 */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { SWAP_PREFIX } from '../../shared/model/names.ts';
import { agreed } from './agreed.ts';

const SWAP = `/${SWAP_PREFIX}7`;

/** As the front end tells it that `/x/a` and `/y/b` have changed names. */
async function swap(files: UserFiles): Promise<void> {
  await files.rename('/y/b', SWAP);
  await files.rename('/x/a', '/y/b');
  await files.rename(SWAP, '/x/a');
}

async function swappedWhile(
  make: (files: UserFiles, path: string) => Promise<unknown>,
  bobs: (files: UserFiles) => Promise<unknown>,
): Promise<Record<string, string | null>> {
  const cluster = await Cluster.start({ seed: 3 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    for (const folder of ['/x', '/y']) await files.mkdir(folder);
    for (const path of ['/x/a', '/y/b']) await make(files, path);
  });
  await cluster.settled();
  cluster.cut(ada);
  await cluster.at(ada, swap);
  await cluster.at(bob, bobs);
  await cluster.settled([bob]);
  cluster.heal(ada);
  return agreed(cluster);
}

const write = (files: UserFiles, path: string): Promise<unknown> => files.write(path, path);
const mkdir = (files: UserFiles, path: string): Promise<unknown> => files.mkdir(path);

describe('a file that changed names with another one', () => {
  it('has the name that it was given', async () => {
    const shown = await swappedWhile(write, (files) => files.write('/z', 'z'));
    expect(shown).toMatchObject({ '/x/a': '/y/b', '/y/b': '/x/a' });
  });

  it('keeps that name in the nearest folder that is left where its new folder was removed', async () => {
    const shown = await swappedWhile(write, async (files) => {
      await files.remove('/x/a');
      await files.rmdir('/x');
    });
    expect(shown).toEqual({ '/a': '/y/b', '/y': null });
  });

  it('keeps it beside what has that name in the nearest folder', async () => {
    const shown = await swappedWhile(write, async (files) => {
      await files.write('/a', 'of bob');
      await files.remove('/x/a');
      await files.rmdir('/x');
    });
    const { '/a': a, '/y': y, ...rest } = shown;
    expect([a, y]).toEqual(['of bob', null]);
    expect(Object.entries(rest)).toEqual([[expect.stringMatching(/^\/a \(conflict/), '/y/b']]);
  });

  it('is gone where others have removed it', async () => {
    const shown = await swappedWhile(write, (files) => files.remove('/y/b'));
    expect(Object.keys(shown).filter((path) => path.startsWith(SWAP))).toEqual([]);
  });

  it('keeps its name as a folder too, also where its new folder was moved into it', async () => {
    const shown = await swappedWhile(mkdir, (files) => files.rename('/x', '/y/b/x'));
    expect(Object.keys(shown).filter((path) => path.startsWith(SWAP))).toEqual([]);
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(['/a/x', '/y']));
  });
});
