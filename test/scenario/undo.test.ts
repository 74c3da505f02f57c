/** `godwit undo` (W8) reverts the changes of this device where nobody has changed the files since. */
import { describe, expect, it, jest } from '@jest/globals';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { MemoryContentStore } from '../../app/lab/simulator/store/memory-content-store.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { rootOf } from '../../shared/model/fid.ts';
import { minutes } from '../../shared/model/time.ts';
import type { UndoExtent } from '../../shared/ports/controlled.ts';
import { RpcServer } from '../../server/runtime/rpc-server.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { decodeRequest } from '../../shared/wire/codec.ts';
import { agreed } from './agreed.ts';

async function start(): Promise<{ cluster: Cluster; ada: ClientNode; bob: ClientNode }> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.mkdir('/d');
    await files.mkdir('/d/e');
    for (const name of ['a', 'b', 'e/c']) await files.write(`/d/${name}`, name);
    await files.write('/doc', 'first');
  });
  await cluster.settled();
  return { cluster, ada, bob };
}

const BEFORE = {
  '/d': null,
  '/d/a': 'a',
  '/d/b': 'b',
  '/d/e': null,
  '/d/e/c': 'e/c',
  '/doc': 'first',
};

function undo(cluster: Cluster, at: ClientNode, extent: UndoExtent = { last: 1 }, dryRun = false) {
  return cluster.run(at.daemon.past.undo('home', extent, dryRun), 'what was done to be undone');
}

async function removeAll(cluster: Cluster, at: ClientNode): Promise<void> {
  await cluster.at(at, async (files) => {
    for (const name of ['a', 'e/c', 'b']) await files.remove(`/d/${name}`);
    await files.rmdir('/d/e');
    await files.rmdir('/d');
  });
}

describe('undo of own changes', () => {
  it('restores a removed folder as one action on all laptops, also before the removal is committed', async () => {
    const { cluster, ada, bob } = await start();
    await removeAll(cluster, bob);
    const report = await undo(cluster, bob);
    expect(report.failed).toEqual([]);
    const made = report.done.map(({ path, as }) => (as === 'made' ? path : `${path}: ${as}`));
    // A folder before what is in it; which of two files goes first is the order in which their removals were committed.
    expect(made[0]).toBe('/d');
    expect(made.indexOf('/d/e')).toBeLessThan(made.indexOf('/d/e/c'));
    expect(made.sort()).toEqual(['/d', '/d/a', '/d/b', '/d/e', '/d/e/c']);
    expect(await agreed(cluster)).toEqual(BEFORE);
    expect(await undo(cluster, ada, { last: 9 })).toEqual({ done: [], failed: [] });
  });

  it('restores everything that was changed since a time', async () => {
    const { cluster, ada } = await start();
    await cluster.pass(minutes(5));
    const since = cluster.server.clock.wall();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.at(ada, (files) => files.write('/doc', 'third'));
    await cluster.at(ada, (files) => files.remove('/doc'));
    await removeAll(cluster, ada);
    await cluster.settled();
    const report = await undo(cluster, ada, { since });
    expect(report.failed).toEqual([]);
    expect(await agreed(cluster)).toEqual(BEFORE);
  });

  it('reverses overwrites, renames, saves by rename and an undo itself', async () => {
    const { cluster, ada } = await start();
    await cluster.at(ada, async (files) => {
      await files.rename('/d/a', '/d/b');
      await files.write('/.doc.tmp', 'second');
      await files.rename('/.doc.tmp', '/doc');
    });
    await cluster.settled();
    expect(await undo(cluster, ada)).toMatchObject({
      done: [{ path: '/doc', as: 'contents' }],
      failed: [],
    });
    expect(await agreed(cluster)).toMatchObject({ '/doc': 'first', '/d/b': 'a' });
    expect(await undo(cluster, ada)).toMatchObject({ done: [{ path: '/doc', as: 'contents' }] });
    expect(await agreed(cluster)).toMatchObject({ '/doc': 'second' });
  });

  it('lists the acts of this device, and takes back one of them alone', async () => {
    const { cluster, ada, bob } = await start();
    await removeAll(cluster, ada);
    await cluster.pass(minutes(5));
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.at(ada, (files) => files.rename('/doc', '/letter'));
    await cluster.settled();
    const { acts } = await cluster.run(ada.daemon.past.acts('home', 10), 'the acts');
    expect(acts).toMatchObject([
      { kind: 'renamed', path: '/doc', to: '/letter', things: 1 },
      { kind: 'wrote', path: '/letter', to: null, things: 1 },
      { kind: 'removed', path: '/d', to: null, things: 5 },
    ]);
    const first = await cluster.run(ada.daemon.past.acts('home', 1), 'the last act');
    expect(first.acts).toEqual(acts.slice(0, 1));
    expect((await cluster.run(bob.daemon.past.acts('home', 10), 'no acts')).acts).toEqual([]);
    const report = await undo(cluster, ada, { act: acts[2]?.act ?? 0 });
    expect(report.failed).toEqual([]);
    const { '/doc': doc, ...others } = BEFORE;
    expect(doc).toBe('first');
    expect(await agreed(cluster)).toEqual({ ...others, '/letter': 'second' });
  });

  it('says which change of this device stands before one that is taken back alone', async () => {
    const { cluster, ada } = await start();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.settled();
    await cluster.at(ada, (files) => files.write('/doc', 'third'));
    await cluster.settled();
    const { acts } = await cluster.run(ada.daemon.past.acts('home', 10), 'the acts');
    expect(acts).toHaveLength(2);
    expect(await undo(cluster, ada, { act: acts[1]?.act ?? 0 })).toMatchObject({
      done: [],
      failed: [{ path: '/doc', message: expect.stringMatching(/^this device has changed/) }],
    });
    expect(await undo(cluster, ada, { act: acts[0]?.act ?? 0 })).toMatchObject({ failed: [] });
    expect(await agreed(cluster)).toMatchObject({ '/doc': 'second' });
  });

  it('says that this device removed what a change was about, where it did', async () => {
    const { cluster, ada } = await start();
    await cluster.at(ada, (files) => files.write('/d/a', 'second'));
    await cluster.at(ada, (files) => files.setattr('/d/b', { mode: 0o600 }));
    await cluster.at(ada, (files) => files.rename('/d/e/c', '/c'));
    await cluster.settled();
    const { acts } = await cluster.run(ada.daemon.past.acts('home', 10), 'the acts');
    await cluster.at(ada, async (files) => {
      for (const name of ['/d/a', '/d/b', '/c']) await files.remove(name);
    });
    await cluster.settled();
    for (const { act } of acts) {
      const { failed } = await undo(cluster, ada, { act });
      expect(failed.map(({ message }) => message)).toEqual([
        expect.stringMatching(/this device (has moved, )?removed .*since: take that back first$/),
      ]);
    }
    expect(acts.length).toBeGreaterThan(1);
  });

  it('brings many files back beside each other', async () => {
    const { cluster, ada } = await start();
    await cluster.at(ada, async (files) => {
      for (let i = 0; i < 40; i++) await files.write(`/d/e/${i}`, `${i}`);
    });
    await cluster.settled();
    await cluster.at(ada, async (files) => {
      for (let i = 0; i < 40; i++) await files.remove(`/d/e/${i}`);
    });
    await cluster.settled();
    const { fileSystem } = ada.daemon;
    const open = fileSystem.open.bind(fileSystem);
    let [running, most] = [0, 0];
    const spy = jest.spyOn(fileSystem, 'open').mockImplementation(async (...given) => {
      running += 1;
      most = Math.max(most, running);
      return open(...given).finally(() => (running -= 1));
    });
    const report = await undo(cluster, ada, { last: 40 });
    spy.mockRestore();
    expect(report.failed).toEqual([]);
    expect(report.done).toHaveLength(40);
    expect(most).toBeGreaterThan(8);
  });

  it('makes nothing twice that was brought back since, and of a folder what is lacking', async () => {
    const { cluster, ada, bob } = await start();
    await removeAll(cluster, bob);
    await cluster.settled();
    const { acts } = await cluster.run(bob.daemon.past.acts('home', 1), 'the acts');
    const extent = { act: acts[0]?.act ?? 0 };
    await undo(cluster, bob, extent);
    expect(await agreed(cluster)).toEqual(BEFORE);
    expect(await undo(cluster, bob, extent)).toEqual({
      done: [],
      failed: [{ path: '/d', code: 'changed-since', message: 'it is there again already' }],
    });
    expect(await agreed(cluster)).toEqual(BEFORE);
    await cluster.at(ada, (files) => files.remove('/d/e/c'));
    await cluster.settled();
    await undo(cluster, bob, extent);
    expect(await agreed(cluster)).toEqual(BEFORE);
  });

  it('restores both files after a rename over another one', async () => {
    const { cluster, ada } = await start();
    await cluster.pass(minutes(5));
    await cluster.at(ada, (files) => files.rename('/d/a', '/d/b'));
    const report = await undo(cluster, ada);
    expect(report).toEqual({
      done: [
        { path: '/d/a', as: 'moved', to: '/d/a' },
        { path: '/d/b', as: 'made', to: '/d/b' },
      ],
      failed: [],
    });
    expect(await agreed(cluster)).toEqual(BEFORE);
  });

  it('restores modes, also of files that were removed or written since', async () => {
    const { cluster, ada, bob } = await start();
    await cluster.pass(minutes(5));
    const since = cluster.server.clock.wall();
    await cluster.at(ada, async (files) => {
      for (const path of ['/d', '/d/a', '/doc']) await files.setattr(path, { mode: 0o700 });
      await files.setattr('/d/a', { mode: 0o600 });
      await files.remove('/d/a');
    });
    // The last commit is undone first.
    await cluster.settled();
    await cluster.at(ada, async (files) => {
      await files.write('/doc', 'second');
      await files.write('/new', 'new');
      await files.setattr('/new', { mode: 0o755 });
    });
    const report = await undo(cluster, ada, { since });
    expect(report.failed).toEqual([]);
    expect(report.done.map(({ path, as }) => `${path} ${as}`)).toEqual([
      '/doc contents',
      '/d/a made',
      '/doc mode',
      '/d mode',
    ]);
    expect(await agreed(cluster)).toEqual({ ...BEFORE, '/new': 'new' });
    const modes = await cluster.at(bob, (files) =>
      Promise.all(
        ['/d', '/d/a', '/doc', '/new'].map(async (path) => (await files.look(path)).mode),
      ),
    );
    expect(modes).toEqual([0o755, 0o644, 0o644, 0o755]);
    await cluster.at(ada, (files) => files.setattr('/doc', { mode: 0o600 }));
    await cluster.settled();
    await cluster.at(bob, (files) => files.setattr('/doc', { mode: 0o640 }));
    await cluster.settled();
    expect(await undo(cluster, ada)).toMatchObject({
      failed: [{ path: '/doc', code: 'changed-since' }],
    });
  });

  it('restores one of two hard-linked names as a link', async () => {
    const { cluster, ada } = await start();
    await cluster.at(ada, async (files) => {
      await files.link('/doc', '/other');
      await files.remove('/doc');
    });
    await undo(cluster, ada);
    expect(await agreed(cluster)).toEqual({ ...BEFORE, '/other': 'first' });
    const [doc, other] = await cluster.at(ada, (files) =>
      Promise.all([files.look('/doc'), files.look('/other')]),
    );
    expect(doc?.fid).toBe(other?.fid);
  });

  it('changes nothing in a dry run and reports what it would do', async () => {
    const { cluster, ada } = await start();
    await cluster.at(ada, (files) => files.remove('/doc'));
    const report = await undo(cluster, ada, { last: 1 }, true);
    expect(report).toEqual({ done: [{ path: '/doc', as: 'made', to: '/doc' }], failed: [] });
    expect(await agreed(cluster)).toEqual({ ...BEFORE, '/doc': undefined });
  });
});

describe('undo of changes that others built upon', () => {
  it('leaves alone what another device has changed since, and reports it', async () => {
    const { cluster, ada, bob } = await start();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.at(ada, (files) => files.rename('/d/a', '/moved'));
    await cluster.settled();
    await cluster.at(bob, (files) => files.write('/doc', 'from bob'));
    await cluster.at(bob, (files) => files.rename('/moved', '/moved on'));
    await cluster.settled();
    const report = await undo(cluster, ada, { last: 2 });
    expect(report.done).toEqual([]);
    expect(report.failed.map(({ path, code }) => [path, code])).toEqual([
      ['/moved', 'changed-since'],
      ['/doc', 'changed-since'],
    ]);
    expect(await agreed(cluster)).toMatchObject({ '/doc': 'from bob', '/moved on': 'a' });
  });

  it("leaves alone what another device has written into the new file of an editor's save", async () => {
    const { cluster, ada, bob } = await start();
    await cluster.at(ada, async (files) => {
      await files.remove('/doc');
      await files.write('/doc', 'second');
    });
    await cluster.settled();
    await cluster.at(bob, (files) => files.write('/doc', 'from bob'));
    await cluster.settled();
    const report = await undo(cluster, ada);
    expect(report.done).toEqual([]);
    expect(report.failed).toMatchObject([{ path: '/doc', code: 'changed-since' }]);
    expect(await agreed(cluster)).toMatchObject({ '/doc': 'from bob' });
  });

  it('puts a removed file beside its name when another device has used that name since', async () => {
    const { cluster, ada, bob } = await start();
    await cluster.at(ada, (files) => files.remove('/doc'));
    await cluster.settled();
    await cluster.at(bob, (files) => files.write('/doc', 'from bob'));
    await cluster.settled();
    const report = await undo(cluster, ada);
    expect(report).toEqual({
      done: [{ path: '/doc', as: 'made', to: '/doc (restored)' }],
      failed: [],
    });
    expect(await agreed(cluster)).toMatchObject({ '/doc': 'from bob', '/doc (restored)': 'first' });
  });

  it('puts a moved file beside its old name when that name is taken at that moment', async () => {
    const { cluster, ada } = await start();
    await cluster.at(ada, (files) => files.rename('/doc', '/moved'));
    await cluster.settled();
    const { fileSystem } = ada.daemon;
    const rename = fileSystem.rename.bind(fileSystem);
    const spy = jest.spyOn(fileSystem, 'rename').mockImplementationOnce(async (...given) => {
      const [, { dir, name }] = given;
      const { fid } = await fileSystem.create(dir, name, { mode: 0o644 });
      const { handle } = await fileSystem.open(fid, { mode: 'write', truncate: true });
      await fileSystem.close(handle, {});
      return rename(...given);
    });
    const report = await undo(cluster, ada);
    spy.mockRestore();
    expect(report).toMatchObject({ done: [{ as: 'moved', to: '/doc (restored)' }], failed: [] });
    expect(await agreed(cluster)).toMatchObject({ '/doc': '', '/doc (restored)': 'first' });
  });

  it("keeps a program's new file in the place of one that could not be restored", async () => {
    const { cluster, ada } = await start();
    await cluster.at(ada, (files) => files.remove('/d/a'));
    await cluster.settled();
    const { fileSystem } = ada.daemon;
    const away = jest.spyOn(MemoryContentStore.prototype, 'locate').mockResolvedValue(null);
    const open = fileSystem.open.bind(fileSystem);
    const spy = jest.spyOn(fileSystem, 'open').mockImplementationOnce(async (fid, how) => {
      const dir = (await fileSystem.lookup(rootOf(HOME), 'd')).fid;
      const at = (name: string) => ({ dir, name });
      await fileSystem.rename(at('a'), at('moved'));
      await fileSystem.rename(at('b'), at('a'));
      return open(fid, how);
    });
    const report = await undo(cluster, ada);
    for (const each of [away, spy]) each.mockRestore();
    expect(report.failed.map(({ path }) => path)).toEqual(['/d/a']);
    await cluster.settled();
    expect(cluster.shown(ada)).toMatchObject({ '/d/a': 'b' });
  });

  it('leaves no empty file for contents that the server no longer has', async () => {
    const { cluster, ada } = await start();
    await cluster.at(ada, (files) => files.remove('/d/a'));
    await cluster.settled();
    const spy = jest.spyOn(MemoryContentStore.prototype, 'locate').mockResolvedValue(null);
    const report = await undo(cluster, ada);
    expect(report.done).toEqual([]);
    expect(report.failed.map(({ path }) => path)).toEqual(['/d/a']);
    spy.mockRestore();
    await cluster.settled();
    expect(cluster.shown(ada)).toEqual({ ...BEFORE, '/d/a': undefined });
  });
});

describe('the history of a volume', () => {
  it('is hidden from users without access, and read-only users cannot restore from it', async () => {
    const { cluster } = await start();
    const reader = await cluster.join('read', 'guest');
    await cluster.settled();
    const { past } = reader.daemon;
    const told = await cluster.run(past.versions('home', ['doc']));
    expect(told.versions).toHaveLength(1);
    const order = { path: ['doc'], version: null, at: null, to: null };
    await expect(cluster.run(past.restore('home', order))).rejects.toMatchObject({
      code: 'no-right',
    });
    await expect(undo(cluster, reader)).rejects.toMatchObject({ code: 'no-right' });
    cluster.server.metaStore.allow('guest', HOME, null);
    await cluster.pass(minutes(1));
    await expect(cluster.run(past.versions('home', ['doc']))).rejects.toBeDefined();
  });

  it('is refused when the server is away', async () => {
    const { cluster, ada } = await start();
    cluster.cut(ada);
    await cluster.pass(minutes(2));
    const asked = cluster.run(ada.daemon.past.versions('home', ['doc']));
    await expect(asked).rejects.toMatchObject({ code: 'not-connected' });
  });

  it('is reported as missing on an older server, and everything else goes on', async () => {
    const { cluster, ada } = await start();
    const incoming = Reflect.get<RpcServer, 'incoming'>(RpcServer.prototype, 'incoming');
    const spy = jest.spyOn(RpcServer.prototype, 'incoming');
    spy.mockImplementation(function (this: RpcServer, connection, call, message) {
      const isOfThePast = decodeRequest(message.header, 'client').rpc.startsWith('Past');
      // An older server can't read a request that it does not know.
      const header = isOfThePast ? Uint8Array.from([0x92, 0xcd, 0x27, 0x0f, 0x80]) : message.header;
      incoming.call(this, connection, call, { ...message, header });
    });
    try {
      await expect(cluster.run(ada.daemon.past.versions('home', ['doc']))).rejects.toMatchObject({
        code: 'server-too-old',
      });
      await cluster.at(ada, (files) => files.write('/doc', 'second'));
      expect(await agreed(cluster)).toMatchObject({ '/doc': 'second' });
    } finally {
      spy.mockRestore();
    }
  });
});

async function removeTree(files: UserFiles, folder: string): Promise<void> {
  for (const { name, attributes } of await files.list(folder)) {
    const path = `${folder}/${name}`;
    if (attributes.kind === 'directory') await removeTree(files, path);
    else await files.remove(path);
  }
  await files.rmdir(folder);
}

describe('undo of random changes of one device', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'restores every file that existed before: seed %d',
    async (seed) => {
      const { cluster, ada } = await start();
      await cluster.pass(minutes(5));
      const since = cluster.server.clock.wall();
      const random = new SeededRandom(`undo ${seed}`);
      for (let number = 0; number < 25; number++) {
        const tree = Object.entries(cluster.shown(ada));
        const files = tree.filter(([, text]) => text !== null).map(([path]) => path);
        const folders = ['', ...tree.filter(([, text]) => text === null).map(([path]) => path)];
        const one = (paths: readonly string[]): string => paths[random.below(paths.length)] ?? '';
        const [path, folder] = [one(files), one(folders)];
        const act = random.below(8);
        await cluster
          .at(ada, async (at) => {
            if (act === 0) await at.write(`${folder}/new ${number}`, `new ${number}`);
            else if (act === 1) await at.write(path, `written ${number}`);
            else if (act === 2) await at.remove(path);
            else if (act === 3) await at.rename(path, `${folder}/moved ${number}`);
            else if (act === 4) await at.rename(path, one(files));
            else if (act === 5) await at.link(path, `${folder}/link ${number}`);
            else if (act === 6 && folder !== '') await removeTree(at, folder);
            else if (folder !== '') await at.rename(folder, `/folder ${number}`);
          })
          .catch((error: unknown) => {
            // A random thing may be none that can be done.
            expect(error).toBeInstanceOf(GodwitError);
          });
        if (random.below(3) === 0) await cluster.settled();
      }
      await cluster.settled();
      const report = await undo(cluster, ada, { since });
      expect(report.failed).toEqual([]);
      const after = await agreed(cluster);
      for (const [path, text] of Object.entries(BEFORE)) {
        // What was made since under an old name keeps it: the old file is beside it then.
        const isThere = ([place, shown]: [string, string | null]): boolean =>
          shown === text && (place === path || place.includes(' (restored'));
        expect({ path, isThere: Object.entries(after).some(isThere) }).toEqual({
          path,
          isThere: true,
        });
      }
    },
  );
});
