/** Plans in which a broken snapshot shows soon: two laptops write over few files, snapshots are made, contents collected, and laptops look back. */
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { snapshots } from '../fault/snapshots.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { Plan, PlanEntry } from '../plan/plan.ts';

const STEPS = 40;
const FAULT_EVERY = 8;
const LONGEST_PAUSE_MS = 400;
const FILES = ['/a', '/b', '/x/a'];
const LONGEST_ACTS_MS = 8_000;
const MOST_BYTES = 2_000;

/** Draws a plan with stories of snapshots, and with nothing else that goes wrong. */
export function snapshotPlan(seed: number): Plan {
  const random = new SeededRandom(seed).fork('snapshots');
  const laptop = { volume: 1, rights: 'write', frontEnd: 'folder' } as const;
  const settings = {
    laptops: [laptop, laptop],
    diskMs: random.pick([0, 5]),
    network: { delayMs: 1, bytesPerSecond: null },
  };
  const entries: PlanEntry[] = [];
  let at = 0;
  for (let number = 1; number <= STEPS; number++) {
    if (number % FAULT_EVERY === 0) {
      const drawn = snapshots.draw(random, settings);
      const lastsMs = random.below(LONGEST_ACTS_MS);
      entries.push({ at, kind: 'fault', fault: { ...drawn, meanwhile: 'nothing', lastsMs } });
    }
    const operation = number === 1 ? makeFolder : drawOperation(random);
    entries.push({ at, kind: 'operation', number, laptop: random.below(2), operation });
    at += random.below(LONGEST_PAUSE_MS);
  }
  return { seed, settings, entries };
}

const makeFolder: FileOperation = { do: 'mkdir', path: '/x' };

function drawOperation(random: SeededRandom): FileOperation {
  const path = random.pick(FILES);
  const what = random.pick(['write', 'write', 'write', 'rename', 'remove'] as const);
  switch (what) {
    case 'rename':
      return { do: 'rename', path, to: random.pick(FILES) };
    case 'remove':
      return { do: 'remove', path };
    case 'write':
      return { do: 'write', path, bytes: 1 + random.below(MOST_BYTES) };
  }
}
