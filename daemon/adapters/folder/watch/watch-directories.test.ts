/** A directory that has gone, and another one in its place with its number: what came in between is told by no watch. */
import { beforeEach, expect, it } from '@jest/globals';
import { DirectoryWatcher } from './watch-directories.ts';
import type { DirectoryEvent } from '../../../../shared/ports/host.ts';

const ROOT = '/home';

let told: string[];
let directories: Map<string, bigint>;
let happened: (event: DirectoryEvent) => void;
let watcher: DirectoryWatcher;

const event = (watch: number, name: string | null, isEnded = false): DirectoryEvent => ({
  ...{ watch, name, isDirectory: name !== null, isEnded },
});

beforeEach(async () => {
  told = [];
  directories = new Map([
    ['', 1n],
    ['d', 2n],
    ['d/in', 3n],
  ]);
  const pathOf = (full: string): string => full.slice(ROOT.length).replace(/^\//, '');
  let watches = 0;
  const files = {
    hasDirectoryWatches: true,
    watchDirectories: ({ happened: tell }: { happened: (event: DirectoryEvent) => void }) => {
      happened = tell;
      return { add: () => (watches += 1), remove: () => undefined, close: () => undefined };
    },
    entryAt: (full: string) => {
      const inode = directories.get(pathOf(full));
      if (inode === undefined) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
      return { inode, isDirectory: true };
    },
    directoriesIn: (full: string) => {
      const path = pathOf(full);
      const names = [...directories.keys()].filter((each) => each !== '');
      return names
        .filter((each) => each.slice(0, Math.max(each.lastIndexOf('/'), 0)) === path)
        .map((each) => each.slice(each.lastIndexOf('/') + 1));
    },
  };
  watcher = new DirectoryWatcher(
    ROOT,
    { files, letOthersRun: () => Promise.resolve() },
    {
      isIgnored: () => false,
      hint: (path, isNewWatch) => void told.push(`${isNewWatch ? 'deep ' : ''}${path}`),
      another: (path) => void told.push(`another ${path}`),
      missed: () => undefined,
      lost: () => undefined,
    },
  );
  await watcher.ready;
});

it('a directory that was made again with the number of the one before is reported with all in it', () => {
  // Watches 1 to 3. Both were removed and made again before anything was told.
  happened(event(3, null, true));
  happened(event(2, null, true));
  happened(event(1, 'd'));
  happened(event(1, 'd'));
  expect(told).toContain('another d');
});

it('a directory that was made again is reported with all in it also when its name is first', () => {
  happened(event(1, 'd'));
  happened(event(1, 'd'));
  happened(event(3, null, true));
  happened(event(2, null, true));
  expect(told).toContain('another d');
});

it('a directory that was made again with another number is reported with all in it', () => {
  directories.set('d', 12n);
  directories.set('d/in', 13n);
  happened(event(1, 'd'));
  expect(told).toContain('deep d');
});

it('a directory that has gone is not reported as another one', () => {
  directories.delete('d');
  directories.delete('d/in');
  happened(event(3, null, true));
  happened(event(2, null, true));
  happened(event(1, 'd'));
  expect(told).toEqual(['d']);
});
