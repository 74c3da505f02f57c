/** What other devices do, put in place on the disk. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Mtime } from '../../../shared/model/vnode.ts';
import { FolderBench } from '../../../test/support/folder-bench.ts';

let bench: FolderBench;
beforeEach(() => {
  bench = new FolderBench();
});
afterEach(() => bench.destroy());

async function isSame(): Promise<void> {
  await bench.settled();
  await bench.shows(bench.volume.tree());
}

describe('the first start of a folder', () => {
  it('downloads everything with modes and times', async () => {
    bench.other.mkdir('d', 0o700);
    bench.other.mkdir('d/empty');
    await bench.other.write('d/file', 'contents', { mode: 0o6755 });
    bench.other.symlink('d/link', 'file');
    await bench.other.write('zero', '');
    bench.other.setattr('d/file', { mtime: '1234567890123456789' as Mtime });
    bench.other.setattr('d', { mtime: '1111111111111111111' as Mtime });
    await bench.start();
    await isSame();
    const stats = lstatSync(bench.path('d', 'file'), { bigint: true });
    expect(stats.mtimeNs).toBe(1234567890123456789n);
    expect(Number(stats.mode) & 0o7777).toBe(0o755);
    expect(lstatSync(bench.path('d'), { bigint: true }).mtimeNs).toBe(1111111111111111111n);
    expect(lstatSync(bench.path('d')).mode & 0o777).toBe(0o700);
    expect(bench.told()).toEqual([]);
  });

  it('adopts equal existing files and keeps different ones', async () => {
    mkdirSync(bench.path('d'), { recursive: true });
    writeFileSync(bench.path('d', 'same'), 'same');
    writeFileSync(bench.path('d', 'other'), 'mine');
    writeFileSync(bench.path('new'), 'new');
    symlinkSync('x', bench.path('link'));
    bench.other.mkdir('d');
    await bench.other.write('d/same', 'same');
    await bench.other.write('d/other', 'theirs');
    bench.other.symlink('link', 'x');
    await bench.start();
    await isSame();
    expect(bench.volume.obtained).toBe(1);
    expect(bench.volume.tree()).toEqual({
      'd/': '',
      'd/same': 'same',
      'd/other': 'theirs',
      'd/other (conflict)': 'mine',
      link: '-> x',
      new: 'new',
    });
  });
});

describe('later commits of others', () => {
  beforeEach(async () => {
    bench.other.mkdir('d');
    await bench.other.write('a', 'a');
    await bench.other.write('d/x', 'x');
    await bench.start();
    await isSame();
  });

  it('leave no fetched contents behind that are not shown here', async () => {
    writeFileSync(bench.path('.godwitignore'), '*.log\n');
    await isSame();
    await bench.other.write('x.log', 'ignored here');
    await bench.other.write('d/y.log', 'here too');
    await bench.other.write('a', 'and something after them');
    await bench.settled();
    expect(bench.tree()['a']).toBe('and something after them');
    await bench.until(() => readdirSync(bench.path('.godwit', 'tmp')).length === 0);
  });

  it('create, change and remove files', async () => {
    await bench.other.write('b', 'b');
    await bench.other.write('a', 'a2');
    bench.other.remove('d/x');
    bench.other.remove('d');
    await bench.shows({ a: 'a2', b: 'b' });
    await isSame();
    expect(bench.told()).toEqual([]);
  });

  it('change attributes of files', async () => {
    bench.other.setattr('a', { mode: 0o4711, mtime: '5000000000' as Mtime });
    bench.other.setattr('d', { mode: 0o500 });
    await bench.settled();
    await bench.until(() => (lstatSync(bench.path('d')).mode & 0o7777) === 0o500);
    expect(lstatSync(bench.path('a')).mode & 0o7777).toBe(0o711);
    expect(lstatSync(bench.path('a')).mtimeMs).toBe(5000);
    await bench.settled();
    expect(bench.told()).toEqual([]);
  });

  it('move names: files, whole directories, over another name and onto a freed one', async () => {
    const before = statSync(bench.path('d', 'x')).ino;
    bench.other.rename('d', 'e');
    bench.other.mkdir('d');
    bench.other.rename('a', 'd/a');
    await bench.other.write('t', 'new');
    bench.other.rename('t', 'd/a');
    await bench.shows({ 'e/': '', 'e/x': 'x', 'd/': '', 'd/a': 'new' });
    expect(statSync(bench.path('e', 'x')).ino).toBe(before);
    await isSame();
    expect(bench.told()).toEqual([]);
  });

  it('make hard links and replace them as a set', async () => {
    bench.other.link('a', 'd/a2');
    await bench.shows({ a: 'a', 'd/': '', 'd/a2': 'a', 'd/x': 'x' });
    expect(statSync(bench.path('a')).ino).toBe(statSync(bench.path('d', 'a2')).ino);
    await bench.other.write('a', 'both');
    await bench.shows({ a: 'both', 'd/': '', 'd/a2': 'both', 'd/x': 'x' });
    expect(statSync(bench.path('a')).ino).toBe(statSync(bench.path('d', 'a2')).ino);
    bench.other.remove('a');
    await bench.shows({ 'd/': '', 'd/a2': 'both', 'd/x': 'x' });
    await isSame();
    expect(bench.told()).toEqual([]);
  });

  it('show a file only when it has contents (W2)', async () => {
    const at = '1' as Mtime;
    const fid = bench.volume.takeFid();
    const place = bench.volume.place('later');
    bench.volume.remote({ op: 'create', fid, ...place, mode: 0o644, mtime: at, xattrs: [], at });
    await bench.settled();
    expect(existsSync(bench.path('later'))).toBe(false);
    await bench.other.write('later', 'now');
    await bench.shows({ a: 'a', 'd/': '', 'd/x': 'x', later: 'now' });
  });

  it('keep a directory with an unknown file in it, and bring it back', async () => {
    bench.other.remove('d/x');
    writeFileSync(bench.path('d', 'mine'), 'mine');
    bench.other.remove('d');
    await isSame();
    expect(bench.volume.tree()).toEqual({ a: 'a', 'd/': '', 'd/mine': 'mine' });
  });

  it('keep a directory with only ignored files in it, and do not bring it back', async () => {
    writeFileSync(bench.path('d', '.DS_Store'), 'junk');
    bench.other.remove('d/x');
    bench.other.remove('d');
    await bench.settled();
    expect(bench.volume.tree()).toEqual({ a: 'a' });
    expect(existsSync(bench.path('d', '.DS_Store'))).toBe(true);
  });

  it('are replaced by the whole present state when the history is gone', async () => {
    bench.volume.connected = false;
    await bench.close();
    await bench.other.write('a', 'a3');
    bench.other.remove('d/x');
    bench.other.rename('d', 'f');
    bench.volume.historyFrom = bench.volume.head;
    bench.volume.connected = true;
    await bench.open();
    await bench.shows({ a: 'a3', 'f/': '' });
    await isSame();
    expect(bench.told()).toEqual([]);
  });
});

describe('concurrent changes on both sides', () => {
  beforeEach(async () => {
    await bench.other.write('doc', 'one');
    bench.other.mkdir('d');
    await bench.start();
    await isSame();
  });

  it('keep a file that changes here while its new version is fetched', async () => {
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    bench.volume.onObtain = () => {
      arrive();
      return gate;
    };
    await bench.other.write('doc', 'theirs');
    await arrived;
    writeFileSync(bench.path('doc'), 'mine');
    go();
    await isSame();
    expect(bench.volume.tree()).toEqual({ 'd/': '', doc: 'theirs', 'doc (conflict)': 'mine' });
  });

  it("keep a new file here beside another device's of the same name", async () => {
    bench.volume.connected = false;
    writeFileSync(bench.path('new'), 'mine');
    await bench.folder.scan();
    await bench.other.write('new', 'theirs');
    bench.volume.connected = true;
    await isSame();
    expect(bench.volume.tree()).toMatchObject({ new: 'theirs', 'new (conflict)': 'mine' });
  });

  it('log a new file here first when another device has one of the same name', async () => {
    bench.limits = { ...bench.limits };
    writeFileSync(bench.path('new'), 'mine');
    await bench.other.write('new', 'theirs');
    await isSame();
    expect(bench.volume.tree()).toMatchObject({ new: 'theirs', 'new (conflict)': 'mine' });
  });

  it('merge the same file made on both sides', async () => {
    bench.volume.connected = false;
    mkdirSync(bench.path('both'));
    writeFileSync(bench.path('both', 'same'), 'same');
    writeFileSync(bench.path('both', 'mine'), 'mine');
    await bench.folder.scan();
    bench.other.mkdir('both');
    await bench.other.write('both/same', 'same');
    await bench.other.write('both/theirs', 'theirs');
    bench.volume.connected = true;
    await isSame();
    expect(bench.volume.tree()).toMatchObject({
      'both/mine': 'mine',
      'both/same': 'same',
      'both/theirs': 'theirs',
    });
    expect(Object.keys(bench.volume.tree())).toHaveLength(6);
  });

  it('keep a changed file here that another device removed', async () => {
    bench.volume.connected = false;
    writeFileSync(bench.path('doc'), 'mine');
    await bench.folder.scan();
    bench.other.remove('doc');
    bench.volume.connected = true;
    await isSame();
    expect(bench.volume.tree()).toEqual({ 'd/': '', doc: 'mine' });
  });

  it('keep an unlogged change here of a file that another device removed', async () => {
    writeFileSync(bench.path('doc'), 'mine');
    bench.other.remove('doc');
    await isSame();
    expect(bench.volume.tree()).toEqual({ 'd/': '', doc: 'mine' });
  });

  it('undo a removal here of a file that another device changed', async () => {
    bench.volume.connected = false;
    rmSync(bench.path('doc'));
    await bench.folder.scan();
    await bench.other.write('doc', 'theirs');
    bench.volume.connected = true;
    await isSame();
    expect(bench.volume.tree()).toEqual({ 'd/': '', doc: 'theirs' });
  });

  it('undo a rename here of a file that another device renamed', async () => {
    bench.volume.connected = false;
    renameSync(bench.path('doc'), bench.path('mine'));
    await bench.folder.scan();
    bench.other.rename('doc', 'theirs');
    bench.volume.connected = true;
    await isSame();
    expect(bench.volume.tree()).toEqual({ 'd/': '', theirs: 'one' });
  });

  it('do not follow a directory that was swapped for a link', async () => {
    const outside = `${bench.dir}/outside`;
    mkdirSync(outside);
    rmSync(bench.path('d'), { recursive: true });
    symlinkSync(outside, bench.path('d'));
    await bench.other.write('d/secret', 'x');
    await bench.settled();
    expect(existsSync(`${outside}/secret`)).toBe(false);
  });

  it('make a conflict copy of a late write to a replaced file', async () => {
    await bench.destroy();
    bench = new FolderBench();
    bench.limits = { ...bench.limits, late: 150 as never };
    await bench.other.write('doc', 'one');
    await bench.start();
    const { openSync, writeSync, closeSync } = await import('node:fs');
    const fd = openSync(bench.path('doc'), 'r+');
    await bench.other.write('doc', 'two');
    await bench.shows({ doc: 'two' });
    writeSync(fd, 'late and longer');
    closeSync(fd);
    await bench.volume.until(() => Object.keys(bench.volume.tree()).length === 2);
    await isSame();
    const [copy] = Object.keys(bench.volume.tree()).filter((name) => name !== 'doc');
    expect(copy).toMatch(/^doc \(conflict, laptop, /);
    expect(readFileSync(bench.path(copy ?? ''), 'utf8')).toBe('late and longer');
  });
});
