/** Backups of a data folder as a server leaves it, and what comes of them. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { NativeHost } from '../../../shared/transport/native-host.ts';
import { present } from '../../../shared/util/assert.ts';
import { DataFolderBench, spoilAt } from '../../../test/support/data-folder-bench.ts';
import { readManifest } from './manifest.ts';
import { lockOf, makePrivate } from './target.ts';
import { lockMaintenance } from '../../data-folder.ts';
import { backupServer, checkServer, collectServer, restoreServer } from '../administration.ts';

const SMALL = Buffer.alloc(3000, 's');
const OTHER = Buffer.alloc(500, 'o');
const LARGE = Buffer.alloc(100_000, 'l');
const HEADER = 64;

let bench: DataFolderBench;
let target: string;

beforeEach(async () => {
  bench = await DataFolderBench.open();
  target = join(bench.root, 'backup');
});
afterEach(() => bench.close());

const backup = (verify = false) => backupServer(bench.folder.path, { target, verify, rate: null });
const restore = (to: string, more: { replace?: boolean; force?: boolean } = {}) =>
  restoreServer(join(bench.root, to), { backup: target, replace: false, force: false, ...more });
const check = (folder = 'data') =>
  checkServer(join(bench.root, folder), { repair: false, rate: 1e9 });
const packsIn = (folder: string): string[] =>
  readdirSync(join(folder, 'packs')).map((name) => join(folder, 'packs', name));
const contentIn = (folder: string, digest: string): string =>
  join(folder, 'contents', digest.slice(0, 2), digest);

describe('a backup of a data folder', () => {
  it('contains all contents that versions name and can be restored', async () => {
    const small = await bench.save(SMALL);
    const large = await bench.save(LARGE);
    await bench.put(Buffer.from('nobody names it'));
    const made = await backup();
    expect(made).toMatchObject({ missing: [], damaged: [] });
    expect(made.contents).toEqual({ count: 2, bytes: SMALL.length + LARGE.length });
    expect(made.volumes).toEqual([{ name: 'home', head: 5 }]);
    const restored = await restore('again');
    expect(restored).toMatchObject({ made: made.made, aside: null, lacking: [] });
    expect(restored.volumes).toEqual([{ volume: 'home', lastCommit: 5 }]);
    expect(await check('again')).toMatchObject({
      missing: [],
      damaged: [],
      use: { live: { count: 2 } },
    });
    expect(existsSync(contentIn(join(bench.root, 'again'), large))).toBe(true);
    expect(existsSync(contentIn(join(bench.root, 'again'), small))).toBe(false);
  });

  it('is readable only by its owner, with the key in it', async () => {
    await bench.save(LARGE);
    await backup();
    expect(statSync(target).mode & 0o777).toBe(0o700);
    const files = readdirSync(target, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      expect([file.name, statSync(join(file.parentPath, file.name)).mode & 0o077]).toEqual([
        file.name,
        0,
      ]);
    }
    const key = readFileSync(join(target, 'identity.json'), 'utf8');
    expect(key).toBe(readFileSync(bench.folder.identity, 'utf8'));
  });

  it('has the permissions of its mount on a disk without them, when the mount is ours', () => {
    const refusing = (): never => {
      throw Object.assign(new Error('refused'), { code: 'EPERM' });
    };
    const uid = present(process.getuid?.(), 'there are users');
    expect(() => makePrivate(target, uid, refusing)).not.toThrow();
    expect(() => makePrivate(target, uid + 1, refusing)).toThrow('refused');
  });

  it('copies only what is new since the previous one', async () => {
    await bench.save(SMALL);
    await bench.save(LARGE);
    const first = await backup();
    expect(first.copiedBytes).toBe(HEADER + SMALL.length + LARGE.length);
    expect((await backup()).copiedBytes).toBe(0);
    await bench.save(OTHER);
    expect((await backup()).copiedBytes).toBe(HEADER + OTHER.length);
    await restore('again');
    expect(await check('again')).toMatchObject({ missing: [], use: { live: { count: 3 } } });
  });

  it('shares no bytes with the server', async () => {
    const small = await bench.save(SMALL);
    const large = await bench.save(LARGE);
    await backup();
    await bench.spoil(small);
    await bench.spoil(large);
    await restore('again');
    expect(await check('again')).toMatchObject({ missing: [], damaged: [] });
  });

  it('copies after a collection only what was rewritten', async () => {
    await bench.openStore(100);
    const gone = await bench.put(Buffer.alloc(9000, 'g'));
    const largeGone = await bench.put(Buffer.alloc(90_000, 'g'));
    await bench.name(gone, 20, 100);
    await bench.name(largeGone, 21, 100);
    await bench.name(await bench.put(SMALL), 20, 50);
    await bench.name(await bench.put(OTHER), 21, 50);
    await backup();
    expect(existsSync(contentIn(target, largeGone))).toBe(true);
    utimesSync(contentIn(bench.folder.path, largeGone), 0, 0);
    await bench.closeStore();
    await collectServer(bench.folder.path, 7);
    const made = await backup();
    expect(made).toMatchObject({ missing: [], damaged: [], contents: { count: 2 } });
    expect(existsSync(contentIn(target, largeGone))).toBe(false);
    expect(packsIn(target).map((path) => statSync(path).size)).toEqual([
      2 * HEADER + SMALL.length + OTHER.length,
    ]);
    await restore('again');
    expect(await check('again')).toMatchObject({ missing: [], use: { live: { count: 2 } } });
  });

  it('has the state of the commit at which it began, with all its contents', async () => {
    await bench.save(SMALL);
    await backup();
    await bench.save(OTHER);
    await restore('again');
    expect(await check('again')).toMatchObject({ missing: [], use: { live: { count: 1 } } });
  });
});

describe('damaged or missing contents in a backup', () => {
  it('are reported for the server, and earlier copies in the backup stay', async () => {
    const small = await bench.save(SMALL);
    const large = await bench.save(LARGE);
    await backup();
    await bench.spoil(small);
    rmSync(contentIn(bench.folder.path, large));
    const lost = 'a'.repeat(64) as typeof small;
    await bench.name(lost);
    await bench.save(OTHER);
    expect(await backup()).toMatchObject({ missing: [lost], damaged: [] });
    const restored = await restore('again');
    expect(restored.lacking).toEqual([lost]);
    expect(await check('again')).toMatchObject({ missing: [lost], damaged: [] });
  });

  it("do not prevent a backup when they are the server's", async () => {
    const small = await bench.save(SMALL);
    const large = await bench.save(LARGE);
    await bench.save(OTHER);
    await bench.spoil(small);
    await bench.spoil(large);
    const damaged = [small, large].sort();
    expect(await backup()).toMatchObject({ missing: [], damaged });
    expect((await restore('again')).lacking).toEqual(damaged);
  });

  it('stay available in the backup when the server lost their pack', async () => {
    const small = await bench.save(SMALL);
    await backup();
    await bench.closeStore();
    for (const path of packsIn(bench.folder.path)) rmSync(path);
    await bench.openStore();
    expect(await backup()).toMatchObject({ missing: [small] });
    await restore('again');
    expect(await check('again')).toMatchObject({ missing: [], damaged: [] });
  });

  it.each([
    ['a pack', () => present(packsIn(target)[0], 'there is one')],
    ['a file', (large: string) => contentIn(target, large)],
  ])('are found in %s of the backup and repaired by --verify', async (_, path) => {
    const small = await bench.save(SMALL);
    const large = await bench.save(LARGE);
    await backup();
    spoilAt(path(large), 100);
    await expect(restore('again')).rejects.toMatchObject({ code: 'damaged-backup' });
    expect(existsSync(join(bench.root, 'again'))).toBe(false);
    const forced = await restore('forced', { force: true });
    expect([[small], [large]]).toContainEqual(forced.lacking);
    expect(await backup(true)).toMatchObject({ missing: [], damaged: [] });
    expect(await restore('again')).toMatchObject({ lacking: [] });
  });

  it('are repaired when their pack has grown', async () => {
    await bench.save(SMALL);
    await backup();
    spoilAt(present(packsIn(target)[0], 'there is one'), 100);
    await bench.save(OTHER);
    expect((await backup()).copiedBytes).toBe(2 * HEADER + SMALL.length + OTHER.length);
    expect(await restore('again')).toMatchObject({ lacking: [] });
  });
});

describe('a request for a backup', () => {
  const refused = (code: string) => expect(backup()).rejects.toMatchObject({ code });

  it.each([
    ['in the data folder', () => join(bench.folder.path, 'backup')],
    ['that is the data folder', () => bench.folder.path],
    ['around the data folder', () => bench.root],
    ['by way of a link in the data folder', () => linkTo(bench.folder.path)],
  ])('is refused %s', async (_, place) => {
    target = place();
    await refused('folder-nested');
    expect(existsSync(join(bench.folder.path, 'backup'))).toBe(false);
  });

  function linkTo(path: string): string {
    symlinkSync(path, join(bench.root, 'link'));
    return join(bench.root, 'link', 'backup');
  }

  it('is refused when the target has other files', async () => {
    mkdirSync(target, { mode: 0o755 });
    writeFileSync(join(target, 'photo'), 'x');
    await refused('not-a-backup');
    expect([readdirSync(target), statSync(target).mode & 0o777]).toEqual([['photo'], 0o755]);
  });

  it('is refused when the target is the backup of another server', async () => {
    const other = await DataFolderBench.open('e'.repeat(64));
    await backupServer(other.folder.path, { target, verify: false, rate: null });
    await other.close();
    await refused('other-backup');
  });

  it('is refused when the target cannot be written', async () => {
    target = '/proc/backup';
    await refused('folder-unusable');
    target = join(bench.root, 'not', 'there');
    await refused('folder-unusable');
    target = join(bench.root, 'file');
    writeFileSync(target, '');
    await refused('folder-unusable');
    target = join(target, 'below');
    await refused('folder-unusable');
  });

  it.each([
    ['can not be read', spoilPages],
    ['is impossible', spoilRow],
    ['was not written', spoilSeal],
    ['no commit wrote', spoilCommit],
  ])("is refused with a report when the server's database has what %s", async (_, spoil) => {
    await bench.save(SMALL);
    const file = bench.folder.database;
    const database = new Database(file);
    spoil(database);
    database.close();
    await expect(backup()).rejects.toMatchObject({
      code: 'damaged-database',
      message: expect.stringContaining(file) as unknown,
    });
    expect(readdirSync(target).filter((name) => name.startsWith('metadata-'))).toEqual([]);
  });

  /** The schema is read as ever; the first page of the vnodes is none. */
  function spoilPages(database: Database.Database): void {
    database.pragma('wal_checkpoint(TRUNCATE)');
    const size = database.pragma('page_size', { simple: true }) as number;
    const root = database
      .prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'vnode'")
      .pluck()
      .get();
    const bytes = readFileSync(database.name);
    bytes.fill(0xff, (present(root, 'a table') - 1) * size, present(root, 'a table') * size);
    writeFileSync(database.name, bytes);
  }

  function spoilSeal(database: Database.Database): void {
    database.exec("UPDATE user SET name = 'other'");
  }

  function spoilCommit(database: Database.Database): void {
    database.exec('UPDATE vnode SET mode = mode + 1');
  }

  /** A column that has always a value has none in one row. */
  function spoilRow(database: Database.Database): void {
    const say = (from: string, to: string): void => {
      database.pragma('writable_schema = ON');
      const change = 'UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?';
      database.prepare(change).run(from, to, 'volume');
      database.pragma('writable_schema = RESET');
    };
    database.unsafeMode();
    say('head INTEGER NOT NULL', 'head INTEGER');
    database.exec('UPDATE volume SET head = NULL');
    say('head INTEGER', 'head INTEGER NOT NULL');
  }

  it('is refused when a newer program made the target', async () => {
    await backup();
    writeFileSync(join(target, 'manifest.json'), '{"format":2}');
    await refused('newer-database');
    writeFileSync(join(target, 'manifest.json'), '{"format":1');
    await refused('damaged-backup');
  });

  it('is refused while another backup, a collection or a repair runs', async () => {
    const maintenance = lockMaintenance(bench.folder, new NativeHost());
    await refused('upkeep-running');
    maintenance.release();
    mkdirSync(target);
    const lock = present(new NativeHost().lockFile(lockOf(target)), 'nobody has it');
    await refused('upkeep-running');
    lock.release();
    await backup();
  });

  it('is refused when the server has another history than the target', async () => {
    await bench.save(SMALL);
    await backup();
    await bench.save(OTHER);
    const early = join(bench.root, 'early');
    await restore('early');
    await backup();
    const older = { target, verify: false, rate: null };
    await expect(backupServer(early, older)).rejects.toMatchObject({ code: 'other-backup' });
    expect(await restore('again')).toMatchObject({ lacking: [] });
  });

  it('is refused when the data folder has no server', async () => {
    const none = backupServer(join(bench.root, 'none'), { target, verify: false, rate: null });
    await expect(none).rejects.toMatchObject({ code: 'no-server' });
    expect(existsSync(target)).toBe(false);
  });
});

it('a backup of a restored server continues from the restored state', async () => {
  await bench.save(SMALL);
  await backup();
  const again = join(bench.root, 'again');
  await restore('again');
  const made = await backupServer(again, { target, verify: false, rate: null });
  expect(made).toMatchObject({ missing: [], copiedBytes: 0 });
  expect(readManifest(target)?.snapshot?.epoch).not.toBe(undefined);
});
