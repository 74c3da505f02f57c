/**
 * Traces with the totals of table 3 of MFS (section 3.5): periods of mixed activity of Windows NT machines. The originals are not public,
 * so these have their sums and not their order: applications that look at files, read some of them whole and most in part, make
 * new ones and write over others, in bursts.
 *
 * "Total file sizes" is what MFS fetched: the sizes of the files that were there before. New files are among the unique ones, and what
 * is written to them and to extended ones is why writes may come to more than that (caption of the table).
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { TraceRecord } from '../record.ts';
import { MB, numbered, Script, together, US, type ScriptFile } from './script.ts';
import { shares } from './shares.ts';
import type { Generator, Workload } from './workload.ts';

export interface NtfsTotals {
  readonly seconds: number;
  readonly applications: number;
  readonly uniqueFiles: number;
  /** Bytes; the table has MB of 1,048,576. */
  readonly fileBytes: number;
  readonly readBytes: number;
  readonly writeBytes: number;
}

const bytes = (megabytes: number): number => Math.round(megabytes * MB);

export const NTFS_TOTALS = {
  'mostly-reads': {
    ...{ seconds: 101, applications: 25, uniqueFiles: 2952 },
    ...{ fileBytes: bytes(46.61), readBytes: bytes(10.82), writeBytes: bytes(3.44) },
  },
  'mostly-writes': {
    ...{ seconds: 106, applications: 15, uniqueFiles: 276 },
    ...{ fileBytes: bytes(16.51), readBytes: bytes(12.74), writeBytes: bytes(19.92) },
  },
  'heavy-load': {
    ...{ seconds: 34, applications: 41, uniqueFiles: 3312 },
    ...{ fileBytes: bytes(125.31), readBytes: bytes(27.82), writeBytes: bytes(9.59) },
  },
} as const satisfies Record<string, NtfsTotals>;

/** Far from the 4 MB over which files are dropped. */
const LARGEST = 2 * MB;
const FILE_SIZES = { least: 64, most: LARGEST, spread: 1.5 };
/** Of the unique files, and of the bytes that are written. */
const NEW_FILES = 0.15;
const NEW_BYTES = 0.6;
/** What is looked at of a file of which no more is wanted. */
const MOST_HEAD = 4096;
const BURSTS = 12;
const BURST_US = 2 * US;
const MOST_THOUGHT_US = 20_000;

/** One visit of a file by one application. */
type Visit = (script: Script) => void;

/**
 * Generates a trace that has the given totals of table 3 (MFS, section 3.5). The order of accesses
 * and the single sizes are drawn from `random`.
 */
export function ntfsWorkload(random: SeededRandom, totals: NtfsTotals): Workload {
  const newCount = Math.round(totals.uniqueFiles * NEW_FILES);
  const oldCount = totals.uniqueFiles - newCount;
  const old = filesWith(
    'file',
    shares(random.fork('sizes'), oldCount, totals.fileBytes, FILE_SIZES),
  );
  const newBytes = Math.round(totals.writeBytes * NEW_BYTES);
  const made = filesWith('new', shares(random.fork('new'), newCount, newBytes, FILE_SIZES));
  const visits = [
    ...readsOf(random.fork('reads'), old, totals.readBytes),
    ...made.map(
      (file): Visit =>
        (script) =>
          script.create(file),
    ),
    ...writesOf(random.fork('writes'), old, totals.writeBytes - newBytes),
  ];
  const scripts = scheduled(random.fork('times'), visits, totals);
  return { groups: [], records: stretched(together(scripts), totals.seconds * US) };
}

function filesWith(name: string, sizes: readonly number[]): ScriptFile[] {
  const directories = numbered('/volume/directory-', 1 + Math.floor(sizes.length / 40));
  return sizes.map((size, index) => {
    const directory = directories[index % directories.length] ?? '';
    return { path: `${directory}/${name}-${String(index).padStart(4, '0')}.dat`, size };
  });
}

/** Of each a part, so that it is fetched; of as many as it takes to come to `total`, all. */
function readsOf(random: SeededRandom, files: readonly ScriptFile[], total: number): Visit[] {
  const heads = files.map(({ size }) => Math.min(size, random.between(1, MOST_HEAD)));
  const spent = heads.reduce((sum, head) => sum + head, 0);
  // Where the heads alone come to too much, they are cut evenly.
  const scale = Math.min(1, (total / spent) * 0.5);
  const amounts = heads.map((head) => Math.floor(head * scale));
  let left = total - amounts.reduce((sum, amount) => sum + amount, 0);
  for (const index of random.shuffled(files.map((_, place) => place))) {
    const amount = amounts[index] ?? 0;
    const more = Math.min(left, (files[index]?.size ?? 0) - amount);
    amounts[index] = amount + more;
    left -= more;
  }
  return files.map((file, index) => (script) => {
    script.look(file);
    script.read(file, amounts[index]);
  });
}

/** Over the contents or at the end of what is there, until it comes to `total`. */
function writesOf(random: SeededRandom, files: readonly ScriptFile[], total: number): Visit[] {
  const visits: Visit[] = [];
  for (let left = total; left > 0;) {
    const file = random.pick(files);
    const offset = random.chance(0.5) ? 0 : file.size;
    const most = Math.min(left, LARGEST - offset, Math.max(MOST_HEAD, file.size));
    const amount = random.between(Math.min(most, 1 + Math.floor(most / 2)), most);
    if (amount <= 0) continue;
    visits.push((script) => script.patch(file, offset, amount));
    left -= amount;
  }
  return visits;
}

/** To applications, in bursts. Each does one thing after the other. */
function scheduled(
  random: SeededRandom,
  visits: readonly Visit[],
  { seconds, applications }: NtfsTotals,
): Script[] {
  const bursts = Array.from({ length: BURSTS }, () => random.below(seconds * US));
  const timed = random.shuffled(visits).map((visit, index) => ({
    visit,
    start: random.pick(bursts) + random.below(BURST_US),
    // Each has one at least.
    application: index < applications ? index : random.below(applications),
  }));
  timed.sort((one, other) => one.start - other.start);
  const scripts = numbered('application-', applications).map(
    (name, index) => new Script(1000 + index, name),
  );
  for (const { visit, start, application } of timed) {
    const script = scripts[application];
    if (script === undefined) continue;
    script.until(start);
    visit(script);
    script.wait(random.below(MOST_THOUGHT_US));
  }
  return scripts;
}

/** From 0 to `lengthUs` exactly. */
function stretched(records: readonly TraceRecord[], lengthUs: number): TraceRecord[] {
  const first = records[0]?.at ?? 0;
  const length = (records.at(-1)?.at ?? 0) - first;
  return records.map((record) => {
    const part = (record.at - first) / length;
    return { ...record, at: part === 1 ? lengthUs : Math.floor(part * lengthUs) };
  });
}

export const NTFS_WORKLOADS: Readonly<Record<string, Generator>> = Object.fromEntries(
  Object.entries(NTFS_TOTALS).map(([name, totals]) => [
    name,
    {
      about: `table 3: ${totals.applications} applications, ${totals.uniqueFiles} files, ${totals.seconds} s`,
      make: (random: SeededRandom) => ntfsWorkload(random, totals),
    },
  ]),
);
