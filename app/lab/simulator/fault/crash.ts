/**
 * Machines that die at any step: at a labelled call of theirs (`crash-at`), after any event of the world, several at once
 * (`crash-any`), and on their way up, again and again (`crash-start`).
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { CrashMoment } from '../process/crash-points.ts';
import type { FaultEvent } from '../plan/plan.ts';
import type { FaultFamily, FaultTarget } from './fault.ts';
import { drawMachine, machineOf, strike } from './machine.ts';
import type { Machine } from './machine.ts';

const LONGEST_MS = 20_000;
const MOST_CALLS = 20;
const MOST_EVENTS = 400;
/** Calls and disk calls of a start are few. */
const MOST_START_CALLS = 6;
const MOST_STARTS = 4;

const LABELS = {
  server: ['database.commit', 'database.load', 'contents', 'disk.sync', 'disk.rename', 'any'],
  laptop: [
    'database.commit',
    'database.record',
    'files.seal',
    'files.finish',
    'files.sync',
    'files.stage',
    'files.adopt',
    'files',
    'disk.write',
    'disk.sync',
    'disk.rename',
    'disk.remove',
    'any',
  ],
} as const;

const MOMENTS = ['before', 'middle', 'after'] as const satisfies readonly CrashMoment[];

export const crashAt: FaultFamily = {
  name: 'crash-at',
  weight: 3,
  draw: (random, settings) => {
    const machine = drawMachine(random, settings);
    return {
      family: 'crash-at',
      machine,
      label: random.pick(LABELS[machine < 0 ? 'server' : 'laptop']),
      nth: 1 + random.below(random.pick([1, MOST_CALLS])),
      moment: random.pick(MOMENTS),
      how: howOf(random),
      lastsMs: 1 + random.below(LONGEST_MS),
    };
  },
  begin: (event, target) => {
    const machine = machineOf(target, event);
    const { node } = machine;
    if (!node.running) return null;
    node.crashPoints.arm({
      label: String(event['label']),
      nth: Number(event['nth']),
      moment: event['moment'] as CrashMoment,
      how: asHow(event),
    });
    return () => up(target, machine);
  },
};

export const crashAny: FaultFamily = {
  name: 'crash-any',
  weight: 3,
  draw: (random, settings) => ({
    family: 'crash-any',
    machine: drawMachine(random, settings),
    events: 1 + random.below(MOST_EVENTS),
    // Another one dies at the same moment; it may be the same.
    other: drawMachine(random, settings),
    several: random.chance(0.25),
    how: howOf(random),
    lastsMs: 1 + random.below(LONGEST_MS),
  }),
  begin: (event, target) => {
    const first = machineOf(target, event);
    const second = machineOf(target, { ...event, machine: Number(event['other']) });
    const struck = event['several'] === true ? [first, second] : [first];
    const forget = target.cluster.world.afterEvents(Number(event['events']), () => {
      for (const machine of struck) {
        if (machine.node.running) strike(target, machine, asHow(event));
      }
    });
    return async () => {
      forget();
      for (const machine of struck) await up(target, machine);
    };
  },
};

export const crashStart: FaultFamily = {
  name: 'crash-start',
  weight: 1,
  draw: (random, settings) => ({
    family: 'crash-start',
    machine: drawMachine(random, settings),
    times: 1 + random.below(MOST_STARTS),
    nth: 1 + random.below(MOST_START_CALLS),
    moment: random.pick(MOMENTS),
    how: howOf(random),
    lastsMs: random.below(LONGEST_MS),
  }),
  begin: (event, target) => {
    const machine = machineOf(target, event);
    const { node } = machine;
    if (!node.running) return null;
    strike(target, machine, asHow(event));
    return async () => {
      const [times, nth] = [Number(event['times']), Number(event['nth'])];
      const moment = event['moment'] as CrashMoment;
      for (let i = 0; i < times && !node.running; i++) {
        node.crashPoints.arm({ label: 'any', nth: nth + i, moment, how: asHow(event) });
        await target.start(node);
      }
      await up(target, machine);
    };
  },
};

/** Nothing more is to happen to it; it is started where it is down. */
async function up(target: FaultTarget, { node }: Machine): Promise<void> {
  node.crashPoints.arm(null);
  await target.start(node);
}

function howOf(random: SeededRandom): 'killed' | 'power' {
  return random.pick(['killed', 'power']);
}

function asHow({ how }: FaultEvent): 'killed' | 'power' {
  return how === 'power' ? 'power' : 'killed';
}
