/** What conflicts ask for is done in the end, whatever the folder's user did before it was asked for. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import type { Update } from '../../../../shared/model/update.ts';
import { dataVersion, mtimeFromMs } from '../../../../shared/model/vnode.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Queued } from '../../../../test/support/fake-queue.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;

beforeEach(async () => {
  bench = new FolderBench();
  bench.other.mkdir('d');
  bench.other.mkdir('e');
  await bench.other.write('d/f', 'one');
  await bench.start();
});
afterEach(() => bench.destroy());

async function isSame(): Promise<void> {
  await bench.settled();
  expect(bench.tree()).toEqual(bench.volume.tree());
}

describe('a conflict copy in a directory that was moved here', () => {
  /** Their `d/f` comes before ours, which is moved to that place; `d` is removed. */
  const moved = async (to: string): Promise<void> => {
    bench.volume.connected = false;
    writeFileSync(bench.path('d', 'f'), 'mine');
    await bench.folder.scan();
    renameSync(bench.path('d', 'f'), bench.path(...to.split('/')));
    rmdirSync(bench.path('d'));
    await bench.folder.scan();
    await bench.other.write('d/f', 'theirs');
  };

  it.each(['g', 'e/g'])('is put back when the removal was refused, from %s', async (to) => {
    await moved(to);
    bench.volume.connected = true;
    await isSame();
    expect(bench.volume.tree()).toMatchObject({ 'd/f (conflict)': 'mine', [to]: 'theirs' });
  });

  it.each(['g', 'd/g'])('follows a move by somebody else, to %s', async (elsewhere) => {
    await moved('mine');
    await bench.close();
    bench.volume.connected = true;
    await bench.volume.idle();
    bench.other.rename('d/f (conflict)', elsewhere);
    await bench.start();
    await isSame();
    expect(bench.volume.tree()).toMatchObject({ [elsewhere]: 'mine', mine: 'theirs' });
  });

  it('goes when somebody else has removed it with its directory', async () => {
    await moved('mine');
    await bench.close();
    bench.volume.connected = true;
    await bench.volume.idle();
    bench.other.remove('d/f (conflict)');
    bench.other.remove('d');
    await bench.start();
    await isSame();
    expect(bench.volume.tree()).toEqual({ 'e/': '', mine: 'theirs' });
    // Where it is parked the bench does not look.
    await bench.until(() => readdirSync(bench.path('.godwit', 'parked')).length === 0);
  });

  it('delays no later change', async () => {
    await moved('g');
    writeFileSync(bench.path('h'), 'mine');
    mkdirSync(bench.path('i'));
    await bench.folder.scan();
    await bench.other.write('h', 'theirs');
    bench.volume.connected = true;
    await isSame();
    expect(bench.volume.tree()).toMatchObject({ 'h (conflict)': 'mine', h: 'theirs', 'i/': '' });
  });
});

it('a save over a conflict copy does not overwrite what others made of it meanwhile', async () => {
  bench.volume.connected = false;
  writeFileSync(bench.path('d', 'f'), 'mine');
  await bench.folder.scan();
  await bench.other.write('d/f', 'theirs');
  await bench.close();
  bench.volume.connected = true;
  await bench.volume.idle();
  await bench.other.write('d/f (conflict)', 'theirs as well');
  // Their change of the copy is on its way for as long as the save takes.
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  const theirs = bench.volume.status('d/f (conflict)').fid;
  bench.volume.onObtain = (fid) => (fid === theirs ? gate : undefined);
  await bench.open();
  await bench.until(() => bench.tree()['d/f (conflict)'] === 'mine');
  writeFileSync(bench.path('d', 'f (conflict)'), 'mine, and more');
  await bench.folder.scan();
  go();
  await isSame();
  expect(Object.values(bench.tree()).sort()).toEqual(
    ['', '', 'theirs', 'theirs as well', 'mine, and more'].sort(),
  );
});

it('contents of a second conflict copy are not taken for those of the first', async () => {
  const { volume } = bench;
  volume.connected = false;
  writeFileSync(bench.path('d', 'f'), 'mine');
  await bench.folder.scan();
  writeFileSync(bench.path('d', 'f'), 'mine, and more');
  await bench.folder.scan();
  await bench.other.write('d/f', 'theirs');
  await bench.close();
  // The second save was made over what was there before the first: a folder that was killed had forgotten that one.
  const [, second] = volume.queue.splice(0, 2, volume.queue[0] as Queued);
  volume.connected = true;
  await volume.idle();
  const { update, ...rest } = second as Queued;
  volume.queue.push({ ...rest, update: { ...update, base: dataVersion(1) } as Update });
  volume.connected = true;
  await volume.idle();
  expect(volume.adjustments()).toHaveLength(2);
  await bench.start();
  await isSame();
  expect(Object.values(bench.tree())).toEqual(['', 'theirs', 'mine', 'mine, and more', '']);
});

it('a flush waits for a conflict as long as its repair takes', async () => {
  const refusing = { tries: 0 };
  bench.limits = { ...bench.limits, settleRounds: 2 };
  await bench.close();
  await bench.start();
  bench.volume.connected = false;
  writeFileSync(bench.path('d', 'f'), 'mine');
  await bench.folder.scan();
  await bench.other.write('d/f', 'theirs');
  // What is in the way of the copy can't be logged: its place does not become free.
  bench.volume.onLog = (update) => {
    if (update.op !== 'create') return;
    refusing.tries += 1;
    throw new GodwitError('disk-full');
  };
  writeFileSync(bench.path('d', 'f (conflict)'), 'in the way');
  bench.volume.connected = true;
  let isFlushed = false;
  const flush = bench.flush().then(() => (isFlushed = true));
  await bench.until(() => refusing.tries > 4);
  expect(isFlushed).toBe(false);
  bench.volume.onLog = () => undefined;
  await flush;
  await isSame();
  expect(bench.tree()).toMatchObject({ 'd/f': 'theirs', 'd/f (conflict)': 'mine' });
  expect(Object.values(bench.tree())).toContain('in the way');
});

it('a rename onto a file that nobody has stored yet is undone on the disk', async () => {
  const { volume } = bench;
  volume.remote({
    op: 'create',
    fid: volume.takeFid(2),
    ...volume.place('g'),
    mode: 0o644,
    mtime: mtimeFromMs(1),
    xattrs: [],
    at: mtimeFromMs(1),
  });
  await bench.settled();
  renameSync(bench.path('d', 'f'), bench.path('g'));
  await bench.settled();
  expect(volume.tree()).toEqual({ 'd/': '', 'd/f': 'one', 'e/': '', g: '(none)' });
  expect(bench.tree()).toEqual({ 'd/': '', 'd/f': 'one', 'e/': '' });
});
