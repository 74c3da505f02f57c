/** Ends in good order, crashes at any point, and folders that are not where they were. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { milliseconds, minutes } from '../../../shared/model/time.ts';
import { FolderBench } from '../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../test/support/hooked-host.ts';

let bench: FolderBench;
beforeEach(() => {
  bench = new FolderBench();
});
afterEach(() => bench.destroy());

async function isSame(): Promise<void> {
  await bench.settled();
  await bench.shows(bench.volume.tree());
}

describe('a folder that is closed and opened again', () => {
  it('logs what was done meanwhile, once', async () => {
    await bench.start();
    for (const name of ['a', 'b', 'c']) writeFileSync(bench.path(name), name);
    await bench.settled();
    await bench.close();
    renameSync(bench.path('a'), bench.path('a2'));
    writeFileSync(bench.path('b'), 'changed');
    unlinkSync(bench.path('c'));
    bench.told();
    await bench.start();
    expect(bench.told().filter((line) => !line.startsWith('setattr'))).toEqual(
      expect.arrayContaining(['rename a -> a2', 'store b', 'remove c']),
    );
    expect(bench.volume.tree()).toEqual({ a2: 'a', b: 'changed' });
    await bench.close();
    await bench.start();
    expect(bench.told()).toEqual([]);
  });

  it('applies what came meanwhile after what was done here', async () => {
    await bench.other.write('a', 'a');
    await bench.start();
    await bench.close();
    await bench.other.write('a', 'theirs');
    await bench.other.write('b', 'b');
    writeFileSync(bench.path('a'), 'mine');
    await bench.start();
    await isSame();
    expect(bench.volume.tree()).toEqual({ a: 'theirs', 'a (conflict)': 'mine', b: 'b' });
  });

  it('returns a verified copy of what is in place and of nothing else', async () => {
    await bench.other.write('a', 'a');
    await bench.start();
    await isSame();
    const { fid, version, digest } = bench.volume.status('a');
    if (digest === null) throw new Error('it has contents');
    const copy = await bench.folder.copyOf(fid, version, digest);
    expect(copy).not.toBeNull();
    expect(await bench.folder.anyCopyOf(fid)).toMatchObject({ version, digest, length: 1 });
    writeFileSync(bench.path('a'), 'other');
    expect(await bench.folder.copyOf(fid, version, digest)).toBeNull();
    expect(await bench.folder.anyCopyOf(fid)).toBeNull();
  });

  it.each([
    ['there is no space for a copy', 'ENOSPC', 'disk-full'],
    ['the disk takes no copy', 'EIO', 'disk-failing'],
    ['the disk is read-only', 'EROFS', 'disk-failing'],
  ])('does not claim to have no copy when %s', async (_, errno, code) => {
    const host = new HookedHost();
    const full = new FolderBench(host);
    await full.other.write('a', 'a');
    await full.start();
    await full.settled();
    const { fid } = full.volume.status('a');
    host.refuse('copying', 'a', errno);
    await expect(full.folder.anyCopyOf(fid)).rejects.toMatchObject({ code });
    host.refuse('copying', null);
    expect(await full.folder.anyCopyOf(fid)).toMatchObject({ length: 1 });
    await full.destroy();
  });

  it('has no copy of what cannot be read', async () => {
    const host = new HookedHost();
    const failing = new FolderBench(host);
    await failing.other.write('a', 'a');
    await failing.start();
    await failing.settled();
    const { fid } = failing.volume.status('a');
    host.refuse('taking', 'a', 'EIO');
    expect(await failing.folder.anyCopyOf(fid)).toBeNull();
    await failing.destroy();
  });
});

describe("a crash of the folder's daemon", () => {
  it('makes nothing twice after logging and before recording', async () => {
    mkdirSync(bench.path('d'), { recursive: true });
    for (const name of ['moved', 'changed', 'removed']) writeFileSync(bench.path(name), name);
    await bench.start();
    bench.keepRecords();
    mkdirSync(bench.path('e', 'f'), { recursive: true });
    writeFileSync(bench.path('e', 'f', 'new'), 'new');
    symlinkSync('x', bench.path('link'));
    renameSync(bench.path('moved'), bench.path('d', 'moved'));
    writeFileSync(bench.path('changed'), 'changed again');
    unlinkSync(bench.path('removed'));
    await bench.settled();
    const before = bench.volume.tree();
    const head = bench.volume.head;
    await bench.crash();
    bench.told();
    await bench.start();
    await isSame();
    expect(bench.told().filter((line) => !line.startsWith('setattr'))).toEqual([]);
    expect(bench.volume.tree()).toEqual(before);
    expect(bench.volume.head - head).toBeLessThan(8);
  });

  it('keeps later changes of a directory after logging and before recording', async () => {
    await bench.start();
    bench.keepRecords();
    mkdirSync(bench.path('d'));
    await bench.settled();
    await bench.crash();
    writeFileSync(bench.path('d', 'gone'), 'gone');
    unlinkSync(bench.path('d', 'gone'));
    await bench.start();
    await isSame();
    const { mtimeNs } = lstatSync(bench.path('d'), { bigint: true });
    expect(bench.volume.status('d').mtime).toBe(String(mtimeNs));
  });

  it('leaves queued updates to be found again when the server is away', async () => {
    await bench.start();
    bench.keepRecords();
    bench.volume.connected = false;
    writeFileSync(bench.path('new'), 'new');
    await bench.folder.scan();
    await bench.crash();
    bench.told();
    await bench.open();
    await bench.folder.scan();
    expect(bench.told().filter((line) => !line.startsWith('setattr'))).toEqual([]);
    bench.volume.connected = true;
    await isSame();
    expect(bench.volume.tree()).toEqual({ new: 'new' });
  });

  it('leaves placed files unchanged after placing and before recording', async () => {
    await bench.other.write('a', 'a');
    bench.other.mkdir('d');
    await bench.other.write('d/x', 'x');
    await bench.start();
    await isSame();
    bench.keepRecords();
    await bench.other.write('a', 'a2');
    await bench.other.write('b', 'b');
    bench.other.rename('d', 'e');
    bench.other.remove('e/x');
    await isSame();
    await bench.crash();
    writeFileSync(join(bench.root, '.godwit', 'tmp', 'half'), 'half');
    await bench.start();
    await isSame();
    expect(bench.told()).toEqual([]);
    expect(bench.volume.tree()).toEqual({ a: 'a2', b: 'b', 'e/': '' });
    expect(readdirSync(join(bench.root, '.godwit', 'tmp'))).toEqual([]);
  });

  it('lets a conflict under way be resolved once', async () => {
    await bench.other.write('doc', 'one');
    await bench.start();
    await isSame();
    bench.volume.connected = false;
    writeFileSync(bench.path('doc'), 'mine');
    writeFileSync(bench.path('new'), 'mine');
    await bench.folder.scan();
    bench.keepRecords();
    await bench.other.write('doc', 'theirs');
    await bench.other.write('new', 'theirs');
    const adjusted = bench.volume.adjusted.bind(bench.volume);
    let died = (): void => undefined;
    const dead = new Promise<void>((resolve) => (died = resolve));
    // Done on the disk, but the core never hears of it.
    bench.volume.adjusted = () => {
      died();
      return Promise.reject(new Error('died'));
    };
    bench.volume.connected = true;
    await dead;
    await bench.crash();
    bench.volume.adjusted = adjusted;
    await bench.start();
    await isSame();
    expect(bench.volume.tree()).toEqual({
      doc: 'theirs',
      'doc (conflict)': 'mine',
      new: 'theirs',
      'new (conflict)': 'mine',
    });
  });
});

describe('the root of the folder', () => {
  beforeEach(async () => {
    await bench.start();
    for (let i = 0; i < 100; i++) writeFileSync(bench.path(`file-${i}`), String(i));
    await bench.settled();
    bench.told();
  });

  const gone = (): boolean =>
    bench.folder.status().errors.some(({ code }) => code === 'folder-moved');

  it('removes nothing when it vanishes and is accepted when it is back', async () => {
    renameSync(bench.root, `${bench.root}-away`);
    await bench.until(gone);
    await expect(bench.folder.scan()).rejects.toMatchObject({ code: 'folder-moved' });
    expect(bench.told()).toEqual([]);
    renameSync(`${bench.root}-away`, bench.root);
    await bench.until(() => !gone());
    writeFileSync(bench.path('after'), 'after');
    await bench.volume.until(() => bench.volume.tree()['after'] === 'after');
    expect(Object.keys(bench.volume.tree())).toHaveLength(101);
  });

  it('removes nothing when it was replaced by an empty folder', async () => {
    await bench.close();
    rmSync(bench.root, { recursive: true });
    mkdirSync(bench.root);
    await bench.open();
    await bench.until(gone);
    expect(bench.told()).toEqual([]);
    expect(existsSync(bench.path('file-1'))).toBe(false);
  });

  it('is not created again when it is gone at the start', async () => {
    await bench.close();
    renameSync(bench.root, `${bench.root}-away`);
    await bench.open();
    await expect(bench.folder.scan()).rejects.toMatchObject({ code: 'folder-moved' });
    expect(existsSync(bench.root)).toBe(false);
  });

  it('needs a confirmation for many removals from a time without a daemon', async () => {
    await bench.close();
    for (let i = 0; i < 60; i++) unlinkSync(bench.path(`file-${i}`));
    writeFileSync(bench.path('new'), 'new');
    await bench.start();
    expect(bench.told().filter((line) => line.startsWith('remove'))).toEqual([]);
    expect(Object.keys(bench.volume.tree())).toHaveLength(101);
    expect(bench.folder.status()).toMatchObject({
      errors: [{ code: 'removals-held', path: null }],
    });
    expect(bench.folder.heldRemovals()).toBe(60);
    expect(bench.folder.unsettled().paths).toBe(60);
    expect(await bench.folder.confirmRemovals()).toBe(60);
    await bench.settled();
    expect(Object.keys(bench.volume.tree())).toHaveLength(41);
    expect(bench.folder.status()).toEqual({ errors: [] });
    expect(await bench.folder.confirmRemovals()).toBe(0);
  });

  it('gets rejected removals back, except files that returned otherwise', async () => {
    await bench.close();
    mkdirSync(bench.path('kept'));
    renameSync(bench.path('file-7'), bench.path('kept/file-7'));
    for (let i = 0; i < 60; i++) rmSync(bench.path(`file-${i}`), { force: true });
    await bench.start();
    expect(bench.folder.heldRemovals()).toBe(59);
    writeFileSync(bench.path('file-3'), 'written anew');
    expect(await bench.folder.rejectRemovals()).toBe(58);
    await bench.settled();
    expect(bench.folder.heldRemovals()).toBe(0);
    expect(bench.folder.status()).toEqual({ errors: [] });
    expect(readFileSync(bench.path('file-3'), 'utf8')).toBe('written anew');
    expect(existsSync(bench.path('file-7'))).toBe(false);
    expect(readdirSync(bench.root).filter((name) => name.startsWith('file-'))).toHaveLength(99);
    expect(bench.told().filter((line) => line.startsWith('remove'))).toEqual([]);
    expect(await bench.folder.rejectRemovals()).toBe(0);
  });

  it('needs no confirmation for many removals that the daemon sees', async () => {
    for (let i = 0; i < 60; i++) unlinkSync(bench.path(`file-${i}`));
    await bench.volume.until(() => Object.keys(bench.volume.tree()).length === 40);
  });
});

describe('a start of the folder', () => {
  const refused = (code: string) => expect(bench.open()).rejects.toMatchObject({ code });

  it('is refused on a file, in or around another folder, and on one of another device', async () => {
    writeFileSync(bench.root, 'a file');
    await refused('in-the-way');
    unlinkSync(bench.root);
    await bench.start();

    const inner = new FolderBench();
    Object.assign(inner, { root: bench.path('inner') });
    await expect(inner.open()).rejects.toMatchObject({ code: 'folder-nested' });
    expect(existsSync(bench.path('inner'))).toBe(false);
    Object.assign(inner, { root: bench.dir });
    await expect(inner.open()).rejects.toMatchObject({ code: 'folder-nested' });
    const marker = join(bench.root, '.godwit', 'marker.json');
    await bench.close();
    writeFileSync(marker, JSON.stringify({ volume: 7, device: 'desktop', token: 'x' }));
    Object.assign(inner, { root: bench.root });
    await expect(inner.open()).rejects.toMatchObject({ code: 'folder-unusable' });
    await inner.destroy();
  });

  it('is refused while another daemon keeps the folder in sync', async () => {
    await bench.start();
    const second = new FolderBench();
    Object.assign(second, { root: bench.root });
    await expect(second.open()).rejects.toMatchObject({ code: 'folder-taken' });
    writeFileSync(bench.path('goes-on'), 'x');
    await bench.settled();
    expect(bench.volume.tree()).toEqual({ 'goes-on': 'x' });
    await bench.folder.close();
    await second.open();
    await second.destroy();
  });

  it('is refused when the data folder is inside', async () => {
    Object.assign(bench, { dataDir: join(bench.root, 'data') });
    await refused('folder-unusable');
  });
});

describe('ignored and unusable files in the folder', () => {
  it('stay unsynced by default or by `.godwitignore`, until a rule is removed', async () => {
    mkdirSync(bench.path('build', 'out'), { recursive: true });
    writeFileSync(bench.path('build', 'out', 'o'), 'o');
    writeFileSync(bench.path('.DS_Store'), 'junk');
    writeFileSync(bench.path('a.log'), 'log');
    writeFileSync(bench.path('.godwitignore'), 'build/\n*.log\n');
    await bench.start();
    expect(Object.keys(bench.volume.tree())).toEqual(['.godwitignore']);
    await bench.other.write('b.log', 'theirs');
    await bench.settled();
    expect(existsSync(bench.path('b.log'))).toBe(false);
    writeFileSync(bench.path('.godwitignore'), 'build/out\n');
    await bench.volume.until(() => bench.volume.tree()['a.log'] === 'log');
    await bench.until(() => existsSync(bench.path('b.log')));
    await bench.volume.until(() => bench.volume.tree()['build/'] === undefined);
  });

  it('stay on both sides when they are newly ignored', async () => {
    await bench.start();
    writeFileSync(bench.path('secret'), 'one');
    await bench.settled();
    writeFileSync(bench.path('.godwitignore'), 'secret\n');
    await bench.settled();
    writeFileSync(bench.path('secret'), 'two');
    await bench.settled();
    expect(bench.volume.tree()['secret']).toBe('one');
    unlinkSync(bench.path('secret'));
    await bench.settled();
    expect(bench.volume.tree()['secret']).toBe('one');
  });

  const removedWhileIgnored = async () => {
    await bench.start();
    mkdirSync(bench.path('cache'));
    writeFileSync(bench.path('cache', 'x'), 'x');
    writeFileSync(bench.path('secret'), 'one');
    await bench.settled();
    writeFileSync(bench.path('.godwitignore'), 'secret\ncache\n');
    await bench.settled();
    rmSync(bench.path('cache'), { recursive: true });
    unlinkSync(bench.path('secret'));
    await bench.settled();
  };
  const isBack = () => existsSync(bench.path('secret')) && existsSync(bench.path('cache', 'x'));

  it('come back when they were removed here while ignored and the rule ends', async () => {
    await removedWhileIgnored();
    unlinkSync(bench.path('.godwitignore'));
    await bench.until(isBack);
    await bench.settled();
    expect(bench.volume.tree()).toEqual({ 'cache/': '', 'cache/x': 'x', secret: 'one' });
  });

  it('come back also when the rule ends while the daemon is off', async () => {
    await removedWhileIgnored();
    await bench.folder.scan();
    await bench.folder.close();
    unlinkSync(bench.path('.godwitignore'));
    await bench.start();
    await bench.until(isBack);
    expect(bench.volume.tree()).toEqual({ 'cache/': '', 'cache/x': 'x', secret: 'one' });
  });

  it('are saved when they were edited here while ignored and the rule ends', async () => {
    await bench.start();
    writeFileSync(bench.path('edited'), 'one');
    await bench.settled();
    writeFileSync(bench.path('.godwitignore'), 'edited\n');
    await bench.settled();
    writeFileSync(bench.path('edited'), 'two');
    await bench.settled();
    expect(bench.volume.tree()['edited']).toBe('one');
    unlinkSync(bench.path('.godwitignore'));
    await bench.volume.until(() => bench.volume.tree()['edited'] === 'two');
  });

  it('are reported and skipped when their name is no text or they are special files', async () => {
    await bench.start();
    const bad = Buffer.concat([Buffer.from(`${bench.root}/`), Buffer.from([0xff, 0x41])]);
    writeFileSync(bad, 'x');
    writeFileSync(bench.path('good'), 'good');
    await bench.settled();
    expect(bench.volume.tree()).toEqual({ good: 'good' });
    expect(bench.folder.status().errors).toMatchObject([{ code: 'name-unusable' }]);
    unlinkSync(bad);
    await bench.settled();
    expect(bench.folder.status().errors).toEqual([]);
  });

  it('are reported and tried again after a failure of the disk or the log', async () => {
    await bench.start();
    let full = true;
    bench.volume.onLog = () => {
      if (full) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
    };
    writeFileSync(bench.path('a'), 'a');
    await bench.until(() => bench.folder.status().errors.length > 0);
    expect(bench.folder.status().errors).toMatchObject([{ code: 'disk-full' }]);
    full = false;
    await bench.volume.until(() => bench.volume.tree()['a'] === 'a');
    await bench.until(() => bench.folder.status().errors.length === 0);
  });

  it('are tried again by a scan, which reports what still fails', async () => {
    bench.limits = { ...bench.limits, retry: minutes(60) };
    await bench.start();
    let failures = 3;
    bench.volume.onLog = ({ op }) => {
      if (op !== 'create') return;
      failures -= 1;
      if (failures >= 0) throw Object.assign(new Error('it broke'), { code: 'EIO' });
    };
    writeFileSync(bench.path('a'), 'a');
    await bench.folder.scan();
    expect(bench.folder.unlogged()).toBeNull();
    await bench.volume.until(() => bench.volume.tree()['a'] === 'a');
    failures = Infinity;
    writeFileSync(bench.path('b'), 'b');
    await bench.folder.scan();
    expect(bench.folder.unlogged()).toMatchObject({
      code: 'sync-blocked',
      message: '/b: it can not be taken in: the disk fails (EIO)',
    });
    unlinkSync(bench.path('b'));
    await bench.folder.scan();
    expect(bench.folder.unlogged()).toBeNull();
  });

  it('do not delay others when they are written without end', async () => {
    // So long that a machine with much else to do writes more often than that.
    bench.limits = { ...bench.limits, settle: milliseconds(2_000) };
    await bench.start();
    let count = 0;
    const writer = setInterval(() => writeFileSync(bench.path('log'), `${count++}`), 10);
    try {
      writeFileSync(bench.path('other'), 'other');
      await bench.volume.until(() => bench.volume.tree()['other'] === 'other');
      expect(bench.volume.tree()['log']).toBeUndefined();
    } finally {
      clearInterval(writer);
    }
    await bench.volume.until(() => bench.volume.tree()['log'] === String(count - 1));
  });

  it('are synced in spite of modes that exclude their owner', async () => {
    await bench.start();
    mkdirSync(bench.path('d'));
    chmodSync(bench.path('d'), 0o500);
    await bench.settled();
    await bench.other.write('d/in', 'in');
    await bench.shows({ 'd/': '', 'd/in': 'in' });
    await bench.settled();
    expect(bench.volume.status('d').mode).toBe(0o500);
  });
});
