/** Two names of one file are one vnode, also where the second is given at a bad moment. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { chmodSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Update } from '../../../../shared/model/update.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;
beforeEach(() => {
  bench = new FolderBench();
});
afterEach(() => bench.destroy());

/** Until it is called, no update of this kind is logged. */
function refuse(kind: Update['op']): () => void {
  bench.volume.onLog = ({ op }) => {
    if (op === kind) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
  };
  return () => {
    bench.volume.onLog = () => undefined;
  };
}

const told = (): string[] => bench.volume.told.filter((line) => !line.startsWith('setattr'));

it('a hard link made before the contents are logged is logged with them', async () => {
  await bench.start();
  const allow = refuse('store');
  writeFileSync(bench.path('a'), 'x');
  await bench.volume.until(() => told().length === 1);
  linkSync(bench.path('a'), bench.path('b'));
  await bench.volume.until(() => told().length === 2);
  allow();
  await bench.volume.until(() => bench.volume.tree()['b'] === 'x');
  await bench.settled();
  expect(told()).toEqual(['create a', 'link b', 'store a']);
});

it('a hard link whose contents were logged before a crash is logged without its mode', async () => {
  await bench.start();
  writeFileSync(bench.path('a'), 'x');
  await bench.settled();
  bench.keepRecords();
  writeFileSync(bench.path('a'), 'x, later');
  await bench.settled();
  await bench.crash();
  bench.told();
  chmodSync(bench.path('a'), 0o600);
  const allow = refuse('setattr');
  await bench.open();
  await bench.until(() => bench.folder.status().errors.length > 0);
  linkSync(bench.path('a'), bench.path('b'));
  await bench.volume.until(() => told().length > 0);
  allow();
  await bench.settled();
  expect(told()).toEqual(['link b']);
  expect(bench.volume.status('b')).toMatchObject({ mode: 0o600 });
});

it.each([
  ['both names are saved by rename', ['a', 'b']],
  ['a save by rename adds a second name', ['a']],
])('a hard link is one vnode when %s', async (_how, before) => {
  await bench.start();
  writeFileSync(bench.path('a'), 'x');
  if (before.length > 1) linkSync(bench.path('a'), bench.path('b'));
  await bench.settled();
  const { fid } = bench.volume.status('a');
  writeFileSync(bench.path('new'), 'y');
  rmSync(bench.path('b'), { force: true });
  renameSync(bench.path('new'), bench.path('a'));
  linkSync(bench.path('a'), bench.path('b'));
  await bench.settled();
  expect([bench.volume.status('a').fid, bench.volume.status('b').fid]).toEqual([fid, fid]);
  expect(bench.volume.tree()).toEqual({ a: 'y', b: 'y' });
});

it.each([
  ['other contents', 'z', []],
  ['the contents of the one', 'y', []],
  ['the contents of the other', 'x', []],
  ['a backup of the one', 'z', ['a']],
  ['a backup of the other', 'z', ['b']],
  ['backups of both', 'z', ['a', 'b']],
])(
  'two files become one when a file and a hard link to it take their places, with %s',
  async (_what, text, backedUp) => {
    await bench.start();
    writeFileSync(bench.path('a'), 'y');
    writeFileSync(bench.path('b'), 'x');
    await bench.settled();
    for (const name of ['a', 'b']) {
      if (backedUp.includes(name)) renameSync(bench.path(name), bench.path(`${name}~`));
      else rmSync(bench.path(name));
    }
    writeFileSync(bench.path('a'), text);
    linkSync(bench.path('a'), bench.path('b'));
    await bench.settled();
    const backups = Object.fromEntries(
      backedUp.map((name) => [`${name}~`, name === 'a' ? 'y' : 'x']),
    );
    expect(bench.volume.tree()).toEqual({ a: text, b: text, ...backups });
    expect(bench.volume.status('b').fid).toBe(bench.volume.status('a').fid);
    await bench.other.write('b', 'later');
    await bench.settled();
    expect(bench.tree()).toEqual({ a: 'later', b: 'later', ...backups });
  },
);

it('the removal of one of several names differs from that of the last', async () => {
  await bench.start();
  for (const name of ['a', 'b', 'c']) {
    if (name === 'a') writeFileSync(bench.path('a'), 'x');
    else linkSync(bench.path('a'), bench.path(name));
  }
  await bench.settled();
  const removed: unknown[] = [];
  const remove = bench.volume.remove.bind(bench.volume);
  bench.volume.remove = (place, options) => {
    removed.push([place.name, options?.hasOtherNames]);
    return remove(place, options);
  };
  rmSync(bench.path('a'));
  await bench.settled();
  for (const name of ['b', 'c']) rmSync(bench.path(name));
  await bench.settled();
  expect(removed).toEqual([
    ['a', true],
    ['b', true],
    ['c', false],
  ]);
});
