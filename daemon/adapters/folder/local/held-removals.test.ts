/** Of what waits for a person, a part may be confirmed, and another rejected; the rest is held still, however little it is. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { milliseconds } from '../../../../shared/model/time.ts';
import { FakeDisks } from '../../../../test/support/fake-disks.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;
beforeEach(() => {
  bench = new FolderBench();
});
afterEach(() => bench.destroy());

const paths = (): string[] => Object.keys(bench.volume.tree()).sort();
const waiting = () => bench.folder.waiting().filter(({ path }) => path !== null);

describe('many missing files', () => {
  beforeEach(async () => {
    bench.limits = { ...bench.limits, massRemovalFiles: 3 };
    for (const dir of ['a', 'b']) {
      mkdirSync(bench.path(dir), { recursive: true });
      for (const name of ['1', '2']) writeFileSync(bench.path(dir, name), `${dir}${name}`);
    }
    writeFileSync(bench.path('doc'), 'doc');
    await bench.start();
    await bench.close();
    for (const dir of ['a', 'b']) rmSync(bench.path(dir), { recursive: true });
    rmSync(bench.path('doc'));
    await bench.start();
  });

  it('are held back with a reason for each', () => {
    expect(bench.folder.heldRemovals()).toBe(7);
    expect(waiting()).toEqual([
      { path: 'a', reason: 'missing here, with 2 more in it: to be confirmed or rejected' },
      { path: 'b', reason: 'missing here, with 2 more in it: to be confirmed or rejected' },
      { path: 'doc', reason: 'missing here: to be confirmed or rejected' },
    ]);
  });

  it('are saved over what they were when a program makes them anew before they are back', async () => {
    bench.volume.connected = false;
    const rejected = bench.folder.rejectRemovals();
    await bench.until(() => bench.folder.heldRemovals() === 0);
    mkdirSync(bench.path('a'));
    writeFileSync(bench.path('a', '1'), 'new');
    writeFileSync(bench.path('doc'), 'new');
    await bench.folder.scan();
    bench.volume.connected = true;
    expect(await rejected).toBe(7);
    await bench.settled();
    const tree = { 'a/': '', 'a/1': 'new', 'a/2': 'a2', 'b/': '', 'b/1': 'b1', 'b/2': 'b2' };
    expect(bench.volume.tree()).toEqual({ ...tree, doc: 'new' });
    expect(bench.tree()).toEqual({ ...tree, doc: 'new' });
  });

  it('can be confirmed and rejected in part, also after a restart', async () => {
    expect(await bench.folder.confirmRemovals(['a'])).toBe(3);
    await bench.settled();
    expect(paths()).toEqual(['b/', 'b/1', 'b/2', 'doc']);
    expect(bench.folder.heldRemovals()).toBe(4);
    expect(await bench.folder.rejectRemovals(['b'])).toBe(3);
    await bench.settled();
    expect(existsSync(bench.path('b', '1'))).toBe(true);
    expect(bench.folder.heldRemovals()).toBe(1);
    expect(bench.folder.status().errors).toEqual([
      expect.objectContaining({
        code: 'removals-held',
        message: 'a file or folder is missing from the folder; nothing is removed elsewhere yet',
      }),
    ]);
    await bench.close();
    await bench.start();
    expect(bench.folder.heldRemovals()).toBe(1);
    expect(paths()).toEqual(['b/', 'b/1', 'b/2', 'doc']);
    expect(await bench.folder.confirmRemovals(['doc'])).toBe(1);
    await bench.settled();
    expect(paths()).toEqual(['b/', 'b/1', 'b/2']);
    expect(bench.folder.status().errors).toEqual([]);
  });

  it('are unaffected by orders for other paths', async () => {
    expect(await bench.folder.confirmRemovals(['c'])).toBe(0);
    expect(await bench.folder.rejectRemovals(['docs'])).toBe(0);
    expect(bench.folder.heldRemovals()).toBe(7);
    writeFileSync(bench.path('doc'), 'doc');
    await bench.settled();
    expect(bench.folder.heldRemovals()).toBe(6);
  });
});

it('one of two missing disks can be confirmed as gone while the other is held back', async () => {
  const disks = new FakeDisks(bench.root, join(bench.dir, 'shelf'));
  for (const name of ['one', 'two']) {
    mkdirSync(bench.path(name), { recursive: true });
    disks.mount(name, name);
    writeFileSync(bench.path(name, 'x'), name);
  }
  bench.mounts = disks;
  bench.limits = { ...bench.limits, mountLook: milliseconds(20) };
  await bench.start();
  for (const name of ['one', 'two']) disks.unmount(name, name);
  await bench.until(() => bench.folder.heldRemovals() === 2);
  expect(waiting().map(({ path }) => path)).toEqual(expect.arrayContaining(['one', 'two']));
  expect(await bench.folder.confirmRemovals(['one'])).toBe(1);
  await bench.settled();
  expect(paths()).toEqual(['one/', 'two/', 'two/x']);
  expect(bench.folder.status().errors).toMatchObject([{ code: 'disk-away', path: 'two' }]);
  expect(await bench.folder.rejectRemovals(['two'])).toBe(1);
  await bench.settled();
  expect(bench.tree()).toMatchObject({ 'two/x': 'two' });
  expect(bench.folder.status().errors).toEqual([]);
});
