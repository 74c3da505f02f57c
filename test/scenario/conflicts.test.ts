/** Two laptops change the same thing while they are disconnected: nobody's work is lost (C1-C3). */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { agreed } from './agreed.ts';

type Work = (files: UserFiles) => Promise<unknown>;
type Shown = Record<string, string | null>;

interface Apart {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
}

/** Starts two laptops that show the same, and disconnects the first. */
async function apart(before: Work): Promise<Apart> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, before);
  await cluster.settled();
  cluster.cut(ada);
  return { cluster, ada, bob };
}

/** The tree that both show after one worked disconnected and the other worked meanwhile. */
async function reunited(before: Work, adas: Work, bobs: Work): Promise<Shown> {
  const { cluster, ada, bob } = await apart(before);
  await cluster.at(ada, adas);
  await cluster.at(bob, bobs);
  await cluster.settled([bob]);
  cluster.heal(ada);
  return agreed(cluster);
}

const DOC: Work = (files) => files.write('/doc', 'first');
const COPY = /^\/doc \(conflict, ada, \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\)$/;

function copyOf(shown: Shown): string | null | undefined {
  const names = Object.keys(shown).filter((path) => COPY.test(path));
  expect(names).toHaveLength(1);
  return shown[names[0] ?? ''];
}

describe('two disconnected laptops', () => {
  it('both write a file: the first to commit keeps the name, and the other becomes a conflict copy', async () => {
    const shown = await reunited(
      DOC,
      (files) => files.write('/doc', "ada's"),
      (files) => files.write('/doc', "bob's"),
    );
    expect(shown['/doc']).toBe("bob's");
    expect(copyOf(shown)).toBe("ada's");
    expect(Object.keys(shown)).toHaveLength(2);
  });

  it.each<[string, Work, (by: string) => Work]>([
    [
      'link',
      (files) => files.symlink('/l', 'old'),
      (by) => async (files) => {
        await files.remove('/l');
        await files.symlink('/l', by);
      },
    ],
    [
      'file',
      (files) => files.write('/l', 'old'),
      (by) => async (files) => {
        await files.remove('/l');
        await files.write('/l', by);
      },
    ],
  ])(
    'both put a %s in the place of one that they remove: that is one conflict',
    async (_what, before, act) => {
      const { cluster, ada, bob } = await apart(before);
      await cluster.at(ada, act('ada'));
      await cluster.at(bob, act('bob'));
      await cluster.settled([bob]);
      cluster.heal(ada);
      const shown = await agreed(cluster);
      expect(Object.keys(shown)).toHaveLength(2);
      const told = ({ status }: ClientNode) =>
        status.conflicts.map(({ kind, path, copy }) => [kind, path, copy !== path]);
      expect(told(ada)).toEqual([['name', 'l', true]]);
      expect(told(bob)).toEqual([['elsewhere', 'l', true]]);
    },
  );

  it('one removes a file and makes another where the other wrote: that is one conflict', async () => {
    const { cluster, ada, bob } = await apart(DOC);
    await cluster.at(ada, async (files) => {
      await files.remove('/doc');
      await files.write('/doc', "ada's");
    });
    await cluster.at(bob, (files) => files.write('/doc', "bob's"));
    await cluster.settled([bob]);
    cluster.heal(ada);
    expect((await agreed(cluster))['/doc']).toBe("bob's");
    expect(ada.status.conflicts.map(({ kind }) => kind)).toEqual(['name']);
  });

  it('both create a file of one name: the first to commit keeps the name', async () => {
    const shown = await reunited(
      (files) => files.mkdir('/dir'),
      (files) => files.write('/doc', "ada's"),
      (files) => files.write('/doc', "bob's"),
    );
    expect(shown['/doc']).toBe("bob's");
    expect(copyOf(shown)).toBe("ada's");
  });

  it.each([
    ['both had', DOC],
    ['both make', (files: UserFiles) => files.mkdir('/dir')],
  ])(
    'save a file (which they %s) many times, as editors do: one conflict copy has the last version',
    async (_, before) => {
      const saved =
        (times: number, by: string): Work =>
        async (files) => {
          for (let time = 1; time <= times; time++) {
            await files.write('/doc.tmp', `${by} ${time}`);
            await files.rename('/doc.tmp', '/doc');
          }
        };
      const shown = await reunited(before, saved(4, 'ada'), saved(2, 'bob'));
      expect(shown['/doc']).toBe('bob 2');
      expect(copyOf(shown)).toBe('ada 4');
    },
  );

  it('both write the same contents: there is no conflict', async () => {
    const same: Work = (files) => files.write('/doc', 'the same');
    expect(await reunited(DOC, same, same)).toEqual({ '/doc': 'the same' });
    expect(await reunited((files) => files.mkdir('/dir'), same, same)).toEqual({
      '/dir': null,
      '/doc': 'the same',
    });
  });

  it('both create a folder of one name: it becomes one folder with the files of both', async () => {
    const shown = await reunited(
      DOC,
      async (files) => {
        await files.mkdir('/dir');
        await files.write('/dir/a', 'a');
      },
      async (files) => {
        await files.mkdir('/dir');
        await files.write('/dir/b', 'b');
      },
    );
    expect(shown).toEqual({ '/dir': null, '/dir/a': 'a', '/dir/b': 'b', '/doc': 'first' });
  });

  it.each<[string, Work, Work]>([
    ['one removes, the other writes', (f) => f.remove('/doc'), (f) => f.write('/doc', 'kept')],
    ['one writes, the other removes', (f) => f.write('/doc', 'kept'), (f) => f.remove('/doc')],
  ])('disagree about a removal (%s): the write wins', async (_, adas, bobs) => {
    expect(Object.values(await reunited(DOC, adas, bobs))).toEqual(['kept']);
  });

  it('both rename a file: it ends up with one of the names', async () => {
    const shown = await reunited(
      DOC,
      (files) => files.rename('/doc', '/by ada'),
      (files) => files.rename('/doc', '/by bob'),
    );
    expect(Object.values(shown)).toEqual(['first']);
  });

  it('write and rename the same file: the new name has the new contents', async () => {
    const shown = await reunited(
      DOC,
      (files) => files.write('/doc', 'new'),
      (files) => files.rename('/doc', '/paper'),
    );
    expect(shown).toEqual({ '/paper': 'new' });
  });

  it('rename two folders into each other: the later rename is refused and undone', async () => {
    const shown = await reunited(
      async (files) => {
        await files.mkdir('/x');
        await files.mkdir('/y');
      },
      (files) => files.rename('/x', '/y/x'),
      (files) => files.rename('/y', '/x/y'),
    );
    expect(shown).toEqual({ '/x': null, '/x/y': null });
  });

  it('fill and remove the same folder: the new file is kept', async () => {
    const shown = await reunited(
      (files) => files.mkdir('/dir'),
      (files) => files.write('/dir/new', 'kept'),
      (files) => files.rmdir('/dir'),
    );
    expect(Object.values(shown)).toContain('kept');
  });

  it('write the same file, one of them by rename as editors do: both texts are kept', async () => {
    const shown = await reunited(
      DOC,
      async (files) => {
        await files.write('/.doc.swp', "ada's");
        await files.rename('/.doc.swp', '/doc');
      },
      (files) => files.write('/doc', "bob's"),
    );
    expect(new Set(Object.values(shown))).toEqual(new Set(["ada's", "bob's"]));
  });
});

it('both laptops report a conflict, and the winner stops when the conflict copy is removed', async () => {
  const { cluster, ada, bob } = await apart(DOC);
  await cluster.at(ada, (files) => files.write('/doc', "ada's"));
  await cluster.at(bob, (files) => files.write('/doc', "bob's"));
  await cluster.settled([bob]);
  cluster.heal(ada);
  await cluster.settled();
  const told = (laptop: ClientNode) => laptop.status.conflicts;
  const copy = told(ada)[0]?.copy;
  const volume = bob.status.volumes[0]?.name;
  expect(told(ada)).toMatchObject([{ kind: 'contents', volume, path: 'doc' }]);
  expect(told(bob)).toMatchObject([{ kind: 'elsewhere', volume, path: 'doc', copy }]);
  await cluster.restart(bob);
  await cluster.at(ada, async (files) => {
    await files.rename('/doc', '/paper');
    await files.mkdir('/dir');
    await files.rename(`/${copy ?? ''}`, '/dir/copy');
    await files.rename('/dir', '/there');
  });
  await cluster.settled();
  expect(told(bob)).toMatchObject([{ kind: 'elsewhere', path: 'paper', copy: 'there/copy' }]);
  await cluster.at(ada, (files) => files.remove('/there/copy'));
  await cluster.settled();
  expect(told(bob)).toEqual([]);
  expect(told(ada)).toHaveLength(1);
});

it('a file that is merely called like a conflict copy is no conflict', async () => {
  const { cluster, ada, bob } = await apart(DOC);
  cluster.heal(ada);
  const called = (stem: string) => `/${stem} (conflict, bob, 2026-11-27 08.16.33).txt`;
  await cluster.at(ada, async (files) => {
    await files.write(called('name'), 'of an old folder');
    await files.mkdir(called('folder'));
    await files.write('/later', 'x');
    await files.rename('/later', called('given'));
    await files.link(called('name'), called('second'));
  });
  await cluster.settled();
  await cluster.at(ada, (files) => files.remove(called('name')));
  await cluster.settled();
  const back = { path: [called('name').slice(1)], version: null, at: null, to: null };
  await cluster.run(ada.daemon.past.restore('home', back), 'it to be back');
  await cluster.settled();
  for (const laptop of [ada, bob]) expect(laptop.status.conflicts).toEqual([]);
});

it('both laptops list a conflict whose copy has a name that was cut to its limit', async () => {
  const long = `/${'n'.repeat(250)}`;
  const { cluster, ada, bob } = await apart((files) => files.write(long, 'first'));
  await cluster.at(ada, (files) => files.write(long, "ada's"));
  await cluster.at(bob, (files) => files.write(long, "bob's"));
  await cluster.settled([bob]);
  cluster.heal(ada);
  await cluster.settled();
  for (const laptop of [ada, bob]) expect(laptop.status.conflicts).toHaveLength(1);
});

it('a losing version that a program has open gets its later writes in the conflict copy', async () => {
  const { cluster, ada, bob } = await apart(DOC);
  await cluster.at(ada, (files) => files.write('/doc', 'ada 1'));
  await cluster.at(bob, (files) => files.write('/doc', "bob's"));
  await cluster.settled([bob]);
  const { fid } = await cluster.at(ada, (files) => files.look('/doc'));
  const { fileSystem } = ada.daemon;
  const opened = await cluster.run(fileSystem.open(fid, { mode: 'write', truncate: true }));
  cluster.heal(ada);
  await cluster.settled();
  ada.disk.write(opened.path, new TextEncoder().encode('ada 2'));
  await cluster.run(fileSystem.close(opened.handle, {}));
  const shown = await agreed(cluster);
  expect(shown['/doc']).toBe("bob's");
  expect(copyOf(shown)).toBe('ada 2');
});
