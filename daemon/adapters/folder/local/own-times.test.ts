/** The daemon dies between a change in a directory and putting the directory's time back: that time is nobody's wish. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../../test/support/hooked-host.ts';

let bench: FolderBench;
beforeEach(() => {
  bench = new FolderBench();
});
afterEach(() => bench.destroy());

const mtimeOf = (name: string): bigint => statSync(bench.path(name), { bigint: true }).mtimeNs;

async function isSame(): Promise<void> {
  await bench.settled();
  await bench.shows(bench.volume.tree());
}

/** The time of a directory becomes that of a change in it, as right after the change. */
function stir(name: string): void {
  mkdirSync(bench.path(name, 'stir'));
  renameSync(bench.path(name, 'stir'), bench.path('.godwit', 'tmp', `stirred ${name}`));
}

interface Story {
  readonly before: () => Promise<void> | void;
  /** Put in place by a run that records nothing of it. */
  readonly placed: () => Promise<void> | void;
  /** Where the time was not put back. */
  readonly stirred: readonly string[];
}

const STORIES: Record<string, Story> = {
  'a new file was put in place': {
    before: () => bench.other.mkdir('d'),
    placed: async () => void (await bench.other.write('d/in', 'in')),
    stirred: ['d'],
  },
  'a file got other contents': {
    before: async () => {
      bench.other.mkdir('d');
      await bench.other.write('d/in', 'in');
    },
    placed: async () => void (await bench.other.write('d/in', 'other')),
    stirred: ['d'],
  },
  'a file was removed': {
    before: async () => {
      bench.other.mkdir('d');
      await bench.other.write('d/in', 'in');
    },
    placed: () => bench.other.remove('d/in'),
    stirred: ['d'],
  },
  'a file was moved': {
    before: async () => {
      bench.other.mkdir('d');
      bench.other.mkdir('e');
      await bench.other.write('d/in', 'in');
    },
    placed: () => bench.other.rename('d/in', 'e/in'),
    stirred: ['d', 'e'],
  },
  'a directory was moved': {
    before: () => {
      bench.other.mkdir('d');
      bench.other.mkdir('e');
      bench.other.mkdir('d/in');
    },
    placed: () => bench.other.rename('d/in', 'e/in'),
    stirred: ['d', 'e'],
  },
  'a file got a second name': {
    before: async () => {
      bench.other.mkdir('d');
      await bench.other.write('in', 'in');
    },
    placed: () => bench.other.link('in', 'd/in'),
    stirred: ['d'],
  },
  'a folder was made, and files in it': {
    before: () => undefined,
    placed: async () => {
      bench.other.mkdir('d');
      bench.other.symlink('d/link', 'in');
      await bench.other.write('d/in', 'in');
    },
    stirred: ['d'],
  },
};

describe('a directory whose time was not put back when the daemon died', () => {
  it.each(Object.keys(STORIES))('has the time of the volume when %s', async (name) => {
    const { before, placed, stirred } = STORIES[name] as Story;
    await before();
    await bench.start();
    await isSame();
    bench.keepRecords();
    await placed();
    await isSame();
    await bench.crash();
    bench.told();
    const wanted = stirred.map((dir) => bench.volume.status(dir).mtime);
    stirred.forEach(stir);
    await bench.start();
    await isSame();
    expect(bench.told()).toEqual([]);
    expect(stirred.map((dir) => bench.volume.status(dir).mtime)).toEqual(wanted);
    expect(stirred.map((dir) => String(mtimeOf(dir)))).toEqual(wanted);
  });

  it('has the time of the volume when all of it was recorded but one file', async () => {
    const host = new HookedHost();
    await bench.destroy();
    bench = new FolderBench(host);
    bench.other.mkdir('d');
    await bench.other.write('d/in', 'in');
    host.refuse('placing', 'in', 'EIO');
    await bench.open();
    await bench.until(() => bench.folder.status().errors.length > 0);
    await bench.close();
    await bench.open();
    await bench.until(() => bench.folder.status().errors.length > 0);
    bench.keepRecords();
    host.refuse('placing', null);
    await isSame();
    await bench.crash();
    const { mtime } = bench.volume.status('d');
    stir('d');
    await bench.start();
    await isSame();
    expect(bench.told()).toEqual([]);
    expect([String(mtimeOf('d')), bench.volume.status('d').mtime]).toEqual([mtime, mtime]);
  });

  it('has the time of the volume also when its user may not write in it', async () => {
    bench.other.mkdir('d', 0o555);
    await bench.start();
    await isSame();
    bench.keepRecords();
    await bench.other.write('d/in', 'in');
    await isSame();
    await bench.crash();
    bench.told();
    const { mtime } = bench.volume.status('d');
    chmodSync(bench.path('d'), 0o755);
    stir('d');
    chmodSync(bench.path('d'), 0o1755);
    await bench.start();
    await isSame();
    expect(bench.told()).toEqual([]);
    expect([mtimeOf('d').toString(), bench.volume.status('d').mtime]).toEqual([mtime, mtime]);
    expect(statSync(bench.path('d')).mode & 0o7777).toBe(0o555);
  });

  it('has the time of what its user did in it meanwhile, which others get', async () => {
    bench.other.mkdir('d');
    await bench.start();
    await isSame();
    bench.keepRecords();
    await bench.other.write('d/in', 'in');
    await isSame();
    await bench.crash();
    writeFileSync(bench.path('d', 'mine'), 'mine');
    const mine = String(mtimeOf('d'));
    await bench.start();
    await isSame();
    expect([String(mtimeOf('d')), bench.volume.status('d').mtime]).toEqual([mine, mine]);
    expect(readdirSync(bench.path('d')).sort()).toEqual(['in', 'mine']);
  });

  it('keeps a time that its user set by hand', async () => {
    bench.other.mkdir('d');
    await bench.start();
    await isSame();
    bench.keepRecords();
    await bench.other.write('d/in', 'in');
    await isSame();
    await bench.crash();
    utimesSync(bench.path('d'), 1000, 1000);
    await bench.start();
    await isSame();
    expect([mtimeOf('d'), bench.volume.status('d').mtime]).toEqual([
      1_000_000_000_000n,
      '1000000000000',
    ]);
  });
});
