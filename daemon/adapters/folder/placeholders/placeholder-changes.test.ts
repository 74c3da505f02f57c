/** What it means when a person changes a placeholder, when others change its file, and when the daemon dies in the middle. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { milliseconds } from '../../../../shared/model/time.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { present } from '../../../../shared/util/assert.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
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

/** As the volume has them: the first characters. */
const volume = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(bench.volume.tree()).map(([path, text]) => [path, text[0] ?? '']),
  );

/** Not that the time of a directory or file was told, which changes with its names. */
const isOfFiles = (told: string): boolean => !told.startsWith('setattr');

const P = 'placeholder';

beforeEach(async () => {
  bench.other.mkdir('d');
  await bench.other.write('d/a', contents('a'));
  await bench.other.write('b', contents('b'));
  await bench.start();
  await evict('d/a');
  await bench.settled();
  bench.told();
});

describe("a user's change of a placeholder", () => {
  it('renames or moves the file', async () => {
    renameSync(bench.path('d', 'a.godwit'), bench.path('new.godwit'));
    await bench.settled();
    expect(bench.told()).toContain('rename d/a -> new');
    expect(shows()).toEqual({ b: 'b', 'd/': '', 'new.godwit': P });
    expect(volume()).toEqual({ b: 'b', 'd/': '', new: 'a' });
    expect(readFileSync(bench.path('new.godwit'), 'utf8')).toMatch(/name: +new\n/);
    await fill('new');
    expect(shows()).toEqual({ b: 'b', 'd/': '', new: 'a' });
  });

  it('brings it back when its ending is removed, and its text never becomes the contents', async () => {
    renameSync(bench.path('d', 'a.godwit'), bench.path('d', 'a'));
    await bench.settled();
    expect(shows()).toEqual({ b: 'b', 'd/': '', 'd/a.godwit': P });
    expect(volume()).toEqual({ b: 'b', 'd/': '', 'd/a': 'a' });
    renameSync(bench.path('d', 'a.godwit'), bench.path('d', 'c'));
    await bench.settled();
    expect(shows()).toEqual({ b: 'b', 'd/': '', 'd/c.godwit': P });
    expect(bench.told().filter(isOfFiles)).toEqual(['rename d/a -> d/c']);
  });

  it('follows a rename of the folder above it', async () => {
    renameSync(bench.path('d'), bench.path('e'));
    await bench.settled();
    expect(shows()).toEqual({ b: 'b', 'e/': '', 'e/a.godwit': P });
    expect(volume()).toEqual({ b: 'b', 'e/': '', 'e/a': 'a' });
    expect(bench.told()).toContain('rename d -> e');
  });

  it('removes the file when the placeholder is removed', async () => {
    rmSync(bench.path('d', 'a.godwit'));
    await bench.settled();
    expect(bench.told()).toContain('remove d/a');
    expect(volume()).toEqual({ b: 'b', 'd/': '' });
  });

  it('is not logged when it concerns its mode and time', async () => {
    chmodSync(bench.path('d', 'a.godwit'), 0o600);
    await bench.settled();
    expect(bench.told()).toEqual([]);
    expect(shows()).toEqual({ b: 'b', 'd/': '', 'd/a.godwit': P });
  });

  it('is reported when it is a copy, which stands for no file', async () => {
    copyFileSync(bench.path('d', 'a.godwit'), bench.path('copy.godwit'));
    await bench.settled();
    expect(volume()).toEqual({ b: 'b', 'd/': '', 'd/a': 'a' });
    expect(bench.told().filter(isOfFiles)).toEqual([]);
    const said = bench.folder.status().errors;
    expect(said).toMatchObject([{ code: 'placeholder-copied', path: 'copy.godwit' }]);
    rmSync(bench.path('copy.godwit'));
    await bench.settled();
    expect(bench.folder.status().errors).toEqual([]);
  });

  it.each([
    ['into it', () => appendFileSync(bench.path('d', 'a.godwit'), 'Mine')],
    [
      'over it',
      () => {
        writeFileSync(bench.path('mine'), 'Mine');
        renameSync(bench.path('mine'), bench.path('d', 'a.godwit'));
      },
    ],
  ])(
    'keeps what was written %s in a conflict copy and leaves the file unchanged',
    async (_how, write) => {
      chmodSync(bench.path('d', 'a.godwit'), 0o600);
      write();
      await bench.settled();
      await bench.until(() => Object.keys(shows()).length === 4);
      const [kept = ''] = Object.keys(shows()).filter((path) => path.includes('conflict'));
      expect(kept).toMatch(/^d\/a \(conflict, laptop, [^)]*\)$/);
      expect(readFileSync(bench.path(...kept.split('/')), 'utf8')).toMatch(/Mine$/);
      expect(shows()).toMatchObject({ b: 'b', 'd/a.godwit': P });
      await bench.settled();
      expect(volume()['d/a']).toBe('a');
      expect(Object.keys(volume())).toContain(kept);
    },
  );

  it('keeps both files when one is saved at its target name at the last moment', async () => {
    const { host } = bench;
    const rename = host.renameNoReplace.bind(host);
    const saved: string[] = [];
    host.renameNoReplace = (from, to) => {
      if (to.includes('conflict') && saved.length === 0) {
        writeFileSync(to, 'Saved in between');
        saved.push(to.slice(to.lastIndexOf('/') + 1));
      }
      rename(from, to);
    };
    appendFileSync(bench.path('d', 'a.godwit'), 'Mine');
    await bench.settled();
    await bench.until(() => Object.keys(shows()).length === 5);
    expect(saved).toHaveLength(1);
    expect(readFileSync(bench.path('d', saved[0] ?? ''), 'utf8')).toBe('Saved in between');
    const kept = Object.keys(shows()).filter((path) => path.includes('conflict'));
    const texts = kept.map((path) => readFileSync(bench.path(...path.split('/')), 'utf8'));
    expect(texts.filter((text) => text.endsWith('Mine'))).toHaveLength(1);
  });

  it('stores the contents of a new file with its own name', async () => {
    writeFileSync(bench.path('d', 'a'), contents('A'));
    await bench.settled();
    await isShown({ b: 'b', 'd/': '', 'd/a': 'A' });
    expect(bench.told()).toContain('store d/a');
    expect(bench.told()).not.toContain('create d/a');
    expect(volume()).toEqual({ b: 'b', 'd/': '', 'd/a': 'A' });
    expect(bench.volume.notKept.size).toBe(0);
  });

  it('fills it without a log entry when the new file has the same bytes', async () => {
    writeFileSync(bench.path('d', 'a'), contents('a'));
    await bench.settled();
    await isShown({ b: 'b', 'd/': '', 'd/a': 'a' });
    expect(bench.told().filter(isOfFiles)).toEqual([]);
  });

  it('replaces it when another file is moved over it', async () => {
    renameSync(bench.path('b'), bench.path('d', 'a'));
    await bench.settled();
    await isShown({ 'd/': '', 'd/a': 'b' });
    expect(volume()).toEqual({ 'd/': '', 'd/a': 'b' });
  });

  it('gives it another name when its target name is taken', async () => {
    renameSync(bench.path('d', 'a.godwit'), bench.path('b.godwit'));
    await bench.settled();
    await bench.until(() => Object.keys(shows()).some((path) => path.includes('conflict')));
    await bench.settled();
    expect(Object.values(volume()).sort()).toEqual(['', 'a', 'b']);
    expect(volume()).toMatchObject({ b: 'b' });
    const [name = ''] = Object.keys(shows()).filter((path) => path.includes('conflict'));
    expect(name).toMatch(/^b \(conflict, .*\)\.godwit$/);
  });

  it.each([
    ['folder', () => mkdirSync(bench.path('d', 'a'))],
    ['link', () => symlinkSync('x', bench.path('d', 'a'))],
  ])('gives its file another name when a %s takes the name', async (_what, make) => {
    make();
    await bench.settled();
    await bench.until(() => Object.keys(shows()).some((path) => path.includes('conflict')));
    await bench.settled();
    const kept = Object.keys(volume()).filter((path) => path.includes('conflict'));
    expect(kept).toHaveLength(1);
    expect(volume()[kept[0] ?? '']).toBe('a');
    expect(shows()[`${kept[0]}.godwit`]).toBe(P);
    expect(bench.told()).not.toContain('remove d/a');
    expect(bench.folder.status().errors).toEqual([]);
  });

  it('leaves files with the same ending alone that are no placeholders', async () => {
    writeFileSync(bench.path('x.godwit'), 'mine');
    mkdirSync(bench.path('y.godwit'));
    writeFileSync(bench.path('.godwit-notes'), 'mine');
    await bench.settled();
    expect(volume()).toMatchObject({ 'x.godwit': 'm', 'y.godwit/': '', '.godwit-notes': 'm' });
  });

  it('gives the file a second name when the placeholder is linked', async () => {
    linkSync(bench.path('d', 'a.godwit'), bench.path('l.godwit'));
    await bench.settled();
    expect(bench.told()).toContain('link l');
    expect(shows()).toEqual({ b: 'b', 'd/': '', 'd/a.godwit': P, 'l.godwit': P });
    await fill('l');
    expect(shows()).toEqual({ b: 'b', 'd/': '', 'd/a': 'a', l: 'a' });
    await bench.settled();
    expect(volume()).toEqual({ b: 'b', 'd/': '', 'd/a': 'a', l: 'a' });
  });
});

describe("another device's change of a file with a placeholder", () => {
  it('renames and removes the placeholder', async () => {
    bench.other.rename('d/a', 'c');
    await isShown({ b: 'b', 'c.godwit': P, 'd/': '' });
    expect(readFileSync(bench.path('c.godwit'), 'utf8')).toMatch(/name: +c\n/);
    bench.other.remove('c');
    await isShown({ b: 'b', 'd/': '' });
    expect(bench.told()).toEqual([]);
  });

  it('leaves nothing of its text after a restart when the file is removed', async () => {
    bench.other.remove('d/a');
    await isShown({ b: 'b', 'd/': '' });
    await bench.close();
    bench.limits = { ...bench.limits, late: milliseconds(0) };
    await bench.start();
    await bench.settled();
    expect(readdirSync(bench.path('.godwit', 'late'))).toEqual([]);
    expect(shows()).toEqual({ b: 'b', 'd/': '' });
    expect(volume()).toEqual({ b: 'b', 'd/': '' });
  });

  it('updates its text and does not fill it', async () => {
    await bench.other.write('d/a', 'x'.repeat(7000));
    await bench.until(() =>
      readFileSync(bench.path('d', 'a.godwit'), 'utf8').includes('size:     7000 bytes'),
    );
    expect(shows()).toEqual({ b: 'b', 'd/': '', 'd/a.godwit': P });
    bench.other.setattr('d/a', { mode: 0o600 });
    await bench.settled();
    await fill('d/a');
    expect(shows()).toEqual({ b: 'b', 'd/': '', 'd/a': 'x' });
    expect(bench.told()).toEqual([]);
  });

  it('moves it over another file, and another file over it', async () => {
    bench.other.rename('d/a', 'b');
    await isShown({ 'b.godwit': P, 'd/': '' });
    await bench.other.write('e', contents('e'));
    await isShown({ 'b.godwit': P, 'd/': '', e: 'e' });
    bench.other.rename('e', 'b');
    await isShown({ b: 'e', 'd/': '' });
    await bench.settled();
    expect(bench.told()).toEqual([]);
  });

  it('arrives while the placeholder is moved here', async () => {
    bench.volume.connected = false;
    renameSync(bench.path('d', 'a.godwit'), bench.path('m.godwit'));
    await bench.folder.scan();
    await bench.other.write('d/a', 'x'.repeat(7000));
    bench.volume.connected = true;
    await bench.settled();
    await isShown({ b: 'b', 'd/': '', 'm.godwit': P });
    await fill('m');
    expect(shows()).toEqual({ b: 'b', 'd/': '', m: 'x' });
  });

  it('becomes a conflict when a file took its place here, and both are kept', async () => {
    bench.volume.connected = false;
    writeFileSync(bench.path('d', 'a'), contents('A'));
    await bench.folder.scan();
    await bench.other.write('d/a', contents('T'));
    bench.volume.connected = true;
    await bench.settled();
    expect(Object.values(volume()).sort()).toEqual(['', 'A', 'T', 'b']);
    expect(volume()).toMatchObject({ 'd/a': 'T' });
  });
});

describe('a crash with placeholders', () => {
  const restart = async (): Promise<void> => {
    await bench.crash();
    await bench.start();
  };

  it('leaves the placeholder after an eviction that was not recorded', async () => {
    bench.keepRecords();
    await evict('b');
    await restart();
    await isShown({ 'b.godwit': P, 'd/': '', 'd/a.godwit': P });
    expect(bench.told()).toEqual([]);
    expect(bench.volume.notKept.size).toBe(2);
  });

  it('leaves the file after a fill that was not recorded', async () => {
    bench.keepRecords();
    await fill('d/a');
    await restart();
    await isShown({ b: 'b', 'd/': '', 'd/a': 'a' });
    expect(bench.told().filter(isOfFiles)).toEqual([]);
  });

  it('leaves the file when file and placeholder are both there', async () => {
    const text = readFileSync(bench.path('d', 'a.godwit'));
    await fill('d/a');
    await bench.close();
    writeFileSync(bench.path('d', 'a.godwit'), text);
    await bench.start();
    await isShown({ b: 'b', 'd/': '', 'd/a': 'a' });
    expect(volume()).toEqual({ b: 'b', 'd/': '', 'd/a': 'a' });
  });

  it('keeps a placeholder that was made or renewed and not recorded', async () => {
    bench.volume.bound = 0;
    bench.keepRecords();
    await bench.other.write('n', contents('n'));
    await bench.other.write('d/a', 'x'.repeat(7000));
    await isShown({ 'b.godwit': P, 'd/': '', 'd/a.godwit': P, 'n.godwit': P });
    await restart();
    await isShown({ 'b.godwit': P, 'd/': '', 'd/a.godwit': P, 'n.godwit': P });
    expect(bench.told()).toEqual([]);
    // Before its row came again it was nobody's.
    await bench.until(() => bench.folder.status().errors.length === 0);
  });

  it('keeps a rename that was not recorded', async () => {
    bench.keepRecords();
    renameSync(bench.path('d', 'a.godwit'), bench.path('m.godwit'));
    await bench.settled();
    await restart();
    await isShown({ b: 'b', 'd/': '', 'm.godwit': P });
    expect(volume()).toEqual({ b: 'b', 'd/': '', m: 'a' });
  });
});
