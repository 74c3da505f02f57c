/** What a loss of power took from the disk is brought back, and is removed nowhere; what a user did is told. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { milliseconds } from '../../../../shared/model/time.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../../test/support/hooked-host.ts';

let host: HookedHost;
let bench: FolderBench;

/** The daemon and the disk go on as after a cut at this moment; `boot`: of the machine after that. */
async function cut(boot: string, act: () => void): Promise<void> {
  bench.keepRecords();
  await bench.crash();
  act();
  bench.world = { ...bench.world, boot };
  await bench.start();
}

/** As a torn file: the time stays. */
function tear(path: string, how: (path: string) => void): void {
  const { mtimeNs } = lstatSync(path, { bigint: true });
  how(path);
  bench.host.setMtime(path, mtimeNs);
}

beforeEach(async () => {
  host = new HookedHost();
  bench = new FolderBench(host);
  bench.world = { boot: 'one' };
  await bench.start();
  mkdirSync(bench.path('d'));
  writeFileSync(bench.path('d', 'photo'), 'all of it');
  writeFileSync(bench.path('note'), 'text');
  await bench.settled();
});
afterEach(() => bench.destroy());

const WHOLE = { 'd/': '', 'd/photo': 'all of it', note: 'text' };

async function isAll(tree: Record<string, string>): Promise<void> {
  await bench.settled();
  await bench.shows(tree);
  expect(bench.volume.tree()).toEqual(tree);
}

describe('after the machine was cut off', () => {
  it.each([
    ['a file that is missing', () => rmSync(bench.path('d', 'photo'))],
    ['a folder that is missing', () => rmSync(bench.path('d'), { recursive: true })],
    ['an empty file', () => tear(bench.path('d', 'photo'), (path) => truncateSync(path))],
    ['half a file', () => tear(bench.path('d', 'photo'), (path) => truncateSync(path, 4))],
    ['zeros', () => tear(bench.path('note'), (path) => writeFileSync(path, '\0\0\0\0'))],
  ])('the volume brings back %s', async (_, act) => {
    await cut('two', act);
    await isAll(WHOLE);
  });

  it.each([
    ['name', 'note', /^note-[0-9a-f]{8}$/],
    ['name as long as can be', 'x'.repeat(255), /^x{246}-[0-9a-f]{8}$/],
    ['name of wide characters', 'ü'.repeat(127), /^ü{122}-[0-9a-f]{8}$/],
  ])('a torn file is kept aside under its %s', async (_, name, kept) => {
    writeFileSync(bench.path(name), 'text');
    await bench.settled();
    await cut('two', () => tear(bench.path(name), (path) => writeFileSync(path, 'te')));
    await isAll({ ...WHOLE, [name]: 'text' });
    const [found = ''] = readdirSync(bench.path('.godwit', 'lost+found'));
    expect(found).toMatch(kept);
    expect(readFileSync(bench.path('.godwit', 'lost+found', found), 'utf8')).toBe('te');
  });

  it('a torn file whose last name is lost as well comes back by that name', async () => {
    bench.told();
    await cut('two', () => {
      half();
      renameSync(bench.path('note'), bench.path('.note.new'));
    });
    await isAll(WHOLE);
    expect(bench.told()).not.toContainEqual(expect.stringMatching(/note/));
  });

  it('a file that was removed while only the daemon was dead is removed everywhere', async () => {
    await cut('one', () => rmSync(bench.path('note')));
    await isAll({ 'd/': '', 'd/photo': 'all of it' });
  });

  it('a file that was removed after an ordinary end is removed everywhere', async () => {
    await bench.close();
    rmSync(bench.path('note'));
    bench.world = { boot: 'two' };
    await bench.start();
    await isAll({ 'd/': '', 'd/photo': 'all of it' });
  });

  it('a file that was saved after that is sent', async () => {
    await cut('two', () => writeFileSync(bench.path('note'), 'text and more'));
    await isAll({ ...WHOLE, note: 'text and more' });
  });

  it('a file that is removed after it came back is removed everywhere', async () => {
    await cut('two', () => rmSync(bench.path('note')));
    await isAll(WHOLE);
    rmSync(bench.path('note'));
    await isAll({ 'd/': '', 'd/photo': 'all of it' });
  });

  it('a file that had long been on the disk is removed everywhere', async () => {
    bench.limits = { ...bench.limits, powerLoss: milliseconds(0) };
    writeFileSync(bench.path('later'), 'now');
    await bench.settled();
    await cut('two', () => rmSync(bench.path('note')));
    await isAll({ 'd/': '', 'd/photo': 'all of it', later: 'now' });
  });

  describe('a program is first where something is to come back', () => {
    /** What the loss took cannot come back before the server is there again. */
    async function first(lost: () => void, act: () => void): Promise<void> {
      bench.keepRecords();
      await bench.crash();
      lost();
      bench.world = { ...bench.world, boot: 'two' };
      bench.volume.connected = false;
      await bench.open();
      await bench.folder.scan();
      act();
      await bench.folder.scan();
      bench.volume.connected = true;
    }
    /** As `isAll`, at once. */
    async function becomes(tree: Record<string, string>): Promise<void> {
      await bench.settled();
      expect(bench.volume.tree()).toEqual(tree);
      expect(bench.tree()).toEqual(tree);
    }
    const lose = (...names: string[]): void =>
      rmSync(bench.path(...names), { recursive: true, force: true });

    it.each<[string, () => void, () => void, Record<string, string>]>([
      [
        'a file is made anew',
        () => lose('note'),
        () => writeFileSync(bench.path('note'), 'new'),
        { ...WHOLE, note: 'new' },
      ],
      [
        'a torn file is made anew',
        () => tear(bench.path('note'), (path) => truncateSync(path)),
        () => writeFileSync(bench.path('note'), 'new'),
        { ...WHOLE, note: 'new' },
      ],
      [
        'a file is saved by way of another',
        () => lose('note'),
        () => {
          writeFileSync(bench.path('note.new'), 'new');
          renameSync(bench.path('note.new'), bench.path('note'));
        },
        { ...WHOLE, note: 'new' },
      ],
      [
        'another file is moved there',
        () => lose('note'),
        () => renameSync(bench.path('d', 'photo'), bench.path('note')),
        { 'd/': '', note: 'all of it' },
      ],
      [
        'a link is made there',
        () => lose('note'),
        () => symlinkSync('d', bench.path('note')),
        { ...WHOLE, note: '-> d' },
      ],
      [
        'a folder is made there',
        () => lose('note'),
        () => mkdirSync(bench.path('note')),
        { 'd/': '', 'd/photo': 'all of it', 'note/': '' },
      ],
      [
        'a folder is made anew with all in it',
        () => lose('d'),
        () => {
          mkdirSync(bench.path('d'));
          writeFileSync(bench.path('d', 'photo'), 'new');
          writeFileSync(bench.path('d', 'more'), 'more');
        },
        { ...WHOLE, 'd/photo': 'new', 'd/more': 'more' },
      ],
      [
        'the folder it was in is moved, and it is made there',
        () => lose('d', 'photo'),
        () => {
          renameSync(bench.path('d'), bench.path('e'));
          writeFileSync(bench.path('e', 'photo'), 'new');
        },
        { 'e/': '', 'e/photo': 'new', note: 'text' },
      ],
      [
        'the folder it was in is removed and made anew with all in it',
        () => lose('d', 'photo'),
        () => {
          lose('d');
          mkdirSync(bench.path('d'));
          writeFileSync(bench.path('d', 'photo'), 'new');
        },
        { ...WHOLE, 'd/photo': 'new' },
      ],
    ])('a name is one and the same when %s', async (_, lost, act, tree) => {
      await first(lost, act);
      await becomes(tree);
    });

    it('a folder comes back as one that is made anew later with all in it', async () => {
      await first(
        () => lose('d', 'photo'),
        () => lose('d'),
      );
      mkdirSync(bench.path('d'));
      writeFileSync(bench.path('d', 'photo'), 'new');
      await becomes({ ...WHOLE, 'd/photo': 'new' });
    });

    it('a folder that is removed comes back with what is to come back in it', async () => {
      writeFileSync(bench.path('d', 'more'), 'more');
      await bench.settled();
      await first(
        () => lose('d', 'photo'),
        () => lose('d'),
      );
      await becomes(WHOLE);
      expect(bench.told()).toContainEqual(expect.stringContaining('more'));
      expect(bench.told()).not.toContainEqual(expect.stringMatching(/^rmdir/));
    });

    it.each([
      ['an ordinary end', (): Promise<void> => bench.close()],
      ['a kill', (): Promise<void> => bench.crash()],
    ])('a lost file comes back also after %s', async (_, end) => {
      await first(
        () => lose('note'),
        () => undefined,
      );
      bench.volume.connected = false;
      bench.keepRecords();
      await end();
      bench.volume.connected = true;
      await bench.open();
      await becomes(WHOLE);
    });

    it('a lost file is known again also after a restart', async () => {
      await first(
        () => lose('note'),
        () => undefined,
      );
      bench.volume.connected = false;
      await bench.close();
      writeFileSync(bench.path('note'), 'new');
      await bench.open();
      await bench.folder.scan();
      bench.volume.connected = true;
      await becomes({ ...WHOLE, note: 'new' });
    });

    it('a file that others have changed meanwhile is a conflict, and both are kept', async () => {
      await first(
        () => lose('note'),
        () => undefined,
      );
      bench.volume.connected = false;
      await bench.other.write('note', 'theirs');
      writeFileSync(bench.path('note'), 'new');
      await bench.folder.scan();
      bench.volume.connected = true;
      await becomes({ ...WHOLE, note: 'theirs', 'note (conflict)': 'new' });
    });

    it('a file that others have removed meanwhile is new', async () => {
      await first(
        () => lose('note'),
        () => undefined,
      );
      bench.volume.connected = false;
      bench.other.remove('note');
      writeFileSync(bench.path('note'), 'new');
      await bench.folder.scan();
      bench.volume.connected = true;
      await becomes({ ...WHOLE, note: 'new' });
    });
  });

  /** So many times the disk does not let the file go. */
  const refuse = (code: string, times: number): void => {
    const rename = host.renameNoReplace.bind(host);
    let left = times;
    host.renameNoReplace = (from, to) => {
      if (!from.endsWith('/note') || left === 0) return rename(from, to);
      left -= 1;
      throw Object.assign(new Error(code), { code });
    };
  };
  const half = (): void => tear(bench.path('note'), (path) => truncateSync(path, 2));

  it('a torn file that may not be moved is not sent', async () => {
    await cut('two', () => {
      half();
      refuse('EACCES', Infinity);
    });
    await bench.settled();
    expect(bench.volume.tree()).toEqual(WHOLE);
    expect(bench.tree()).toMatchObject({ note: 'te' });
  });

  it('a disk that fails at a torn file is waited for', async () => {
    await cut('two', () => {
      half();
      refuse('EIO', 2);
    });
    await isAll(WHOLE);
  });
});
