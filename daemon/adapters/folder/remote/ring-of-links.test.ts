/** Files with several names change names with others while their contents are on their way: one name of each is freed, and no other one. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { existsSync, statSync } from 'node:fs';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;
let letGo: (() => void) | null;
beforeEach(async () => {
  bench = new FolderBench();
  letGo = null;
  for (const name of ['a', 'b', 'c']) {
    await bench.other.write(name, name);
    bench.other.link(name, `${name}2`);
  }
  await bench.start();
  await bench.settled();
});
afterEach(async () => {
  letGo?.();
  await bench.destroy();
});

/** The contents of this file do not come before `letGo` is called. */
function hold(path: string): void {
  const fid = bench.volume.server.find(path);
  const held = Promise.withResolvers<void>();
  letGo = () => held.resolve();
  bench.volume.onObtain = (wanted) => (wanted === fid ? held.promise : undefined);
}

/** `a` gets the name of `b`, and so on; the last one gets that of the first. */
function turn(...paths: readonly string[]): void {
  const [first = ''] = paths;
  bench.other.rename(paths.at(-1) ?? '', 'free');
  for (let at = paths.length - 1; at > 0; at--) {
    bench.other.rename(paths[at - 1] ?? '', paths[at] ?? '');
  }
  bench.other.rename('free', first);
}

it.each([
  ['two names of two files', [['a', 'b']]],
  ['two names of two files, the other way', [['b', 'a']]],
  ['names of three files', [['a', 'b', 'c']]],
  [
    'both names of two files',
    [
      ['a', 'b'],
      ['a2', 'b2'],
    ],
  ],
  [
    'both names of three files',
    [
      ['a', 'b', 'c'],
      ['c2', 'b2', 'a2'],
    ],
  ],
])('a ring of %s is put in place at once, with later contents', async (_, rings) => {
  hold('b');
  await bench.other.write('b', 'second');
  for (const ring of rings) turn(...ring);
  await bench.until(() => bench.folder.unsettled().commits > 0);
  letGo?.();
  await bench.settled();
  expect(bench.tree()).toEqual(bench.volume.tree());
  expect(bench.lines.join('\n')).not.toContain('waited for nothing');
  const names = ['a', 'a2', 'b', 'b2', 'c', 'c2'];
  expect(new Set(names.map((name) => statSync(bench.path(name)).ino)).size).toBe(3);
});

it.each(['a', 'b', 'c'])(
  'no name of a ring is missing while contents of %s are on their way',
  async (late) => {
    const [one = '', other = ''] = ['a', 'b', 'c'].filter((name) => name !== late);
    hold(late);
    await bench.other.write(late, 'second');
    // The one that waits goes first: no name is free in the volume before that.
    turn(one, other, late);
    await bench.other.write('last', 'last');
    await bench.until(() => existsSync(bench.path('last')));
    const names = ['a', 'a2', 'b', 'b2', 'c', 'c2'];
    expect(names.filter((name) => !existsSync(bench.path(name)))).toEqual([]);
    letGo?.();
    await bench.settled();
    expect(bench.tree()).toEqual(bench.volume.tree());
  },
);
