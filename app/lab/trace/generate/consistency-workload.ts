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
 * Generates the writer and the reader of the consistency experiment (MFS, section 5.2 and table 5).
 */
export function consistencyWorkload(random: SeededRandom): Workload {
  const modules = modulesOf(random.fork('modules'));
  const [writing, reading] = [random.fork('writer'), random.fork('reader')];
  let external = 0;
  const writer = visiting(
    writing,
    new Script(1, 'writer', 'writing'),
    modules,
    WRITER,
    (script, { members }) => {
      const kind = writing.fraction();
      const member = writing.pick(members);
      if (kind < READS) script.read(member);
      else if (kind < READS + MEMBER_WRITES) script.rewrite(member);
      else {
        const path = `/external/file-${String((external += 1)).padStart(4, '0')}`;
        script.create({ path, size: writing.between(0, MOST_EXTERNAL) });
      }
    },
  );
  const reader = visiting(
    reading,
    new Script(2, 'reader', 'reading'),
    modules,
    READER,
    (script, { members }) => script.read(reading.pick(members)),
  );
  return { groups: [], records: together([writer, reader]) };
}

export const CONSISTENCY_WORKLOAD: Readonly<Record<string, Generator>> = {
  consistency: {
    about: 'figure 8: a writer and a reader of 40 modules, two minutes',
    make: consistencyWorkload,
  },
};
