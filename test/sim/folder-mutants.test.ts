/**
 * Faults that were found from outside, brought back one by one into today's engine or under it: the folder's world finds each. Methods are replaced for
 * the time of a test, or a disk breaks a promise; the product has no switch for it.
 */
import { describe, expect, it } from '@jest/globals';
import type { FolderEntry, FolderPlan } from '../../app/lab/simulator/folder/folder-plan.ts';
import { makeFolderPlan } from '../../app/lab/simulator/folder/make-folder-plan.ts';
import { runFolderPlan } from '../../app/lab/simulator/folder/run-folder-plan.ts';
import { replaceMethod } from '../../app/lab/simulator/mutant/replace-method.ts';
import { Folder } from '../../daemon/adapters/folder/folder.ts';
import { LocalChanges } from '../../daemon/adapters/folder/local/local-changes.ts';
import { UpdateNotes } from '../../daemon/adapters/folder/records/update-notes.ts';
import { OutsideLinks } from '../../daemon/adapters/folder/watch/outside-links.ts';
import { DaemonRuntime } from '../../daemon/runtime/daemon-runtime.ts';
import { brokenDisk, type Break } from './broken-disk.ts';

const MOST_SEEDS = 30;
const NOTHING: Break = () => ({});

interface Mutant {
  readonly fault: string;
  readonly checker: string;
  readonly broken?: Break;
  readonly begin?: () => () => void;
  /** Kinds with the laptop that each runs on, one after the other. */
  readonly programs: ReadonlyArray<readonly [kind: string, laptop: number]>;
  readonly settings?: Partial<FolderPlan['settings']>;
  readonly faults?: (seed: number) => readonly FolderEntry[];
  /** Between two programs. */
  readonly pauseMs?: number;
  /** The first one that may find it, so that a test takes no longer than it must; left out: 1. */
  readonly seed?: number;
}

const times = <T>(count: number, ...all: readonly T[]): T[] =>
  Array.from({ length: count }, () => all).flat();
const refuse = (code: string): never => {
  throw Object.assign(new Error(code), { code });
};

const MUTANTS: readonly Mutant[] = [
  {
    fault: 'no time is set',
    checker: 'all are the same',
    broken: () => ({ setMtime: () => undefined }),
    programs: times(3, ['truncating', 0], ['extract', 1]),
  },
  {
    fault: 'a user attribute is set by the link to an open file, and never arrives',
    checker: 'all are the same',
    broken: (disk) => ({
      setXattr: (path, name, value) => {
        // Else the folder finds out that its disk keeps none, and says so.
        if (name === 'godwit.probe') disk.setXattr(path, name, value);
      },
    }),
    programs: times(4, ['truncating', 0], ['marks', 0]),
  },
  {
    fault: 'an edit elsewhere takes group and access list away',
    checker: 'what is not synced is kept',
    broken: () => ({ keepUnsynced: () => [] }),
    programs: times(4, ['truncating', 0], ['shares', 0], ['in-place', 1]),
  },
  {
    fault: 'a file outside, with a name in the folder, gets other bytes',
    checker: 'nothing outside is touched',
    broken: (disk, calls) => ({
      syncDirectory: (path) => {
        disk.syncDirectory(path);
        for (const name of calls.readdir('/home/outside')) {
          const at = `/home/outside/${name}`;
          if (calls.lstat(at).kind === 'file') calls.truncate(at, 1);
        }
      },
    }),
    programs: times(4, ['truncating', 0], ['links', 0], ['in-place', 1]),
  },
  {
    fault: 'what is counted as unsettled is another number at each look',
    checker: 'everything settles',
    begin: () => {
      let looks = 0;
      return replaceMethod(Folder.prototype, 'unsettled', () => () => {
        looks += 1;
        return { paths: looks, commits: 0 };
      });
    },
    programs: [['truncating', 0]],
  },
  {
    fault: 'contents are never read to their end',
    checker: 'the run comes to its end',
    broken: () => ({
      readParts: () => new Promise(() => undefined),
      digestFile: () => new Promise(() => undefined),
    }),
    programs: [['truncating', 0]],
  },
  {
    fault: 'the cost of a step grows with what is beside it',
    checker: 'work is bounded',
    begin: () =>
      replaceMethod(
        LocalChanges.prototype,
        'due',
        (due) =>
          async function (this: LocalChanges, ...given) {
            const looked = await due.apply(this, given);
            if (looked.paths.length === 0) return looked;
            for (let again = 0; again < 20; again++) await this.whole();
            return looked;
          },
      ),
    programs: times(2, ['install', 0], ['extract', 0]),
    settings: { laptops: 1, diskMs: 0 },
  },
  {
    fault: 'the status says that all is synced, whatever is wrong',
    checker: 'the status is true',
    begin: () =>
      replaceMethod(
        DaemonRuntime.prototype,
        'snapshot',
        (snapshot) =>
          function (this: DaemonRuntime) {
            return { ...snapshot.call(this), state: 'idle' as const };
          },
      ),
    programs: times(6, ['foreign-files', 0], ['truncating', 0]),
  },
  {
    fault: 'a flush says done and is not: what is there was not looked at',
    checker: 'a flush that is done has brought everything to the server',
    begin: () => replaceMethod(Folder.prototype, 'scan', () => () => Promise.resolve()),
    programs: [...times(6, ['truncating', 0] as const), ['keeps-times', 0]],
    settings: { watches: { mostDelay: 5000 } },
    pauseMs: 20,
  },
  {
    fault: 'watches run over, and edits are not seen under "synced"',
    checker: 'synced is true',
    broken: (disk) => ({
      watchDirectories: (events) =>
        disk.watchDirectories({
          happened: (event) => events.happened(event),
          lost: () => undefined,
        }),
    }),
    seed: 4,
    programs: times(4, ['extract', 0], ['copies', 0]),
    settings: { watches: { mostQueued: 2 } },
    pauseMs: 20,
  },
  {
    fault: 'writes through a hard link outside are not seen',
    checker: 'synced is true',
    begin: () => replaceMethod(OutsideLinks.prototype, 'look', () => () => undefined),
    seed: 9,
    programs: [
      ...times(3, ['truncating', 0] as const),
      ...times(8, ['links', 0] as const),
      ...times(3, ['writes-outside', 0] as const),
    ],
  },
  {
    fault: 'contents that were changed under their old length and time are not sent',
    checker: 'all are the same',
    broken: (disk) => {
      const unchanged = <T extends { readonly mtimeNs: bigint }>(status: T): T => ({
        ...status,
        ctimeNs: status.mtimeNs,
      });
      return {
        status: (path) => {
          const status = disk.status(path);
          return status && unchanged(status);
        },
        statusOf: (handle) => unchanged(disk.statusOf(handle)),
      };
    },
    programs: times(6, ['truncating', 0], ['keeps-times', 0]),
  },
  {
    fault: 'a lone laptop that was killed conflicts with itself',
    checker: 'who is alone has no conflicts',
    begin: () => replaceMethod(UpdateNotes.prototype, 'again', () => () => undefined),
    programs: times(10, ['truncating', 0], ['vim', 0], ['in-place', 0]),
    settings: { laptops: 1, diskMs: 0, networkMs: 1 },
    faults: (seed) => crashes(seed, 12, 0),
    pauseMs: 300,
  },
  {
    fault: 'nothing arrives on a disk that can not rename without replacing',
    checker: 'the run comes to its end',
    broken: () => ({ renameNoReplace: () => refuse('EXDEV') }),
    programs: times(2, ['truncating', 0], ['truncating', 1]),
  },
];

function crashes(seed: number, count: number, laptop: number): FolderEntry[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ at: 400 * at, laptop, kind: 'fault' as const, do: 'crash-at-call' as const },
    ...{ calls: 1 + ((seed * 37 + at * 61) % 70), downMs: 0 },
  }));
}

function planOf(mutant: Mutant, seed: number): FolderPlan {
  const { programs, settings = {}, faults = () => [], pauseMs = 1200 } = mutant;
  const drawn = makeFolderPlan({ seed, steps: 1, hasFaults: false });
  const own: FolderPlan['settings'] = {
    ...drawn.settings,
    ...{ laptops: 2, isLong: false, cacheBytes: null, watches: {}, fileSystem: 'ext4' },
    ...settings,
  };
  const begun: FolderEntry[] = programs.map(([program, laptop], at) => {
    return { at: at * pauseMs, laptop, kind: 'program', program, seed: seed * 1000 + at };
  });
  const last = (begun.at(-1)?.at ?? 0) + 100;
  const entries = [...begun, { at: last, laptop: 0, kind: 'flush' as const }, ...faults(seed)]
    .map((entry) => ({ ...entry, laptop: entry.laptop % own.laptops }))
    .sort((a, b) => a.at - b.at);
  return { ...drawn, settings: own, entries };
}

async function caught(mutant: Mutant): Promise<number> {
  const { begin, checker, broken = NOTHING, seed: first = 1 } = mutant;
  const mend = begin?.() ?? (() => undefined);
  const others = new Set<string>();
  try {
    for (let seed = first; seed < first + MOST_SEEDS; seed++) {
      const makeDisk = brokenDisk(broken);
      const { findings } = await runFolderPlan(planOf(mutant, seed), { makeDisk });
      if (findings.some((finding) => finding.checker === checker)) return seed;
      for (const finding of findings) others.add(`${finding.checker}: ${finding.text}`);
    }
  } finally {
    mend();
  }
  throw new Error(`no seed of ${MOST_SEEDS} shows it, but: ${[...others].slice(0, 4).join('; ')}`);
}

describe('a fault that was found from outside, brought back,', () => {
  it.each(MUTANTS)('is found by the folder world: $fault', async (mutant) => {
    const seed = await caught(mutant);
    const { findings } = await runFolderPlan(planOf(mutant, seed));
    // The mutant was caught, and not the plan.
    expect([seed, findings]).toEqual([seed, []]);
  });
});
