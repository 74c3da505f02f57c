/**
 * The workload for consistency of MFS (section 5.2, table 5): a writer and a reader of 40 modules. The writer's is of two minutes, and so
 * is the reader's here; a replay goes on with it until the writer has really ended.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { KB, numbered, Script, together, US, type ScriptFile } from './script.ts';
import { shares } from './shares.ts';
import type { Generator, Workload } from './workload.ts';

const LENGTH_US = 120 * US;
const MODULES = 40;
const MEMBERS = 334;
const MEMBER_BYTES = MEMBERS * 64 * KB;
const DESCRIPTOR_BYTES = KB;
const MOST_EXTERNAL = 128 * KB;
/** Of each, where there are many. */
const MANY = 4;

interface Pace {
  readonly operations: readonly [number, number];
  readonly pauseUs: readonly [number, number];
}

const WRITER: Pace = { operations: [4, 20], pauseUs: [1 * US, 4 * US] };
const READER: Pace = { operations: [4, 10], pauseUs: [0.25 * US, 2 * US] };
/** Between operations, of both. */
const THOUGHT_US = [50_000, 100_000] as const;
/** Of the writer's operations; the rest are writes of new files that nobody shares. */
const READS = 0.2;
const MEMBER_WRITES = 0.4;

interface Module {
  readonly descriptor: ScriptFile;
  readonly members: readonly ScriptFile[];
}

/** The repository: what both know of it before. */
export function modulesOf(random: SeededRandom): Module[] {
  const counts = shares(random.fork('counts'), MODULES, MEMBERS, {
    least: 4,
    most: 12,
    spread: 0.5,
  });
  const sizes = shares(random.fork('sizes'), MEMBERS, MEMBER_BYTES, {
    ...{ least: KB, most: 1024 * KB, spread: 1 },
  });
  let next = 0;
  return numbered('/modules/module-', MODULES).map((path, index) => {
    const own = sizes.slice(next, (next += counts[index] ?? 0));
    const names = numbered(`${path}/member-`, own.length);
    return {
      descriptor: { path: `${path}/descriptor`, size: DESCRIPTOR_BYTES },
      members: own.map((size, place) => ({ path: names[place] ?? '', size })),
    };
  });
}

type Visit = (script: Script, module: Module) => void;

function visiting(
  random: SeededRandom,
  script: Script,
  modules: readonly Module[],
  { operations, pauseUs }: Pace,
  operate: Visit,
): Script {
  while (script.now < LENGTH_US) {
    const module = random.pick(modules);
    // What a module has is read in its descriptor.
    script.read(module.descriptor);
    for (let left = random.between(...operations); left > 0 && script.now < LENGTH_US; left--) {
      script.wait(random.between(...THOUGHT_US));
      operate(script, module);
    }
    script.wait(random.between(...pauseUs));
  }
  return script;
}

/**
 * Generates the writers and the readers of the consistency experiment, as many of each, on a machine of their own
 * (MFS, section 5.2 and table 5: one of each; section 5.3: more of them are to come).
 */
export function consistencyWorkload(random: SeededRandom, each = 1): Workload {
  const modules = modulesOf(random.fork('modules'));
  const named = (name: string, index: number): string =>
    index === 0 ? name : `${name}-${index + 1}`;
  const scripts = Array.from({ length: each }, (_, index) => {
    const [writer, reader] = [named('writer', index), named('reader', index)];
    const made = index === 0 ? '/external' : `/external-${index + 1}`;
    return [
      writerOf(random.fork(writer), modules, new Script(2 * index + 1, writer, writer), made),
      readerOf(random.fork(reader), modules, new Script(2 * index + 2, reader, reader)),
    ];
  });
  return { groups: [], records: together(scripts.flat()) };
}

function writerOf(
  random: SeededRandom,
  modules: readonly Module[],
  own: Script,
  made: string,
): Script {
  let external = 0;
  return visiting(random, own, modules, WRITER, (script, { members }) => {
    const kind = random.fraction();
    const member = random.pick(members);
    if (kind < READS) script.read(member);
    else if (kind < READS + MEMBER_WRITES) script.rewrite(member);
    else {
      const path = `${made}/file-${String((external += 1)).padStart(4, '0')}`;
      script.create({ path, size: random.between(0, MOST_EXTERNAL) });
    }
  });
}

const readerOf = (random: SeededRandom, modules: readonly Module[], own: Script): Script =>
  visiting(random, own, modules, READER, (script, { members }) => {
    script.read(random.pick(members));
  });

export const CONSISTENCY_WORKLOAD: Readonly<Record<string, Generator>> = {
  consistency: {
    about: 'figure 8: a writer and a reader of 40 modules, two minutes',
    make: (random) => consistencyWorkload(random),
  },
  'consistency-many': {
    about: 'four writers and four readers of these modules, each on a machine of its own',
    make: (random) => consistencyWorkload(random, MANY),
  },
};
