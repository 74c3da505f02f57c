/** The folder's world: fixed seeds without a finding, one history for each seed, and broken disks that its checkers notice. */
import { describe, expect, it } from '@jest/globals';
import type { Disk } from '../../daemon/adapters/folder/disk/disk.ts';
import type { FolderPlan } from '../../app/lab/simulator/folder/folder-plan.ts';
import { makeFolderPlan } from '../../app/lab/simulator/folder/make-folder-plan.ts';
import { runFolderPlan } from '../../app/lab/simulator/folder/run-folder-plan.ts';
import type { ProgramCalls } from '../../app/lab/simulator/posix/program-calls.ts';
import { brokenDisk, type Break } from './broken-disk.ts';

const SEEDS = Array.from({ length: 16 }, (_, at) => 300 + at);
const STEPS = 15;
const MOST_SEEDS = 40;

describe(`a random history of ${STEPS} programs on simulated disks`, () => {
  it.each(SEEDS)('produces no finding: seed %d', async (seed) => {
    const { findings } = await runFolderPlan(makeFolderPlan({ seed, steps: STEPS }));
    expect([`godwit sim --world folder --seed ${seed} --steps ${STEPS}`, findings]).toEqual([
      `godwit sim --world folder --seed ${seed} --steps ${STEPS}`,
      [],
    ]);
  });

  it('is the same each time', async () => {
    for (const seed of SEEDS.slice(0, 3)) {
      const plan = makeFolderPlan({ seed, steps: STEPS });
      const first = await runFolderPlan(plan);
      const again = await runFolderPlan(JSON.parse(JSON.stringify(plan)) as FolderPlan);
      expect(again).toEqual(first);
      expect(first.operations).toBeGreaterThan(100);
    }
  });
});

interface Canary {
  readonly checker: string;
  readonly what: string;
  readonly broken: Break;
  /** What it takes to show. */
  readonly programs?: readonly string[];
}

/** Where the folder tries what its disk can do. */
const TRIAL = /\/tmp\/[0-9a-f]+\/one$/;

/** Disks that break a promise, each with the checker that is there for it. */
const CANARIES: readonly Canary[] = [
  {
    checker: 'nothing is lost',
    what: 'a new file vanishes',
    broken: (disk, calls) => ({
      setMtime: (path, mtime) => {
        disk.setMtime(path, mtime);
        removeOne(disk, calls, path, 'new');
      },
    }),
  },
  {
    checker: 'nothing is removed by itself',
    what: 'a file vanishes',
    broken: (disk, calls) => ({
      setMtime: (path, mtime) => {
        disk.setMtime(path, mtime);
        removeOne(disk, calls, path, 'old');
      },
    }),
  },
  {
    checker: 'all are the same',
    what: 'no mode is set',
    broken: (disk) => ({
      setMode: (path, mode) => {
        // Else the folder finds out that its disk keeps none, and says so.
        if (TRIAL.test(path)) disk.setMode(path, mode);
      },
    }),
  },
  {
    checker: 'nothing is torn',
    what: 'a file loses its last byte',
    broken: (disk, calls) => ({
      setMtime: (path, mtime) => {
        disk.setMtime(path, mtime);
        cutOne(disk, calls, path);
      },
    }),
  },
  {
    checker: 'nothing goes back',
    what: 'a file is read as it was before',
    broken: (disk) => ({ readParts: readingOld(disk) }),
    programs: ['truncating', ...Array.from({ length: 12 }, () => 'keeps-times')],
  },
  {
    checker: 'a flush that is done has brought everything to the server',
    what: 'a file is read as it was before',
    broken: (disk) => ({ readParts: readingOld(disk) }),
    programs: ['truncating', ...Array.from({ length: 12 }, () => 'keeps-times')],
  },
  {
    checker: 'nothing outside is touched',
    what: 'a file is made beside the folder',
    broken: (disk, calls) => ({
      syncDirectory: (path) => {
        disk.syncDirectory(path);
        calls.close(calls.open('/home/outside/ours', 'w'));
      },
    }),
  },
  {
    checker: 'nothing is left over',
    what: 'private files are not removed',
    broken: (disk) => ({
      drop: (path) => (path.includes('/tmp/') ? Promise.resolve() : disk.drop(path)),
      remove: (path) => (path.includes('/tmp/') ? undefined : disk.remove(path)),
      removeTree: (path) => (path.includes('/tmp/') ? undefined : disk.removeTree(path)),
    }),
  },
  {
    checker: 'the folder meets no error of its own',
    what: 'a call fails in a way that no disk knows',
    broken: (disk) => {
      let calls = 0;
      return {
        statusOf: (handle) => {
          calls += 1;
          if (calls === 100) throw new TypeError('no disk says that');
          return disk.statusOf(handle);
        },
      };
    },
  },
];

/** Regular files of a directory, by the times of their last change. */
function filesIn(disk: Disk, calls: ProgramCalls, directory: string) {
  if (calls.stat(directory).kind !== 'directory') return [];
  return disk
    .names(directory)
    .filter((name) => !name.startsWith('.'))
    .map((name) => ({ path: `${directory}/${name}`, stats: calls.lstat(`${directory}/${name}`) }))
    .filter(({ stats }) => stats.kind === 'file' && stats.size > 1)
    .sort((a, b) => (a.stats.ctime < b.stats.ctime ? -1 : 1));
}

function removeOne(disk: Disk, calls: ProgramCalls, path: string, which: 'new' | 'old'): void {
  const found = filesIn(disk, calls, path).at(which === 'new' ? -1 : 0);
  if (found !== undefined) calls.unlink(found.path);
}

function cutOne(disk: Disk, calls: ProgramCalls, path: string): void {
  const found = filesIn(disk, calls, path)[0];
  if (found !== undefined) calls.truncate(found.path, found.stats.size - 1);
}

/** From the third time on what was read first. */
function readingOld(disk: Disk): Disk['readParts'] {
  const known = new Map<bigint, Array<Awaited<ReturnType<Disk['readParts']>>>>();
  return async (path, lengths) => {
    const { ino } = disk.statusBehind(path) ?? { ino: 0n };
    const all = known.get(ino) ?? [];
    known.set(ino, all);
    all.push(await disk.readParts(path, lengths));
    const at = all.length >= 3 ? 0 : -1;
    return all.at(at) ?? [];
  };
}

function planOf(seed: number, programs: readonly string[] | undefined): FolderPlan {
  const plan = makeFolderPlan({ seed, steps: STEPS, hasFaults: false });
  const drawn = plan.entries.map((each) => ({ ...each, laptop: each.laptop % 2 }));
  const chosen = programs?.map((program, at) => {
    return { at: at * 1500, laptop: 0, kind: 'program' as const, program, seed: seed + at };
  });
  const entries = chosen ?? drawn;
  const at = (entries.at(-1)?.at ?? 0) + 100;
  const flushes = [0, 1].map((laptop) => ({ at, laptop, kind: 'flush' as const }));
  const settings = { ...plan.settings, laptops: 2, isLong: false, cacheBytes: null };
  return { ...plan, settings, entries: [...entries, ...flushes] };
}

describe('a checker of the folder', () => {
  it.each(CANARIES)(
    'notices a broken disk: $checker, where $what',
    async ({ checker, broken, programs }) => {
      const makeDisk = brokenDisk(broken);
      const found = new Set<string>();
      for (let seed = 1; seed <= MOST_SEEDS; seed++) {
        const { findings } = await runFolderPlan(planOf(seed, programs), { makeDisk });
        for (const finding of findings) found.add(finding.checker);
        if (found.has(checker)) return;
      }
      throw new Error(`no seed of ${MOST_SEEDS} shows it, but: ${[...found].join(', ')}`);
    },
  );
});
