/** The tables and figures of the study of names and attributes (Shirriff and Ousterhout 1992), beside the paper's. */
import {
  IDLE_ENDS,
  KINDS,
  ratesAt,
  type Counts,
  type Kind,
  type NameCounts,
  type Rates,
} from '../../caches/names/name-caches.ts';
import type { NamePart, NamesCell } from '../../caches/names/study.ts';
import { atLeast, atMost, type Check } from '../../replay/bench/paper-experiment.ts';
import type { Section } from '../../replay/report/html-report.ts';
import { drawnSections } from './names-drawn.ts';
import { percent, type Done, type StudyReport } from './study.ts';

type NamesDone = Done<NamesCell, NameCounts>;

const SIZES = [1, 5, 10, 20, 30, 40, 60, 100, 200];
/** The table that says how large each cache is in tables 1 and 5. */
const TABLE_SIZE: Readonly<Record<Kind, number>> = { directories: 20, entries: 40, attributes: 40 };
/** Table 1: hits, and copies of others that end, by reference. */
const PAPER_RATES: Readonly<Record<Kind, readonly [number, number]>> = {
  directories: [0.97, 0.0022],
  entries: [0.81, 0.0004],
  attributes: [0.91, 0.0005],
};
/** Table 5, percent: no other machine had a copy, one had, more had. */
const PAPER_HOLDERS: Readonly<Record<Kind, string>> = {
  directories: '88, 9, 2',
  entries: '92, 7, 0.5',
  attributes: '84, 16, 0.4',
};
/** Table 6: hits in /tmp, percent. */
const PAPER_TMP: Readonly<Record<Kind, string>> = {
  directories: '87',
  entries: '32',
  attributes: '83',
};
const TIMEOUTS = [3, 30, 60];

/** Makes the report of those parts that were run. Means over the seeds of `seen`. */
export function namesReport(done: readonly NamesDone[]): StudyReport {
  const of = (part: NamePart): NameCounts[] =>
    done.filter(({ cell }) => cell.part === part).map(({ result }) => result);
  const [seen, [home], [pruned]] = [of('seen'), of('home'), of('pruned')];
  const [first] = seen;
  if (first === undefined) return { sections: [], checks: [], raw: { tables: {} } };
  const curves = { all: curvesOf(seen, 'all'), migrated: curvesOf(seen, 'migrated') };
  const paths = pathsOf(seen);
  const tmp = ratesOf(seen, 'tmp', 20);
  return {
    sections: [
      ...drawnSections(seen),
      summarySection(seen),
      ...KINDS.map((kind) => curveSection(FIGURES[kind], curves.all[kind])),
      pathSection(paths, curves.all.directories),
      curveSection(
        'Figure 6: directories, for processes that migrated',
        curves.migrated.directories,
      ),
      curveSection('Figure 7: attributes, for processes that migrated', curves.migrated.attributes),
      remoteSection(curves.all),
      holdersSection(seen),
      tmpSection(tmp, first),
      idleSection(seen),
      ...(home === undefined ? [] : [otherSection(seen, home, HOME, 20)]),
      ...(pruned === undefined ? [] : [otherSection(seen, pruned, PRUNED, 100)]),
    ],
    checks: checksOf(seen),
    raw: { tables: { curves, paths, tmp, holders: holdersOf(seen), idle: idleOf(seen) } },
  };
}

const FIGURES: Readonly<Record<Kind, string>> = {
  directories: 'Figure 2: whole directories, by how many each client caches',
  entries: 'Figure 4: single entries',
  attributes: 'Figure 5: attributes',
};
const HOME = 'Migration undone: each process counts for the machine it came from';
const PRUNED = 'Entries below place 20 that were idle for ten minutes forgotten (section 3.1)';

type Sized = Rates & { readonly size: number };

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function meanRates(counts: readonly Counts[], size: number): Rates {
  const rates = counts.filter(({ references }) => references > 0).map((one) => ratesAt(one, size));
  const mean = (key: keyof Rates): number => meanOf(rates.map((one) => one[key]));
  return {
    hits: mean('hits'),
    capacity: mean('capacity'),
    consistency: mean('consistency'),
    compulsory: mean('compulsory'),
    invalid: mean('invalid'),
    remote: mean('remote'),
  };
}

function ratesOf(
  seen: readonly NameCounts[],
  scope: 'all' | 'migrated' | 'tmp',
  size: number,
): Record<Kind, Rates> {
  const of = (kind: Kind): Rates =>
    meanRates(
      seen.map((one) => one[scope][kind]),
      size,
    );
  return { directories: of('directories'), entries: of('entries'), attributes: of('attributes') };
}

function curvesOf(
  seen: readonly NameCounts[],
  scope: 'all' | 'migrated',
): Record<Kind, readonly Sized[]> {
  const of = (kind: Kind): Sized[] =>
    SIZES.map((size) => ({ size, ...ratesOf(seen, scope, size)[kind] }));
  return { directories: of('directories'), entries: of('entries'), attributes: of('attributes') };
}

function summarySection(seen: readonly NameCounts[]): Section {
  return {
    heading: 'Table 1: three caches in brief',
    text: [
      'The traces of the paper are not public. The lookups are generated: fitted to its tables 2 to 4 and figure 1, and what the caches make of them is predicted.',
    ],
    table: [
      ['', 'entries', 'hits', 'the paper', 'copies ended by reference', 'the paper'],
      ...KINDS.map((kind) => {
        const size = TABLE_SIZE[kind];
        const { hits, remote } = ratesOf(seen, 'all', size)[kind];
        const [paperHits, paperRemote] = PAPER_RATES[kind];
        return [
          kind,
          String(size),
          percent(hits),
          percent(paperHits, 0),
          remote.toFixed(4),
          paperRemote.toFixed(4),
        ];
      }),
    ],
  };
}

function curveSection(heading: string, curve: readonly Sized[]): Section {
  const shown = ['hits', 'capacity', 'consistency', 'compulsory', 'invalid'] as const;
  return {
    heading,
    table: [
      ['entries', ...shown],
      ...curve.map((one) => [String(one.size), ...shown.map((key) => percent(one[key], 2))]),
    ],
    lines: [
      {
        x: 'entries',
        y: '%',
        series: (['hits', 'capacity'] as const).map((key) => ({
          name: key,
          points: curve.map((one) => [one.size, 100 * one[key]] as const),
        })),
      },
    ],
  };
}

interface PathRates {
  readonly components: number;
  /** Shares of paths whose directories all hit, by size. */
  readonly hits: ReadonlyArray<{ readonly size: number; readonly hits: number }>;
}

function pathsOf(seen: readonly NameCounts[]): PathRates {
  const upTo = (size: number) =>
    meanOf(
      seen.map(({ paths }) => paths.hits.slice(0, size).reduce((a, b) => a + b, 0) / paths.count),
    );
  return {
    components: meanOf(seen.map(({ paths }) => paths.components / paths.count)),
    hits: SIZES.map((size) => ({ size, hits: upTo(size) })),
  };
}

function pathSection({ components, hits }: PathRates, curve: readonly Sized[]): Section {
  return {
    heading: 'Figure 3: whole paths',
    text: [
      `A path has ${components.toFixed(1)} components (the paper: 3.2). With ten directories the paper has 82 % of whole paths, where single hits let one expect 75 %.`,
    ],
    table: [
      ['directories', 'single hits', 'whole paths', 'expected of them'],
      ...hits.map(({ size, hits: whole }, at) => {
        const single = curve[at]?.hits ?? 0;
        return [String(size), percent(single), percent(whole), percent(single ** components)];
      }),
    ],
  };
}

function remoteSection(curves: Record<Kind, readonly Sized[]>): Section {
  return {
    heading: 'Figure 8: copies of others that a change ends, for a thousand references',
    table: [
      ['entries', ...KINDS],
      ...SIZES.map((size, at) => [
        String(size),
        ...KINDS.map((kind) => (1000 * (curves[kind][at]?.remote ?? 0)).toFixed(2)),
      ]),
    ],
  };
}

function holdersOf(seen: readonly NameCounts[]): Record<Kind, readonly number[]> {
  const of = (kind: Kind): number[] =>
    [0, 1, 2].map((which) =>
      meanOf(seen.map(({ all }) => all[kind].holders[which as 0 | 1 | 2] / all[kind].changes)),
    );
  return { directories: of('directories'), entries: of('entries'), attributes: of('attributes') };
}

function holdersSection(seen: readonly NameCounts[]): Section {
  const holders = holdersOf(seen);
  return {
    heading: 'Table 5: how many other machines had a copy of what changed',
    table: [
      ['', 'none', 'one', 'more', 'the paper, %'],
      ...KINDS.map((kind) => [
        kind,
        ...holders[kind].map((share) => percent(share)),
        PAPER_HOLDERS[kind],
      ]),
    ],
  };
}

function tmpSection(tmp: Record<Kind, Rates>, { all, tmp: counted }: NameCounts): Section {
  const share = counted.directories.references / all.directories.references;
  return {
    heading: 'Table 6: /tmp, with caches of 20',
    text: [`${percent(share)} of name accesses (the paper: 0.6 %).`],
    table: [
      ['', 'hits', 'the paper, %', 'compulsory', 'capacity', 'consistency'],
      ...KINDS.map((kind) => {
        const { hits, compulsory, capacity, consistency } = tmp[kind];
        const rest = [compulsory, capacity, consistency].map((value) => percent(value));
        return [kind, percent(hits), PAPER_TMP[kind], ...rest];
      }),
    ],
  };
}

/** Shares of the hits of caches of 20 that came later than so many seconds after the use before. */
function idleOf(seen: readonly NameCounts[]): Record<Kind, readonly number[]> {
  const of = (kind: Kind): number[] =>
    IDLE_ENDS.map((_, at) =>
      meanOf(
        seen.map(({ all }) => {
          const { idle } = all[kind];
          const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
          return sum(idle.slice(at + 1)) / sum(idle);
        }),
      ),
    );
  return { directories: of('directories'), entries: of('entries'), attributes: of('attributes') };
}

function idleSection(seen: readonly NameCounts[]): Section {
  const idle = idleOf(seen);
  const later = (kind: Kind, seconds: number): number =>
    idle[kind][IDLE_ENDS.indexOf(seconds)] ?? 0;
  return {
    heading:
      'Figure 9: how long an entry had been idle when it was used, and what time-outs would cost',
    text: [
      'Shares of the hits of a cache of 20 that a time-out would make misses. The paper: 9 % at 30 s for directories.',
    ],
    table: [
      ['time-out, s', ...KINDS],
      ...TIMEOUTS.map((seconds) => [
        String(seconds),
        ...KINDS.map((kind) => percent(later(kind, seconds))),
      ]),
    ],
  };
}

function otherSection(
  seen: readonly NameCounts[],
  other: NameCounts,
  heading: string,
  size: number,
): Section {
  const before = ratesOf(seen.slice(0, 1), 'all', size);
  const after = ratesOf([other], 'all', size);
  return {
    heading,
    text: [`Caches of ${size}, the same accesses.`],
    table: [
      ['', 'hits', 'as seen', 'copies ended by reference', 'as seen'],
      ...KINDS.map((kind) => [
        kind,
        percent(after[kind].hits, 2),
        percent(before[kind].hits, 2),
        after[kind].remote.toFixed(5),
        before[kind].remote.toFixed(5),
      ]),
    ],
  };
}

/** What the paper concludes, as relations that have to hold. */
function checksOf(seen: readonly NameCounts[]): Check[] {
  const at = (kind: Kind, size: number): Rates => ratesOf(seen, 'all', size)[kind];
  const most = 100 * at('entries', 200).hits;
  return [
    atLeast('hits of 10 whole directories', 100 * at('directories', 10).hits, 85),
    atLeast('hits of 20 whole directories', 100 * at('directories', 20).hits, 95),
    atLeast(
      '20 directories over 200 entries',
      100 * at('directories', 20).hits - most,
      3,
      'points',
    ),
    atMost(
      'consistency misses of 20 directories',
      100 * at('directories', 20).consistency,
      0.5,
      '%',
    ),
    atMost('copies ended by a reference', at('directories', 20).remote, 0.005, ''),
  ];
}
