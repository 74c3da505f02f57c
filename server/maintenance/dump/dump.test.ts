import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { VolumePage } from '../../../shared/model/stored.ts';
import { EMPTY_DIGEST, type CommitNumber, type Digest } from '../../../shared/model/vnode.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { NativeHost } from '../../../shared/transport/native-host.ts';
import { present } from '../../../shared/util/assert.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { fidOf, FIRST, MetaScript, ROOT } from '../../../test/conformance/meta-script.ts';
import { PackedContentStore } from '../../adapters/content-packs/content-packs.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../../adapters/meta-sqlite/sqlite-meta-store.ts';
import { dataFolder, lockData, lockMaintenance } from '../../data-folder.ts';
import { checkServer } from '../check/check.ts';
import { NO_LOG } from '../no-log.ts';
import { beside } from '../volumes/clone-volume.ts';
import { createSnapshot } from '../volumes/snapshots.ts';
import { listVolumes, removeVolume } from '../volumes/volumes.ts';
import { DUMP_MAGIC } from './dump-format.ts';
import { DumpReader } from './dump-reader.ts';
import { dumpVolume } from './dump-volume.ts';
import { loadFrom, loadVolume } from './load-volume.ts';

const host = new NativeHost();
const coded = (code: string): unknown => expect.objectContaining({ code });

/** A data folder with a database and contents, without a server. */
class Bench {
  readonly path: string;
  readonly file: string;
  readonly #contents = new Map<string, Digest>();

  readonly store: SqliteMetaStore;

  private constructor(above: string, name: string, store: SqliteMetaStore) {
    this.store = store;
    this.path = join(above, name);
    this.file = join(this.path, 'server.db');
  }

  static async in(above: string, name: string): Promise<Bench> {
    mkdirSync(join(above, name, 'spool'), { recursive: true });
    const bench = new Bench(above, name, new SqliteMetaStore(join(above, name, 'server.db')));
    await bench.store.open(FIRST);
    return bench;
  }

  async put(texts: readonly string[]): Promise<ReadonlyMap<string, Digest>> {
    const contents = await PackedContentStore.open(this.path, { log: NO_LOG, wall: Date.now });
    for (const text of new Set(texts)) {
      const path = join(this.path, 'spool', 'one');
      writeFileSync(path, text);
      const { digest } = await host.digestFile(path);
      if (text !== '') await contents.put(path, digest as Digest);
      this.#contents.set(text, text === '' ? EMPTY_DIGEST : (digest as Digest));
    }
    await contents.close();
    return this.#contents;
  }

  on<T>(work: (database: Sqlite) => T): T {
    const database = openServerDatabase(this.file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  }

  /** Names, with what they lead to: fids and commits are of the server. */
  async shown(volume: VolumeId): Promise<unknown[]> {
    const at = this.on(
      (database) =>
        database
          .prepare('SELECT head FROM volume WHERE id = ?')
          .pluck()
          .get(volume) as CommitNumber,
    );
    const key = { kind: 'snapshot', volume, at, after: null, limit: 10_000 } as const;
    const { vnodes } = (await this.store.load([key]))[0] as VolumePage;
    const paths = new Map<Fid, string>();
    const pathOf = (fid: Fid): string => {
      const vnode = present(
        vnodes.find(({ status }) => status.fid === fid),
        'it is listed',
      );
      const [first] = vnode.names;
      return paths.get(fid) ?? (first === undefined ? '' : `${pathOf(first.dir)}/${first.name}`);
    };
    return vnodes
      .map(({ status, names }) => ({
        ...{ ...status, fid: 0, commit: 0 },
        names: names.map(({ dir, name }) => `${pathOf(dir)}/${name}`).sort(),
      }))
      .sort((a, b) => (a.names.join() < b.names.join() ? -1 : 1));
  }
}

let above: string;
let from: Bench;
let to: Bench;
let dump: string;

beforeEach(async () => {
  above = mkdtempSync(join(tmpdir(), 'godwit-dump-'));
  from = await Bench.in(above, 'from');
  to = await Bench.in(above, 'to');
  dump = join(above, 'home.dump');
});
afterEach(async () => {
  await from.store.close();
  await to.store.close();
  rmSync(above, { recursive: true });
});

const LARGE = 'a long one '.repeat(60_000);
/** Files with these contents, by vnode from 10 on, half of them in a folder; with a file of two names and a symlink. */
async function fill(bench: Bench, texts: readonly string[]): Promise<MetaScript> {
  const digests = await bench.put(texts);
  const script = await MetaScript.on(bench.store);
  script.mkdir(fidOf(2), ROOT, 'letters').create(fidOf(3), ROOT, 'to', 'symlink');
  for (const [n, text] of texts.entries()) {
    const [fid, digest] = [fidOf(10 + n), present(digests.get(text), 'it was put')];
    script.create(fid, n % 2 === 0 ? ROOT : fidOf(2), `file ${n}`).store(fid, text.length);
    const { status, entries } = present(script.vnodes.get(fid), 'it is there');
    const row = { status: { ...status, digest }, entries };
    script.vnodes.set(fid, row);
    const writes = script.pending
      .splice(0)
      .map((write) =>
        write.kind === 'vnode' && write.row.status.fid === fid && write.row.status.digest !== null
          ? { ...write, row }
          : write,
      );
    const content = { kind: 'content', digest, size: text.length } as const;
    await bench.store.commit([content, ...writes]);
  }
  await script.flush();
  return script;
}

const dumpHome = (what = 'home') => dumpVolume(from.path, what, dump, host);
const load = (name: string | null = 'copy') =>
  loadVolume(to.path, dump, { name, owner: FIRST.userName, quota: null }, host);
const HOME = 1 as VolumeId;
const namesIn = (bench: Bench): string[] =>
  bench.on((database) => listVolumes(database).map(({ name }) => name));

describe('a dump of a volume', () => {
  it('becomes a volume of another server, with all names and contents', async () => {
    const script = await fill(from, ['one', LARGE, '', 'one', 'four']);
    await script.link(fidOf(10), fidOf(2), 'also').flush();
    expect(await dumpHome()).toEqual({ files: 6, bytes: LARGE.length + 10 });
    const loaded = await load();
    expect(await to.shown(loaded.number)).toEqual(await from.shown(HOME));
    const report = await checkServer(to.path, { repair: false, rate: Infinity }, host);
    expect(report).toMatchObject({ missing: [], damaged: [], miscounted: [], unsealed: 0 });
    expect(report.use.live.count).toBe(3);
    expect(readdirSync(join(to.path, 'spool'))).toEqual([]);
  });

  it('becomes a volume beside a server that runs, and of the same server', async () => {
    await fill(from, ['one', LARGE]);
    await dumpHome();
    const lock = present(lockData(dataFolder(to.path), host), 'no server runs');
    const loaded = await load();
    lock.release();
    expect(await to.shown(loaded.number)).toEqual(await from.shown(HOME));
    const report = await checkServer(to.path, { repair: false, rate: Infinity }, host);
    expect(report).toMatchObject({ missing: [], damaged: [] });
    const asked = { name: 'again', owner: null, quota: 1 };
    const again = await loadVolume(from.path, dump, asked, host);
    expect(await from.shown(again.number)).toEqual(await from.shown(HOME));
  });

  it('is of its snapshot, and of a removed volume there is none', async () => {
    const script = await fill(from, ['one', 'two']);
    const before = await from.shown(HOME);
    from.on((database) => createSnapshot(database, 'home', 'then', FIRST.when));
    await script.remove(ROOT, 'file 0').flush();
    await dumpHome('home@then');
    expect(await to.shown((await load()).number)).toEqual(before);
    from.on((database) => removeVolume(database, 'home', FIRST.when));
    rmSync(dump);
    await expect(dumpHome()).rejects.toEqual(coded('volume-removed'));
    expect(readdirSync(above)).toEqual(['from', 'to']);
  });

  it('has the same files for each volume that there can be', async () => {
    const text = fc.oneof(fc.constant(''), fc.string({ maxLength: 40 }), fc.constant(LARGE));
    let n = 0;
    const check = async (texts: string[]): Promise<void> => {
      n += 1;
      const bench = await Bench.in(above, `from ${n}`);
      const ascii = texts.map((each) => each.replaceAll(/[^ -~]/g, '?'));
      await fill(bench, ascii);
      const path = join(above, `${n}.dump`);
      await dumpVolume(bench.path, 'home', path, host);
      const asked = { name: `copy ${n}`, owner: null, quota: null };
      const { number } = await loadVolume(to.path, path, asked, host);
      expect(await to.shown(number)).toEqual(await bench.shown(HOME));
      await bench.store.close();
    };
    await fc.assert(fc.asyncProperty(fc.array(text, { maxLength: 20 }), check), { numRuns: 8 });
    const report = await checkServer(to.path, { repair: false, rate: Infinity }, host);
    expect(report).toMatchObject({ missing: [], damaged: [], miscounted: [] });
  });

  it('is not made over a file, nor of damaged contents', async () => {
    await fill(from, ['one', LARGE]);
    writeFileSync(dump, 'mine');
    await expect(dumpHome()).rejects.toEqual(coded('exists'));
    expect(readFileSync(dump, 'utf8')).toBe('mine');
    rmSync(dump);
    const { digest } = await host.digestFile(contentOf(LARGE));
    writeFileSync(join(from.path, 'contents', digest.slice(0, 2), digest), 'something else');
    await expect(dumpHome()).rejects.toEqual(coded('damaged-contents'));
    expect(existsSync(dump)).toBe(false);
  });

  it('does not replace a file that was made under its name meanwhile', async () => {
    await fill(from, ['one']);
    const late = {
      renameNoReplace: (made: string, path: string) => {
        writeFileSync(path, 'mine');
        host.renameNoReplace(made, path);
      },
    };
    const slow = Object.assign(Object.create(host) as NativeHost, late);
    await expect(dumpVolume(from.path, 'home', dump, slow)).rejects.toEqual(coded('exists'));
    expect(readFileSync(dump, 'utf8')).toBe('mine');
    expect(readdirSync(dirname(dump)).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('waits for no collection: it says that one is under way', async () => {
    const maintenance = lockMaintenance(dataFolder(from.path), host);
    await expect(dumpHome()).rejects.toEqual(coded('upkeep-running'));
    maintenance.release();
  });
});

/** A file with that text, to be asked for its digest. */
function contentOf(text: string): string {
  const path = join(above, 'content');
  writeFileSync(path, text);
  return path;
}

describe('a file that is no whole dump', () => {
  it('loads nothing, wherever it is cut short', async () => {
    await fill(from, ['one', 'two'.repeat(50), 'three']);
    await dumpHome();
    const whole = readFileSync(dump);
    for (let length = 0; length < whole.length; length += 37) {
      writeFileSync(dump, whole.subarray(0, length));
      await expect(load()).rejects.toEqual(
        coded(length < DUMP_MAGIC.length + 2 ? 'not-a-dump' : 'damaged-dump'),
      );
    }
    expect(namesIn(to)).toEqual(['home']);
    const left = to.on((database) => database.prepare('SELECT count(*) FROM vnode').pluck().get());
    expect(left).toBe(1);
    expect(readdirSync(join(to.path, 'spool'))).toEqual([]);
  });

  it('loads nothing, whichever byte is another one', async () => {
    await fill(from, ['one', 'two'.repeat(50), 'three']);
    await dumpHome();
    const whole = readFileSync(dump);
    for (let at = DUMP_MAGIC.length + 2; at < whole.length; at += 41) {
      const altered = Buffer.from(whole);
      altered.writeUInt8(altered.readUInt8(at) ^ 4, at);
      writeFileSync(dump, altered);
      await expect(load()).rejects.toEqual(coded('damaged-dump'));
    }
    writeFileSync(dump, Buffer.concat([whole, Buffer.from('x')]));
    await expect(load()).rejects.toEqual(coded('damaged-dump'));
    expect(namesIn(to)).toEqual(['home']);
  });

  it('says whether it is foreign, newer, or a folder', async () => {
    writeFileSync(dump, 'a letter');
    await expect(load()).rejects.toEqual(coded('not-a-dump'));
    writeFileSync(dump, `${DUMP_MAGIC}2\nwhat comes`);
    await expect(load()).rejects.toEqual(coded('newer-dump'));
    rmSync(dump);
    await expect(load()).rejects.toEqual(coded('not-found'));
    mkdirSync(dump);
    await expect(load()).rejects.toBeInstanceOf(GodwitError);
  });
});

describe('a load', () => {
  it('takes the name of the dump, and no name that is taken', async () => {
    await fill(from, ['one']);
    await dumpHome();
    await expect(load(null)).rejects.toEqual(coded('exists'));
    await expect(load('a:b')).rejects.toEqual(coded('usage'));
    expect((await load('b')).name).toBe('b');
  });

  it('leaves nothing where the disk is full', async () => {
    await fill(from, ['one', 'two', 'three']);
    await dumpHome();
    const reader = await DumpReader.open(dump);
    const database = openServerDatabase(to.file);
    let puts = 0;
    const put = (): Promise<void> =>
      ++puts < 2 ? Promise.resolve() : Promise.reject(new GodwitError('server-full'));
    const spool = join(to.path, 'spool');
    const asked = { name: 'copy', owner: null, quota: null };
    const into = { put, spool, host };
    await expect(loadFrom(reader, asked, beside(database), into)).rejects.toEqual(
      coded('server-full'),
    );
    await reader.close();
    const left = database.prepare('SELECT count(*) FROM vnode').pluck().get();
    database.close();
    expect([left, readdirSync(spool), namesIn(to)]).toEqual([1, [], ['home']]);
  });
});
