/** A daemon dies at each call of its disk while a folder leaves it, and while it comes back: nothing of it is removed elsewhere, and nothing lost. */
import { describe, expect, it } from '@jest/globals';
import type { FolderEntry, FolderPlan } from '../../app/lab/simulator/folder/folder-plan.ts';
import { makeFolderPlan } from '../../app/lab/simulator/folder/make-folder-plan.ts';
import { runFolderPlan } from '../../app/lab/simulator/folder/run-folder-plan.ts';

const [ada, bob] = [0, 1];
/** All is synced by then. */
const EXCLUDED = 10_000;
const INCLUDED = 20_000;
/** Calls of the disk while a folder leaves or comes, and some more. */
const CALLS = Array.from({ length: 10 }, (_, nth) => 1 + 9 * nth);

/** Folders are filled on one laptop; on the other one is excluded, and included again. It dies at that call after it was asked for one of the two. */
function planOf(at: number, calls: number): FolderPlan {
  const drawn = makeFolderPlan({ seed: 7, steps: 1, hasFaults: false });
  const settings: FolderPlan['settings'] = {
    ...{ laptops: 2, diskMs: 2, paceMs: 1, betweenChance: 0, networkMs: 1, fileSystem: 'ext4' },
    ...{ watches: {}, isLong: false, cacheBytes: null },
  };
  const makes: FolderEntry[] = ['checkout', 'extract', 'truncating'].map((program, nth) => {
    return { at: 100 * nth, laptop: ada, kind: 'program', program, seed: 30 + nth };
  });
  const entries: FolderEntry[] = [
    ...makes,
    { at: EXCLUDED, laptop: bob, kind: 'command', do: 'exclude', pick: 1 },
    { at: INCLUDED, laptop: bob, kind: 'command', do: 'include', pick: 1 },
    { at, laptop: bob, kind: 'fault', do: 'crash-at-call', calls, downMs: 500 },
  ];
  return { ...drawn, settings, entries: entries.sort((a, b) => a.at - b.at) };
}

describe('a daemon that dies', () => {
  it.each([
    ['a folder leaves', EXCLUDED],
    ['it comes back', INCLUDED],
  ])('removes nothing elsewhere at any call of its disk while %s', async (_, at) => {
    for (const calls of CALLS) {
      const { findings } = await runFolderPlan(planOf(at, calls));
      expect([calls, findings]).toEqual([calls, []]);
    }
  });
});
