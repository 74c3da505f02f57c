/**
 * Every short sequence of operations, with a crash after each step: not drawn but counted out. A case is a tiny plan: two
 * laptops with the same few files, one to three operations on them, and at most one crash.
 *
 * What is varied: the operations; which laptop does each of them; whether the first laptop is connected or cut off meanwhile
 * (longer than a lease); what crashes, how, and when.
 */
import type { FileOperation } from '../plan/operation.ts';
import type { FaultEvent, Plan, PlanEntry } from '../plan/plan.ts';

export interface Sequence {
  readonly name: string;
  readonly plan: Plan;
}

interface Step {
  readonly name: string;
  readonly operation: FileOperation;
}

/** A crash of one case: what is begun, and when. */
interface Crash {
  readonly name: string;
  readonly at: number;
  readonly fault: FaultEvent | null;
}

type Where = 'connected' | 'cut off';

const BYTES = 40;

/** What all laptops have before the first step. */
const FIRST: readonly FileOperation[] = [
  { do: 'write', path: '/a', bytes: BYTES },
  { do: 'write', path: '/b', bytes: BYTES },
  { do: 'mkdir', path: '/e' },
];

export const ALPHABET: readonly Step[] = [
  { name: 'write a', operation: { do: 'write', path: '/a', bytes: BYTES } },
  { name: 'write b', operation: { do: 'write', path: '/b', bytes: BYTES } },
  { name: 'save a', operation: { do: 'safe-save', path: '/a', bytes: BYTES } },
  { name: 'rename a b', operation: { do: 'rename', path: '/a', to: '/b' } },
  { name: 'rename a e/x', operation: { do: 'rename', path: '/a', to: '/e/x' } },
  { name: 'rename e m', operation: { do: 'rename', path: '/e', to: '/m' } },
  { name: 'write e/x', operation: { do: 'write', path: '/e/x', bytes: BYTES } },
  { name: 'remove a', operation: { do: 'remove', path: '/a' } },
  { name: 'mkdir m', operation: { do: 'mkdir', path: '/m' } },
  { name: 'rmdir e', operation: { do: 'rmdir', path: '/e' } },
  { name: 'link a l', operation: { do: 'link', path: '/a', to: '/l' } },
  { name: 'chmod a', operation: { do: 'chmod', path: '/a', mode: 0o600 } },
  { name: 'symlink l', operation: { do: 'symlink', path: '/l', target: 'a' } },
];

/** When the first step begins; then one step after the other. */
const BEGIN_MS = 100;
const STEP_MS = 100;
/** A step is over, and what it sent has arrived. */
const AFTER_MS = 50;
/** Until a machine that crashed is switched on again. */
const DOWN_MS = 20;
/** Longer than a lease. */
const CUT_MS = 32_000;
/** Until what was done while cut off is committed. */
const RETURN_MS = 3_000;
/** Its updates have arrived, and the answers are on their way. */
const ANSWERED_MS = 306;

/** Those of exactly `depth` steps, in a fixed order. */
export function* sequences(depth: number): Generator<Sequence> {
  let number = 0;
  for (const steps of wordsOf(ALPHABET, depth)) {
    for (const rest of wordsOf([0, 1], depth - 1)) {
      const laptops = [0, ...rest];
      for (const where of ['connected', 'cut off'] as const) {
        for (const crash of crashes(laptops, where)) {
          const told = steps.map(({ name }, i) => `${'AB'[laptops[i] as number]}: ${name}`);
          number += 1;
          yield {
            name: `${told.join(', ')}; ${where}; ${crash.name}`,
            plan: planOf(number, { steps, laptops, where, crash }),
          };
        }
      }
    }
  }
}

/** Every word of that length. */
function* wordsOf<T>(letters: readonly T[], length: number): Generator<readonly T[]> {
  if (length === 0) {
    yield [];
    return;
  }
  for (const before of wordsOf(letters, length - 1)) {
    for (const letter of letters) yield [...before, letter];
  }
}

function crashes(laptops: readonly number[], where: Where): Crash[] {
  const none: Crash = { name: 'no crash', at: 0, fault: null };
  const each = laptops.flatMap((laptop, i) => {
    const at = BEGIN_MS + i * STEP_MS;
    const ofStep = { laptop, at, step: `step ${i + 1}` };
    const isAway = where === 'cut off' && laptop === 0;
    return isAway ? awayCrashes(ofStep) : connectedCrashes(ofStep);
  });
  return where === 'connected' ? [none, ...each] : [none, ...each, ...returnCrashes()];
}

interface OfStep {
  readonly laptop: number;
  readonly at: number;
  readonly step: string;
}

function connectedCrashes({ laptop, at, step }: OfStep): Crash[] {
  const down = { lastsMs: DOWN_MS };
  return (['killed', 'power'] as const).flatMap((how): Crash[] => [
    {
      name: `laptop ${how} when ${step} is acknowledged`,
      at,
      fault: { family: 'acknowledged', laptop, how, lastsMs: AFTER_MS },
    },
    {
      name: `laptop ${how} after ${step}`,
      at: at + AFTER_MS,
      fault: { family: 'daemon', laptop, how, ...down },
    },
    {
      name: `server ${how} after ${step}`,
      at: at + AFTER_MS,
      fault: { family: 'server', how, ...down },
    },
    // Before it nothing is there that a power failure could take beside: once is enough.
    ...(how === 'power' ? (['before', 'after'] as const) : (['after'] as const)).map((moment) => ({
      name: `server ${how} ${moment} the commit of ${step}`,
      at,
      fault: { family: 'commit', moment, nth: 1, how, lastsMs: AFTER_MS },
    })),
  ]);
}

/** Nobody hears of the step: the server has nothing to crash at. */
function awayCrashes({ laptop, at, step }: OfStep): Crash[] {
  return (['killed', 'power'] as const).map((how) => ({
    name: `laptop ${how} when ${step} is acknowledged`,
    at,
    fault: { family: 'acknowledged', laptop, how, lastsMs: AFTER_MS },
  }));
}

/** When the first laptop is back and tells what it did: the first commit is that of its Hello. */
function returnCrashes(): Crash[] {
  const at = BEGIN_MS + CUT_MS;
  const server = (moment: string, nth: number): FaultEvent => {
    return { family: 'commit', moment, nth, how: 'power', lastsMs: RETURN_MS };
  };
  return [
    { name: 'server power after the commit of Hello', at, fault: server('after', 1) },
    { name: 'server power before the commit after Hello', at, fault: server('before', 2) },
    { name: 'server power after the commit after Hello', at, fault: server('after', 2) },
    {
      name: 'laptop power before it is answered',
      at: at + ANSWERED_MS,
      fault: { family: 'daemon', laptop: 0, how: 'power', lastsMs: DOWN_MS },
    },
  ];
}

interface Chosen {
  readonly steps: readonly Step[];
  readonly laptops: readonly number[];
  readonly where: Where;
  readonly crash: Crash;
}

function planOf(seed: number, { steps, laptops, where, crash }: Chosen): Plan {
  const entries: PlanEntry[] = FIRST.map((operation, i) => {
    return { at: 0, kind: 'operation', number: i + 1, laptop: 0, operation };
  });
  if (where === 'cut off') {
    const fault = { family: 'cut', laptop: 0, way: 'both', lastsMs: CUT_MS };
    entries.push({ at: BEGIN_MS - 1, kind: 'fault', fault });
  }
  if (crash.fault !== null) entries.push({ at: crash.at, kind: 'fault', fault: crash.fault });
  for (const [i, { operation }] of steps.entries()) {
    entries.push({
      at: BEGIN_MS + i * STEP_MS,
      kind: 'operation',
      number: FIRST.length + i + 1,
      laptop: laptops[i] as number,
      operation,
    });
  }
  // Faults end with the plan: it lasts until they are over.
  const end = BEGIN_MS + (where === 'cut off' ? CUT_MS + RETURN_MS : steps.length * STEP_MS);
  const last: FileOperation = { do: 'list', path: '/' };
  entries.push({ at: end, kind: 'operation', number: 0, laptop: 1, operation: last });
  const laptop = { volume: 1, user: 'owner', rights: 'write', frontEnd: 'folder' } as const;
  return {
    seed,
    settings: {
      laptops: [laptop, laptop],
      diskMs: 0,
      network: { delayMs: 1, bytesPerSecond: null },
    },
    entries: entries.sort((a, b) => a.at - b.at),
  };
}
