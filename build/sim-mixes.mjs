/**
 * The histories that coverage is measured with: seeds of the default mix, and mixes in which faults that are seldom drawn together meet
 * often. Each is a plan as any (app/sim/plan/): what a finding needs is there.
 *
 * They are made here and not by the simulator's own weights, so that what its seeds mean does not depend on them.
 */
import { FAULTS } from '../app/sim/fault/faults.ts';
import { planOf } from '../app/sim/simulation.ts';
import { SeededRandom } from '../shared/util/seeded-random.ts';

/** Small packets: a break meets contents on their way. */
const SLOW = { packetBytes: 64, bytesPerSecond: 100_000 };
const DAY_MS = 86_400_000;
const MEGABYTE = 1_000_000;

/** What usual families do, with details that they do not draw. */
const OWN = {
  /** So much room that laptops are granted some of it ahead. */
  'large quota': (random, settings) => ({
    ...drawn('quota', random, settings),
    percent: 100,
    more: MEGABYTE * random.between(1, 100),
  }),
  /** A clock that goes on by more than begun parts are kept. */
  'long ago': (random, settings) => ({
    ...drawn('wall', random, settings),
    to: 'elsewhere',
    byMs: DAY_MS * random.pick([-14, 8, 14]),
  }),
};

/** Families of a mix, with what each weighs in it. */
const TRANSFERS = {
  ...{ 'half-way': 8, 'streams-fail': 12, full: 3, 'read-error': 2, 'short-of-room': 1 },
  ...{ death: 2, rights: 2, 'crash-at': 1, 'server-stop': 1, 'long ago': 2, 'bit-rot': 1 },
};
const PUT_BACK = { restored: 4, rights: 3, cut: 3, daemon: 1, observer: 1 };
const COPIES = { copied: 4, cut: 2, death: 2, 'reply-lost': 3, 'slow-disk': 2, daemon: 1 };
const ROOM = { quota: 3, 'large quota': 5, cut: 2, daemon: 1, rights: 1, 'half-way': 1 };
/** What waits is ordered about, put off, and kept back for what it costs. */
const ORDERS = { queue: 10, cut: 3, quota: 2, rights: 1, daemon: 2, death: 1, observer: 1 };
const COSTS = { metered: 6, queue: 3, cut: 1, daemon: 1, 'half-way': 1 };
/** All of the default mix, none left out, and the past. */
const ALL = Object.fromEntries([
  ...FAULTS.filter(({ weight }) => weight > 0).map(({ name, weight }) => [name, weight]),
  ['past', 8],
]);

/** One seed of three: each of these in turn. */
const MIXES = [
  mixed(TRANSFERS, { chance: 0.15, network: SLOW }),
  mixed(PUT_BACK, { chance: 0.06, laptops: withReader }),
  mixed(TRANSFERS, { chance: 0.1, network: SLOW, cacheBytes: 0 }),
  mixed(COPIES, { chance: 0.06 }),
  mixed(ROOM, { chance: 0.08 }),
  mixed(ALL, { chance: 0.1 }),
  mixed(ORDERS, { chance: 0.08, network: SLOW }),
  mixed(COSTS, { chance: 0.08 }),
];

export function planFor(seed, steps) {
  const about = { seed, steps };
  if (seed % 3 === 0) return MIXES[(seed / 3) % MIXES.length](about);
  return planOf({ ...about, faults: familiesOf(seed) });
}

/** The default mix, for most; a server that is put back, and families which no run of that has, alone. */
function familiesOf(seed) {
  if (seed % 4 === 0) return [familyOf('restored')];
  if (seed % 8 === 2) return [familyOf('past')];
  if (seed % 16 === 5) return [familyOf('queue')];
  if (seed % 16 === 13) return [familyOf('metered')];
  if (seed % 8 === 6) return [...FAULTS, { ...familyOf('past'), weight: 8 }];
  return FAULTS;
}

/** Operations and laptops of the seed; before each operation, with this chance, one of the faults. */
function mixed(weights, { chance, network = {}, laptops = (same) => same, ...others }) {
  const names = Object.entries(weights).flatMap(([name, weight]) => Array(weight).fill(name));
  return (about) => {
    const plan = planOf({ ...about, faults: [] });
    const settings = { ...plan.settings, ...others };
    settings.network = { ...plan.settings.network, ...network };
    settings.laptops = laptops(plan.settings.laptops);
    const random = new SeededRandom(`coverage ${about.seed}`);
    const entries = plan.entries.flatMap((entry) => {
      if (!random.chance(chance)) return [entry];
      const fault = drawn(random.pick(names), random, settings);
      return [{ at: entry.at, kind: 'fault', fault }, entry];
    });
    return { ...plan, settings, entries };
  };
}

/** The last one may only read the volume of the first: what it has of a lost part it can't give back. */
function withReader(laptops) {
  const reader = { ...laptops.at(-1), volume: 1, user: 'reader', rights: 'read' };
  return [...laptops.slice(0, -1), reader];
}

function drawn(name, random, settings) {
  return OWN[name]?.(random, settings) ?? familyOf(name).draw(random, settings);
}

function familyOf(name) {
  const family = FAULTS.find((each) => each.name === name);
  if (family === undefined) throw new Error(`there is no family ${name}`);
  return family;
}
