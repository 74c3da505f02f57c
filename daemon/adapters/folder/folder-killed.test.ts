/**
 * The daemon dies after something was logged and committed, and before its records were written; people go on with their files meanwhile.
 * What the volume has from this very folder is no change of somebody else's.
 */
import {
  chmodSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FolderBench } from '../../../test/support/folder-bench.ts';

let bench: FolderBench;

beforeEach(() => {
  bench = new FolderBench();
  mkdirSync(bench.root);
});

afterEach(() => bench.destroy());

const write = (name: string, text: string): void => writeFileSync(bench.path(name), text);

/** As editors do. */
function save(name: string, text: string): void {
  write(`${name}.new`, text);
  renameSync(bench.path(`${name}.new`), bench.path(name));
}

interface Story {
  /** Recorded. */
  readonly first?: () => void;
  /** Told, committed, and not recorded. */
  readonly told: () => void;
  /** Done while no daemon runs. */
  readonly then: () => void;
  readonly tree: Record<string, string>;
}

const STORIES: Record<string, Story> = {
  'a new file, saved again': {
    told: () => save('doc', 'one'),
    then: () => save('doc', 'two, longer'),
    tree: { doc: 'two, longer' },
  },
  'a new file, written again in place': {
    told: () => write('doc', 'one'),
    then: () => write('doc', 'two, longer'),
    tree: { doc: 'two, longer' },
  },
  'a file that was saved, and is saved again': {
    first: () => write('doc', 'one'),
    told: () => save('doc', 'two'),
    then: () => save('doc', 'three, longer'),
    tree: { doc: 'three, longer' },
  },
  'a file that was written in place, and is again': {
    first: () => write('doc', 'one'),
    told: () => write('doc', 'two'),
    then: () => write('doc', 'three, longer'),
    tree: { doc: 'three, longer' },
  },
  'a file that was written, and has its older contents again': {
    first: () => write('doc', 'one'),
    told: () => write('doc', 'two, longer'),
    then: () => save('doc', 'one'),
    tree: { doc: 'one' },
  },
  'a file that was renamed, and is renamed again': {
    first: () => write('a', 'one'),
    told: () => renameSync(bench.path('a'), bench.path('b')),
    then: () => renameSync(bench.path('b'), bench.path('c')),
    tree: { c: 'one' },
  },
  'a file that was renamed, and is renamed back and written': {
    first: () => write('a', 'one'),
    told: () => renameSync(bench.path('a'), bench.path('b')),
    then: () => {
      renameSync(bench.path('b'), bench.path('a'));
      write('a', 'two, longer');
    },
    tree: { a: 'two, longer' },
  },
  'a file that was renamed over another, and is saved': {
    first: () => {
      write('a', 'one');
      write('b', 'other');
    },
    told: () => renameSync(bench.path('a'), bench.path('b')),
    then: () => {
      save('b', 'two, longer');
      write('a', 'new');
    },
    tree: { a: 'new', b: 'two, longer' },
  },
  'a file that was removed, and is there again': {
    first: () => write('doc', 'one'),
    told: () => unlinkSync(bench.path('doc')),
    then: () => write('doc', 'two, longer'),
    tree: { doc: 'two, longer' },
  },
  'folders that were made and filled, and what is in them is saved and moved': {
    told: () => {
      mkdirSync(bench.path('d/e'), { recursive: true });
      write('d/e/a', 'one');
      write('d/b', 'one');
    },
    then: () => {
      save('d/e/a', 'two, longer');
      renameSync(bench.path('d'), bench.path('moved'));
      save('moved/b', 'two, longer');
    },
    tree: {
      'moved/': '',
      'moved/b': 'two, longer',
      'moved/e/': '',
      'moved/e/a': 'two, longer',
    },
  },
  'a link that was made, and leads elsewhere now': {
    told: () => symlinkSync('here', bench.path('link')),
    then: () => {
      unlinkSync(bench.path('link'));
      symlinkSync('there', bench.path('link'));
    },
    tree: { link: '-> there' },
  },
  'a second name that was given, and both are written': {
    first: () => write('a', 'one'),
    told: () => linkSync(bench.path('a'), bench.path('b')),
    then: () => write('b', 'two, longer'),
    tree: { a: 'two, longer', b: 'two, longer' },
  },
  'two files that changed names, and are saved': {
    first: () => {
      write('a', 'one');
      write('b', 'two');
    },
    told: () => {
      renameSync(bench.path('a'), bench.path('x'));
      renameSync(bench.path('b'), bench.path('a'));
      renameSync(bench.path('x'), bench.path('b'));
    },
    then: () => {
      save('a', 'two, longer');
      write('b', 'one, longer');
    },
    tree: { a: 'two, longer', b: 'one, longer' },
  },
  'a folder that was removed with all in it, and is there again': {
    first: () => {
      mkdirSync(bench.path('d'));
      write('d/a', 'one');
    },
    told: () => rmSync(bench.path('d'), { recursive: true }),
    then: () => {
      mkdirSync(bench.path('d'));
      write('d/a', 'two, longer');
    },
    tree: { 'd/': '', 'd/a': 'two, longer' },
  },
};

describe.each(Object.entries(STORIES))(
  'a kill in the story of %s',
  (_, { first, told, then, tree }) => {
    const tell = async (): Promise<void> => {
      first?.();
      await bench.start();
      bench.keepRecords();
      told();
      await bench.settled();
    };

    it('leads to a later change of what was logged', async () => {
      await tell();
      await bench.crash();
      then();
      await bench.start();
      expect(bench.volume.tree()).toEqual(tree);
      expect(bench.tree()).toEqual(tree);
      expect(bench.volume.notes()).toEqual([]);
    });

    it('leads to the same when the notes are still there at a later crash', async () => {
      await tell();
      await bench.crash();
      await bench.start();
      bench.keepRecords();
      then();
      await bench.settled();
      await bench.crash();
      await bench.start();
      expect(bench.volume.tree()).toEqual(tree);
      expect(bench.tree()).toEqual(tree);
    });

    it('leads to the same when the records were written and the notes not acknowledged', async () => {
      first?.();
      await bench.start();
      bench.volume.letsNotesGo = false;
      told();
      await bench.settled();
      await bench.close();
      bench.volume.letsNotesGo = true;
      then();
      await bench.start();
      expect(bench.volume.tree()).toEqual(tree);
      expect(bench.tree()).toEqual(tree);
      expect(bench.volume.notes()).toEqual([]);
    });

    it('leads to the same while the server is away', async () => {
      first?.();
      await bench.start();
      bench.keepRecords();
      bench.volume.connected = false;
      told();
      await bench.folder.scan();
      await bench.crash();
      then();
      await bench.open();
      await bench.folder.scan();
      bench.volume.connected = true;
      await bench.settled();
      expect(bench.volume.tree()).toEqual(tree);
      expect(bench.tree()).toEqual(tree);
    });
  },
);

it('a change of another device after the kill is still a conflict, and both sides are kept', async () => {
  write('doc', 'one');
  await bench.start();
  bench.keepRecords();
  write('doc', 'two');
  await bench.settled();
  await bench.crash();
  await bench.other.write('doc', 'theirs');
  save('doc', 'three, longer');
  await bench.start();
  expect(bench.volume.tree()).toEqual({ doc: 'theirs', 'doc (conflict)': 'three, longer' });
});

it('notes of another folder are ignored for this one', async () => {
  await bench.start();
  bench.keepRecords();
  write('doc', 'one');
  await bench.settled();
  await bench.crash();
  const [note] = bench.volume.notes();
  if (note === undefined) throw new Error('there is one');
  bench.volume.note({
    ...note,
    id: 1_000,
    text: note.text.replace(/"folder":"\w+"/, '"folder":"x"'),
  });
  save('doc', 'two, longer');
  await bench.start();
  expect(bench.volume.tree()).toEqual({ doc: 'two, longer' });
  expect(bench.volume.notes()).toEqual([]);
  expect(readFileSync(bench.path('doc'), 'utf8')).toBe('two, longer');
});

it('a symbolic link with the same target is the same link after a kill', async () => {
  await bench.start();
  bench.keepRecords();
  symlinkSync('here', bench.path('link'));
  await bench.settled();
  const { fid } = bench.volume.status('link');
  await bench.crash();
  await bench.start();
  expect(bench.volume.status('link').fid).toBe(fid);
  expect(readlinkSync(bench.path('link'))).toBe('here');
});

describe('a kill after attributes were logged', () => {
  const modeOf = (name: string): number => statSync(bench.path(name)).mode & 0o777;
  const OLD = new Date('2001-02-03T04:05:06Z');

  it.each<[string, (name: string) => void, (name: string) => void]>([
    ['is chmodded back', (name) => chmodSync(name, 0o755), (name) => chmodSync(name, 0o644)],
    [
      'is saved with the old mode',
      (name) => chmodSync(name, 0o755),
      (name) => {
        unlinkSync(name);
        writeFileSync(name, 'one', { mode: 0o644 });
      },
    ],
    [
      'has its old time again',
      (name) => utimesSync(name, new Date(), new Date('2020-01-02T03:04:05Z')),
      (name) => utimesSync(name, OLD, OLD),
    ],
  ])('is followed by what was done since: a file that %s', async (_what, told, then) => {
    write('doc', 'one');
    chmodSync(bench.path('doc'), 0o644);
    utimesSync(bench.path('doc'), OLD, OLD);
    await bench.start();
    bench.keepRecords();
    told(bench.path('doc'));
    await bench.settled();
    await bench.crash();
    then(bench.path('doc'));
    const { mtimeNs } = statSync(bench.path('doc'), { bigint: true });
    await bench.start();
    await bench.settled();
    const { mode, mtime } = bench.volume.status('doc');
    expect([modeOf('doc'), mode & 0o777, mtime]).toEqual([0o644, 0o644, String(mtimeNs)]);
    expect(statSync(bench.path('doc'), { bigint: true }).mtimeNs).toBe(mtimeNs);
    expect(bench.volume.notes()).toEqual([]);
  });
});

it.each([
  ['was told, made again by a program', (): void => unlinkSync(bench.path('link'))],
  ['was made on another device, and here by a program', (): void => undefined],
])('a symbolic link that %s, has one time everywhere after a kill', async (what, then) => {
  await bench.start();
  bench.keepRecords();
  if (what.startsWith('was told')) symlinkSync('here', bench.path('link'));
  await bench.settled();
  await bench.crash();
  if (!what.startsWith('was told')) bench.other.symlink('link', 'here');
  then();
  symlinkSync('here', bench.path('link'));
  lutimesSync(bench.path('link'), 1000, 1000);
  await bench.start();
  await bench.settled();
  const { mtimeNs } = lstatSync(bench.path('link'), { bigint: true });
  expect(bench.volume.status('link').mtime).toBe(mtimeNs.toString());
});
