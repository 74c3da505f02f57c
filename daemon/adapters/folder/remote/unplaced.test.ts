/**
 * What came from elsewhere and can't be put in place here: it is said with its path and the reason, who flushes is told, and it resolves
 * itself when what is in the way goes.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;
beforeEach(() => {
  bench = new FolderBench();
});
afterEach(() => bench.destroy());

/** As `godwit flush --wait` on the side that does not get it. */
async function flush(): Promise<void> {
  await bench.folder.scan();
  await bench.folder.reached(bench.volume.head, 'says');
}

function isSaid(path: string, reason: RegExp): void {
  expect(bench.folder.status().errors).toEqual([
    expect.objectContaining({
      code: 'place-taken',
      path,
      message: expect.stringMatching(reason),
      remedy: expect.stringContaining('move it away'),
    }),
  ]);
  const waiting = bench.folder.waiting().filter((each) => each.path === path);
  expect(waiting).toEqual([{ path, reason: expect.stringMatching(reason) }]);
  expect(bench.folder.unsettled().commits).toBe(1);
}

/** The last events of the watcher may come after all is in place. */
async function isSettled(): Promise<void> {
  await bench.until(() => bench.folder.waiting().length === 0);
  expect(bench.folder.status().errors).toEqual([]);
  expect(bench.folder.unsettled()).toEqual({ paths: 0, commits: 0 });
}

/** A folder with a file and something ignored, both in place. */
async function folderWithObject(): Promise<void> {
  await bench.start();
  writeFileSync(bench.path('.godwitignore'), '*.o\n');
  mkdirSync(bench.path('proj'));
  writeFileSync(bench.path('proj/a.c'), 'c');
  await bench.settled();
  writeFileSync(bench.path('proj/a.o'), 'object');
  await bench.settled();
}

describe('a file in place of a folder with an ignored file', () => {
  beforeEach(async () => {
    await folderWithObject();
    bench.other.remove('proj/a.c');
    bench.other.remove('proj');
    await bench.other.write('proj', 'a file now');
  });

  it('is reported to whoever flushes, with the reason', async () => {
    await expect(flush()).rejects.toMatchObject({
      code: 'place-taken',
      message: expect.stringMatching(/^\/proj: .*proj\/a\.o/),
    });
    isSaid('proj', /a\.o/);
    expect(bench.tree()).toMatchObject({ 'proj/a.o': 'object' });
  });

  it('is placed when the ignored file goes, and the old folder goes with it', async () => {
    await expect(flush()).rejects.toMatchObject({ code: 'place-taken' });
    bench.told();
    unlinkSync(bench.path('proj/a.o'));
    await bench.shows({ '.godwitignore': '*.o\n', proj: 'a file now' });
    await flush();
    await isSettled();
    expect(bench.told()).toEqual([]);
  });

  it('is reported again after a restart and placed when the whole folder goes', async () => {
    await expect(flush()).rejects.toMatchObject({ code: 'place-taken' });
    await bench.close();
    await bench.open();
    await expect(flush()).rejects.toMatchObject({ code: 'place-taken' });
    isSaid('proj', /a\.o/);
    rmSync(bench.path('proj'), { recursive: true });
    await bench.shows({ '.godwitignore': '*.o\n', proj: 'a file now' });
    await flush();
    await isSettled();
  });

  it('is no longer reported when it is removed elsewhere', async () => {
    await expect(flush()).rejects.toMatchObject({ code: 'place-taken' });
    bench.other.remove('proj');
    await flush();
    await isSettled();
    expect(bench.tree()).toMatchObject({ 'proj/a.o': 'object' });
  });

  it('delays nothing else', async () => {
    await expect(flush()).rejects.toMatchObject({ code: 'place-taken' });
    await bench.other.write('more', 'more');
    await bench.until(() => bench.tree()['more'] === 'more');
    await bench.until(() => bench.folder.unsettled().commits === 1);
    isSaid('proj', /a\.o/);
  });

  it('causes no repeated looks while it waits', async () => {
    await expect(flush()).rejects.toMatchObject({ code: 'place-taken' });
    expect(bench.folder.unsettled().paths).toBe(0);
  });
});

describe('a file whose place is occupied', () => {
  it('waits for a pipe, which is not synced', async () => {
    await bench.start();
    execFileSync('mkfifo', [bench.path('pipe')]);
    await bench.settled();
    await bench.other.write('pipe', 'a file');
    await expect(flush()).rejects.toMatchObject({ message: expect.stringContaining('pipe') });
    expect(bench.folder.waiting()).toEqual([{ path: 'pipe', reason: expect.any(String) }]);
    unlinkSync(bench.path('pipe'));
    await bench.shows({ pipe: 'a file' });
    await flush();
    await isSettled();
  });

  it('waits for an ignored folder when the rule admits a file of that name', async () => {
    await bench.start();
    writeFileSync(bench.path('.godwitignore'), 'build/\n');
    mkdirSync(bench.path('build'));
    writeFileSync(bench.path('build/x'), 'x');
    await bench.settled();
    await bench.other.write('build', 'a script');
    await expect(flush()).rejects.toMatchObject({ code: 'place-taken' });
    isSaid('build', /folder/);
    rmSync(bench.path('build'), { recursive: true });
    await bench.shows({ '.godwitignore': 'build/\n', build: 'a script' });
    await flush();
    await isSettled();
  });

  it('waits for a folder with an ignored file when it is moved there', async () => {
    await folderWithObject();
    await bench.other.write('notes', 'notes');
    await bench.settled();
    bench.other.remove('proj/a.c');
    bench.other.remove('proj');
    bench.other.rename('notes', 'proj');
    await expect(flush()).rejects.toMatchObject({ code: 'place-taken' });
    isSaid('proj', /a\.o/);
    expect(bench.tree()).toMatchObject({ notes: 'notes' });
    unlinkSync(bench.path('proj/a.o'));
    await bench.shows({ '.godwitignore': '*.o\n', proj: 'notes' });
    await flush();
    await isSettled();
  });

  it("waits for a user's file that is named like its placeholder", async () => {
    await bench.start();
    writeFileSync(bench.path('film.godwit'), 'mine');
    await bench.settled();
    bench.volume.bound = 100;
    await bench.other.write('film', 'f'.repeat(5000));
    await expect(flush()).rejects.toMatchObject({
      code: 'place-taken',
      message: expect.stringMatching(/film\.godwit/),
    });
    isSaid('film', /film\.godwit/);
    expect(bench.tree()).toEqual({ 'film.godwit': 'mine' });
    rmSync(bench.path('film.godwit'));
    await bench.until(() => bench.tree()['film.godwit']?.includes('5000 bytes') === true);
    await flush();
    await isSettled();
  });
});

it('a path is reported with the reason why it is not synced, whatever that is', async () => {
  await folderWithObject();
  writeFileSync(bench.path('film.crdownload'), 'half');
  execFileSync('mkfifo', [bench.path('pipe')]);
  await bench.settled();
  const why = (path: string) => bench.folder.leftOut?.(path.split('/'));
  expect(why('proj/a.o')).toBe('ignored by /.godwitignore line 1: *.o');
  expect(why('film.crdownload')).toBe('ignored by the default rule *.crdownload');
  expect(why('pipe')).toBe('a pipe, socket or device is not synced');
  expect(why('proj/a.c')).toBeNull();
});

it('a folder of others that a rule for folders keeps out is reported with that rule, and a file is not', async () => {
  await bench.start();
  writeFileSync(bench.path('.godwitignore'), 'out/\n');
  await bench.settled();
  bench.other.mkdir('out');
  await bench.other.write('out/x', 'x');
  bench.other.mkdir('d');
  await bench.other.write('d/out', 'a file');
  await bench.settled();
  const why = (path: string) => bench.folder.leftOut?.(path.split('/'));
  expect(bench.tree()).toEqual({ '.godwitignore': 'out/\n', 'd/': '', 'd/out': 'a file' });
  expect(why('out')).toBe('ignored by /.godwitignore line 1: out/');
  expect(why('out/x')).toBe('in /out, which is ignored by /.godwitignore line 1: out/');
  expect([why('d/out'), why('nowhere/out')]).toEqual([null, null]);
});
