/** Files whose contents are not kept in the folder: what stands for them, and what it means when somebody changes that. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { copyFileSync, lstatSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Mtime } from '../../../../shared/model/vnode.ts';
import { milliseconds } from '../../../../shared/model/time.ts';
import { present } from '../../../../shared/util/assert.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { WatchedHost } from '../../../../test/support/watched-host.ts';
import { readPlaceholder } from './placeholder-text.ts';

let bench: FolderBench;
beforeEach(() => {
  bench = new FolderBench();
});
afterEach(() => bench.destroy());

const BIG = 5000;
const contents = (letter: string): string => letter.repeat(BIG);
const fidOf = (path: string): Fid => present(bench.volume.view.find(path), path);

/** What is at each path: a placeholder's mark, or the contents (of a large file its first character). */
function shows(): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [path, text] of Object.entries(bench.tree())) {
    const mark = path.endsWith('.godwit') ? readPlaceholder(text) : null;
    shown[path] = mark === null ? (text[0] ?? '') : 'placeholder';
  }
  return shown;
}

const isShown = (wanted: Record<string, string>): Promise<void> =>
  bench.until(() => JSON.stringify(shows()) === JSON.stringify(wanted));

async function evict(path: string): Promise<void> {
  const done = await bench.folder.contents?.evict(fidOf(path));
  expect(done).toEqual({ kind: 'done', bytes: BIG, kept: null });
}

const fill = (path: string) => bench.folder.contents?.fill(fidOf(path));

describe('files beyond the bound of a folder', () => {
  it('come as readable placeholders, and small ones in full', async () => {
    // Nothing that is here goes meanwhile: the small one takes it over the bound.
    bench.limits = { ...bench.limits, keptPause: milliseconds(600_000) };
    bench.volume.bound = 2 * BIG;
    for (const name of ['a', 'b', 'c']) await bench.other.write(name, contents(name));
    await bench.other.write('d', 'd');
    bench.other.setattr('c', { mtime: '1234567890123456789' as Mtime });
    await bench.start();
    expect(shows()).toEqual({ a: 'a', b: 'b', 'c.godwit': 'placeholder', d: 'd' });
    const text = readFileSync(bench.path('c.godwit'), 'utf8');
    expect(text).toMatch(/name: +c\nsize: +5000 bytes\nchanged: +2009-02-13 23:31:30 UTC\n/);
    expect(text).toContain('godwit prefetch');
    expect(lstatSync(bench.path('c.godwit'), { bigint: true }).mtimeNs).toBe(1234567890123456789n);
    expect([...bench.volume.notKept]).toEqual([fidOf('c')]);
    expect(bench.told()).toEqual([]);
    expect(bench.volume.obtained).toBe(3);
  });

  it('are evicted by last use when the bound shrinks, except pinned ones', async () => {
    await bench.start();
    for (const name of ['a', 'b', 'c', 'd']) {
      await bench.other.write(name, contents(name));
      await bench.settled();
    }
    bench.volume.pinned.add(fidOf('a'));
    bench.volume.bounded(2 * BIG);
    await isShown({
      a: 'a',
      'b.godwit': 'placeholder',
      'c.godwit': 'placeholder',
      'd.godwit': 'placeholder',
    });
  });

  it('go before all that was made, opened or asked for here lately', async () => {
    await bench.start();
    writeFileSync(bench.path('made'), contents('m'));
    await bench.settled();
    for (const name of ['opened', 'asked', 'came', 'later']) {
      await bench.other.write(name, contents(present(name[0], name)));
      await bench.settled();
    }
    await evict('asked');
    expect(await fill('asked')).toMatchObject({ kind: 'done' });
    const soon = new Date(Date.now() + 60_000);
    utimesSync(bench.path('opened'), soon, lstatSync(bench.path('opened')).mtime);
    await bench.settled();
    const boundOf = () => 3 * BIG;
    const preview = await bench.folder.contents?.preview(boundOf);
    expect(preview).toEqual({
      here: { files: 5, bytes: 5 * BIG },
      goes: { files: 3, bytes: 3 * BIG },
      away: { files: 0, bytes: 0 },
    });
    // Looking at a file would be a use of it.
    const gone = (): string[] => [...bench.volume.notKept].map((fid) => nameOf(fid)).sort();
    const nameOf = (fid: Fid): string =>
      ['made', 'opened', 'asked', 'came', 'later'].find((name) => fidOf(name) === fid) ?? '';
    const areGone = (...names: string[]): Promise<void> =>
      bench.until(() => JSON.stringify(gone()) === JSON.stringify(names));
    // A little more than the bound asks for goes.
    bench.volume.bounded(3.2 * BIG);
    await areGone('came', 'later');
    expect(bench.folder.contents?.use()).toEqual({
      here: { files: 3, bytes: 3 * BIG },
      away: { files: 2, bytes: 2 * BIG },
    });
    await bench.folder.close();
    await bench.start();
    bench.volume.bounded(2.2 * BIG);
    await areGone('came', 'later', 'made');
  });

  it('are in the preview of a bound while they still wait to be sent', async () => {
    await bench.start();
    bench.volume.connected = false;
    for (const name of ['a', 'b', 'c']) writeFileSync(bench.path(name), contents(name));
    await bench.until(() => ['a', 'b', 'c'].every((name) => bench.volume.view.find(name) !== null));
    await bench.until(() => bench.folder.contents?.use().here.bytes === 3 * BIG);
    const preview = await bench.folder.contents?.preview(() => 1.2 * BIG);
    expect(preview?.goes).toEqual({ files: 2, bytes: 2 * BIG });
    bench.volume.bounded(1.2 * BIG);
    bench.volume.connected = true;
    await bench.until(() => bench.volume.notKept.size === 2);
  });

  it('go by their last use again when that was long ago', async () => {
    bench.limits = { ...bench.limits, usedLately: milliseconds(0) };
    await bench.start();
    writeFileSync(bench.path('made'), contents('m'));
    await bench.settled();
    await bench.other.write('came', contents('c'));
    await bench.settled();
    bench.volume.bounded(1.2 * BIG);
    await bench.until(() => bench.volume.notKept.size > 0);
    expect(shows()).toEqual({ came: 'c', 'made.godwit': 'placeholder' });
  });

  it('come in full when they or their folders are pinned', async () => {
    bench.volume.bound = 0;
    bench.other.mkdir('d');
    await bench.other.write('d/x', contents('x'));
    await bench.other.write('y', contents('y'));
    await bench.start();
    expect(shows()).toEqual({ 'd/': '', 'd/x.godwit': 'placeholder', 'y.godwit': 'placeholder' });
    bench.volume.pinned.add(fidOf('d'));
    bench.volume.bounded(0);
    await isShown({ 'd/': '', 'd/x': 'x', 'y.godwit': 'placeholder' });
    await bench.other.write('d/z', contents('z'));
    await isShown({ 'd/': '', 'd/x': 'x', 'd/z': 'z', 'y.godwit': 'placeholder' });
  });
});

describe('a request about contents in a folder', () => {
  beforeEach(async () => {
    bench.other.mkdir('d');
    await bench.other.write('d/a', contents('a'));
    await bench.other.write('b', contents('b'));
    await bench.start();
    await evict('d/a');
  });

  it('evicts a file to a placeholder and fills it unchanged', async () => {
    expect(shows()).toEqual({ b: 'b', 'd/': '', 'd/a.godwit': 'placeholder' });
    await bench.settled();
    expect(bench.told()).toEqual([]);
    const { fid, version, digest } = bench.volume.status('d/a');
    expect(await bench.folder.copyOf(fid, version, present(digest, 'contents'))).toBe(null);
    expect(await fill('d/a')).toEqual({ kind: 'done', bytes: BIG, kept: null });
    expect(shows()).toEqual({ b: 'b', 'd/': '', 'd/a': 'a' });
    expect(await fill('d/a')).toMatchObject({ kind: 'unchanged' });
    await bench.settled();
    expect(bench.told()).toEqual([]);
    expect(bench.volume.notKept.size).toBe(0);
  });

  it('keeps a file that the server lacks or that has another name here', async () => {
    bench.volume.connected = false;
    writeFileSync(bench.path('b'), contents('B'));
    await bench.folder.scan();
    const kept = await bench.folder.contents?.evict(fidOf('b'));
    expect(kept).toMatchObject({ kind: 'kept', kept: 'it is not on the server yet' });
    expect(shows()).toMatchObject({ b: 'B' });
    bench.volume.connected = true;
    await bench.settled();
  });

  it('keeps a file that is as small as a placeholder', async () => {
    await bench.other.write('small', 's');
    await bench.settled();
    const small = await bench.folder.contents?.evict(fidOf('small'));
    expect(small).toMatchObject({ kind: 'unchanged' });
  });

  it('frees space while a pinned file waits for the server', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    bench.volume.onObtain = () => promise;
    bench.volume.pinned.add(fidOf('d/a'));
    bench.volume.bounded(0);
    await isShown({ 'b.godwit': 'placeholder', 'd/': '', 'd/a.godwit': 'placeholder' });
    resolve();
  });

  it('reports contents that are not available, and the placeholder stays', async () => {
    bench.volume.onObtain = () => {
      throw new GodwitError('version-gone');
    };
    await expect(fill('d/a')).rejects.toMatchObject({ code: 'version-gone' });
    expect(shows()).toEqual({ b: 'b', 'd/': '', 'd/a.godwit': 'placeholder' });
  });
});

it('a look removes the note of a copy that has gone when no watch reports it', async () => {
  await bench.destroy();
  const host = new WatchedHost();
  bench = new FolderBench(host);
  await bench.other.write('a', contents('a'));
  await bench.start();
  await evict('a');
  copyFileSync(bench.path('a.godwit'), bench.path('copy.godwit'));
  const codes = (): string[] => bench.folder.status().errors.map(({ code }) => code);
  await bench.until(() => codes().includes('placeholder-copied'));
  host.isSilent = true;
  rmSync(bench.path('copy.godwit'));
  await bench.settled();
  expect(codes()).toEqual([]);
});
