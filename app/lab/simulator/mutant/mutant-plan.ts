/**
 * Plans in which a broken rule shows soon: two laptops, two folders with few files, and faults of the two kinds that make rules
 * matter: a network that is cut, and a laptop that loses power.
 */
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { FaultEvent, Plan, PlanEntry } from '../plan/plan.ts';

const STEPS = 60;
const LONGEST_PAUSE_MS = 300;
const FAULT_CHANCE = 0.08;
const FILES = ['/a', '/b', '/x/a'];
const LONGEST_FAULT_MS = 3_000;
const MOST_BYTES = 20_000;

/** Draws a plan that soon shows a broken rule, with two laptops, cuts and losses of power. */
export function mutantPlan(seed: number): Plan {
  const random = new SeededRandom(seed).fork('canary');
  const frontEnd = random.pick(['folder', 'none'] as const);
  const laptop = { volume: 1, rights: 'write', frontEnd } as const;
  const entries: PlanEntry[] = [];
  let at = 0;
  for (let number = 1; number <= STEPS; number++) {
    if (random.chance(FAULT_CHANCE)) entries.push({ at, kind: 'fault', fault: drawFault(random) });
    const operation = number === 1 ? makeFolder : drawOperation(random);
    entries.push({ at, kind: 'operation', number, laptop: random.below(2), operation });
    at += random.below(LONGEST_PAUSE_MS);
  }
  const network = { delayMs: random.pick([1, 20]), bytesPerSecond: random.pick([null, 50_000]) };
  const settings = { laptops: [laptop, laptop], diskMs: random.pick([0, 5]), network };
  return { seed, settings, entries };
}

const makeFolder: FileOperation = { do: 'mkdir', path: '/x' };

function drawOperation(random: SeededRandom): FileOperation {
  const path = random.pick(FILES);
  const bytes = random.below(MOST_BYTES);
  switch (random.pick(['write', 'write', 'safe-save', 'read', 'read', 'rename', 'remove'])) {
    case 'read':
      return { do: 'read', path };
    case 'safe-save':
      return { do: 'safe-save', path, bytes };
    case 'rename':
      return { do: 'rename', path, to: random.pick(FILES) };
    case 'remove':
      return { do: 'remove', path };
    default:
      return { do: 'write', path, bytes };
  }
}

function drawFault(random: SeededRandom): FaultEvent {
  const [laptop, lastsMs] = [random.below(2), random.below(LONGEST_FAULT_MS)];
  return random.chance(0.5)
    ? { family: 'cut', laptop, way: 'both', lastsMs }
    : { family: 'daemon', laptop, how: 'power', lastsMs };
}
