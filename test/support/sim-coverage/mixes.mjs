/**
 * The histories that coverage is measured with: seeds of the default mix, and mixes in which faults that are seldom drawn together meet
 * often. Each is a plan as any (app/lab/simulator/plan/): what a finding needs is there.
 *
 * They are made here and not by the simulator's own weights, so that what its seeds mean does not depend on them.
 */
import { FAULTS } from '../../../app/lab/simulator/fault/faults.ts';
import { planOf } from '../../../app/lab/simulator/simulation.ts';
import { drawnNames } from '../../../app/lab/simulator/workload/drawn-names.ts';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';

/** Small packets: a break meets contents on their way. */
const SLOW = { packetBytes: 64, bytesPerSecond: 100_000 };
/** A question takes so long that a program asks for the next thing meanwhile. */
const FAR = { network: { delayMs: 80, bytesPerSecond: 50_000 } };
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
/** What few set and few ask, on networks that cost and in queues that wait. */
const WISHES = { wishes: 16, metered: 2, queue: 2, cut: 4, daemon: 1, death: 1, quota: 1 };
/** A disk tells of what it saw while others changed the same, and nobody knows of it yet. */
const SEEN = { observer: 12, cut: 5, 'reply-lost': 1, death: 1, daemon: 1, queue: 1 };
/** Who asks for contents waits for them on the way, or they do not come. */
const CACHED = { cut: 3, death: 2, 'read-error': 1, restored: 1, daemon: 1, 'half-way': 1 };
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
  mixed(WISHES, { chance: 0.12, beside: sayings }),
  mixed(SEEN, { chance: 0.12, laptops: withToldFolders }),
  mixed(CACHED, {
    chance: 0.03,
    laptops: withoutFolders,
    beside: scans,
    ...FAR,
    cacheBytes: 3_000,
  }),
  mixed(WISHES, { chance: 0.1, laptops: withoutFolders, beside: sayings, network: SLOW }),
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

/** Operations and laptops of the seed; before each operation, with this chance, one of the faults; and `beside` it what it draws. */
function mixed(weights, { chance, network = {}, laptops = (same) => same, beside, ...others }) {
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
    if (beside === undefined) return { ...plan, settings, entries };
    return { ...plan, settings, entries: withOthers(about.seed, { settings, entries }, beside) };
  };
}

/** Numbers of operations that neither programs of a plan have nor what it draws beside them. */
const BESIDE = 2_000_000;

function withOthers(seed, { settings, entries }, draw) {
  const random = new SeededRandom(`beside ${seed}`);
  const names = drawnNames(new SeededRandom(seed).fork('operations').fork('names'));
  let number = BESIDE;
  const others = entries.flatMap(({ at }) => {
    const laptop = random.below(settings.laptops.length);
    return draw(random, names).map(({ afterMs = 0, ...operation }) => {
      return { at: at + afterMs, kind: 'operation', number: (number += 1), laptop, operation };
    });
  });
  return [...entries, ...others].sort((a, b) => a.at - b.at);
}

/** Of a whole volume, too. */
function sayings(random, names) {
  if (!random.chance(0.08)) return [];
  const path = random.chance(0.4) ? '/' : random.chance(0.3) ? names.folder() : names.file();
  if (random.chance(0.3)) return [{ do: 'ask', path }];
  if (random.chance(0.4))
    return [{ do: 'cache', path, act: random.pick(['pin', 'unpin', 'evict', 'prefetch']) }];
  return [{ do: 'sharing', path, order: random.pick(['shared', 'unshared', 'auto']) }];
}

const GROUP = '/group-1';

/** Files are put into a group, and read one after the other, each before it has come; or somebody looks what is coming, or has it come. */
function scans(random, names) {
  if (random.chance(0.06)) return [{ do: 'group', path: names.file(), to: GROUP }];
  if (random.chance(0.04)) {
    const files = Array.from({ length: 6 }, () => names.file()).sort();
    return files.map((path, at) => ({
      do: 'read',
      path,
      afterMs: at * random.pick([20, 60, 120]),
    }));
  }
  if (random.chance(0.02)) {
    const path = names.file();
    const read = { do: 'read', path, afterMs: random.pick([0, 20, 500]) };
    return [{ do: 'cache', path, act: 'prefetch' }, { do: 'ask', path }, read];
  }
  return random.chance(0.03) ? [{ do: 'ask', path: '/', afterMs: random.below(100) }] : [];
}

/** The last one may only read the volume of the first: what it has of a lost part it can't give back. */
function withReader(laptops) {
  const reader = { ...laptops.at(-1), volume: 1, user: 'reader', rights: 'read' };
  return [...laptops.slice(0, -1), reader];
}

function withToldFolders(laptops) {
  return laptops.map((each) => ({ ...each, frontEnd: 'folder', invalidations: 'sync' }));
}

function withoutFolders(laptops) {
  return laptops.map((each) => ({ ...each, frontEnd: 'none' }));
}

function drawn(name, random, settings) {
  return OWN[name]?.(random, settings) ?? familyOf(name).draw(random, settings);
}

function familyOf(name) {
  const family = FAULTS.find((each) => each.name === name);
  if (family === undefined) throw new Error(`there is no family ${name}`);
  return family;
}
