/** The folder's world with volumes that are mounted in the folders: fixed seeds without a finding, and faults that its checkers notice. */
import { describe, expect, it } from '@jest/globals';
import type { FolderEntry, FolderPlan } from '../../app/lab/simulator/folder/folder-plan.ts';
import { makeFolderPlan } from '../../app/lab/simulator/folder/make-folder-plan.ts';
import { runFolderPlan } from '../../app/lab/simulator/folder/run-folder-plan.ts';
import { replaceMethod } from '../../app/lab/simulator/mutant/replace-method.ts';
import { MountPoints } from '../../daemon/adapters/folder/records/mount-points.ts';
import { MountedVolumes } from '../../daemon/adapters/mounted/mounted-volumes.ts';

const SEEDS = [1, 2, 5, 8];
const STEPS = 10;
const MOST_SEEDS = 10;

describe('a random history with mounted volumes', () => {
  it.each(SEEDS)('produces no finding: seed %d', async (seed) => {
    const plan = makeFolderPlan({ seed, steps: STEPS, hasMounts: true });
    const { findings, operations } = await runFolderPlan(plan);
    expect([seed, findings]).toEqual([seed, []]);
    expect(operations).toBeGreaterThan(100);
  });

  it('is the same each time', async () => {
    const plan = makeFolderPlan({ seed: 3, steps: 4, hasMounts: true });
    const first = await runFolderPlan(plan);
    expect(await runFolderPlan(JSON.parse(JSON.stringify(plan)) as FolderPlan)).toEqual(first);
  });

  it('leaves the plan of its seed as it is without them', () => {
    const usual = makeFolderPlan({ seed: 7, steps: 20 });
    expect(usual.settings.volumes).toBeUndefined();
    expect(makeFolderPlan({ seed: 7, steps: 20, hasMounts: false })).toEqual(usual);
    expect(makeFolderPlan({ seed: 7, steps: 20, hasMounts: true }).settings.volumes).toBeDefined();
  });
});

interface Canary {
  readonly fault: string;
  readonly checker: string;
  readonly begin: () => () => void;
}

const CANARIES: readonly Canary[] = [
  {
    fault: 'the folder around a mounted volume moves files out of it',
    checker: 'nothing goes from a mounted volume by itself',
    begin: () => {
      const mends = [
        replaceMethod(MountPoints.prototype, 'forgetBeneath', () => () => 0),
        replaceMethod(MountPoints.prototype, 'isOthers', () => () => false),
      ];
      return () => mends.forEach((mend) => mend());
    },
  },
  {
    fault: 'no mounted volume is ever opened',
    checker: 'a mounted volume is shown',
    begin: () => replaceMethod(MountedVolumes.prototype, 'look', () => () => Promise.resolve()),
  },
];

/** Files are made and sent, their volume is withdrawn, they are moved across its border, and it is shown again. */
function planOf(seed: number): FolderPlan {
  const drawn = makeFolderPlan({ seed, steps: 1, hasFaults: false });
  const settings: FolderPlan['settings'] = {
    ...{ laptops: 2, diskMs: 2, paceMs: 1, betweenChance: 0, networkMs: 1, fileSystem: 'ext4' },
    ...{ watches: {}, isLong: false, cacheBytes: null, volumes: 2 },
  };
  const laptop = 1;
  const programs = (at: number, program: string, count: number): FolderEntry[] =>
    Array.from({ length: count }, (_, nth) => {
      return { at: at + 20 * nth, laptop, kind: 'program', program, seed: seed * 100 + nth };
    });
  const entries: FolderEntry[] = [
    { at: 0, laptop: 0, kind: 'fault', do: 'volume-mounted', volume: 2 },
    ...programs(500, 'truncating', 4),
    {
      ...{ at: 5000, laptop, kind: 'fault', do: 'withdrawn' },
      ...{ volume: 2, rights: null, lastsMs: 10_000 },
    },
    ...programs(9000, 'crosses', 4),
  ];
  return { ...drawn, settings, entries };
}

describe('a checker of mounted volumes', () => {
  it.each(CANARIES)('notices that $fault', async ({ begin, checker }) => {
    const mend = begin();
    const others = new Set<string>();
    try {
      for (let seed = 1; seed <= MOST_SEEDS; seed++) {
        const { findings } = await runFolderPlan(planOf(seed));
        if (findings.some((finding) => finding.checker === checker)) return;
        for (const finding of findings) others.add(`${finding.checker}: ${finding.text}`);
      }
    } finally {
      mend();
    }
    throw new Error(`no seed of ${MOST_SEEDS} shows it, but: ${[...others].join('; ')}`);
  });

  it('finds nothing in the same plans of a sound engine', async () => {
    for (const seed of [1, 2, 3]) {
      expect([seed, (await runFolderPlan(planOf(seed))).findings]).toEqual([seed, []]);
    }
  });
});
