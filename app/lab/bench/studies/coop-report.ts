/** The tables and figures of the study of cooperative caching (Dahlin et al. 1994, section 4), beside the paper's. */
import { ALGORITHMS } from '../../caches/coop/algorithms.ts';
import { COST_TABLES, LEVELS, PAPER_COSTS } from '../../caches/coop/costs.ts';
import { lruHits } from '../../caches/coop/che.ts';
import { countOf, sumOf } from '../../caches/coop/run.ts';
import {
  CHECK_CHANCES,
  type CoopCell,
  type CoopResult,
  type Part,
} from '../../caches/coop/study.ts';
import {
  curveOf,
  flipsOf,
  hiddenOf,
  networkCurve,
  outcomeOf,
  PAPER_SPEEDUPS,
  rankingsOf,
  type Flip,
  type Point,
  type Ranked,
} from '../../caches/coop/summary.ts';
import { atLeast, atMost, type Check } from '../../replay/bench/paper-experiment.ts';
import type { Section } from '../../replay/report/html-report.ts';
import { percent, type Done, type StudyReport } from './study.ts';

type CoopDone = Done<CoopCell, CoopResult>;

/** Makes the report of those parts that were run. */
export function coopReport(done: readonly CoopDone[]): StudyReport {
  const of = (part: Part): CoopDone[] => done.filter(({ cell }) => cell.part === part);
  const ranking = of('ranking');
  const rankings = rankingsOf(ranking);
  const flips = flipsOf(ranking);
  const chief = rankings.find(isChief);
  const network = ranking.find(({ cell }) => cell.locality === 'middle');
  const curves = CURVES.map((curve) => ({ ...curve, points: curveOf(of(curve.part)) }));
  const trips = network === undefined ? [] : networkCurve(network.result);
  const [auspex] = of('auspex');
  const known = of('check').map(knownOf);
  const hidden = auspex === undefined ? null : hiddenOf(auspex.result);
  return {
    sections: [
      ...(chief === undefined
        ? []
        : [speedupSection(chief), levelSection(chief), loadSection(chief)]),
      ...(chief === undefined ? [] : [fairnessSection(chief), localitySection(rankings)]),
      ...(chief === undefined ? [] : [flipSection(flips)]),
      ...curves.filter(({ points }) => points.length > 0).map(curveSection),
      ...(trips.length === 0 ? [] : [curveSection({ ...NETWORK, points: trips })]),
      ...(hidden === null ? [] : [auspexSection(hidden)]),
      ...(known.length === 0 ? [] : [knownSection(known)]),
    ],
    checks: [
      ...(chief === undefined ? [] : checksOf(chief)),
      ...known.map(({ size, expected, found }) =>
        atMost(
          `hits of ${size} blocks, off the theory`,
          100 * Math.abs(found - expected),
          1,
          'points',
        ),
      ),
    ],
    raw: {
      speedups: chief === undefined ? {} : meansOf(chief),
      paper: PAPER_SPEEDUPS,
      rankings,
      flips,
      curves: { ...byPart(curves), network: trips },
      auspex: hidden,
      check: known,
    },
  };
}

const byPart = (
  curves: ReadonlyArray<Curve & { readonly part: Part }>,
): Record<string, readonly Point[]> =>
  Object.fromEntries(curves.map(({ part, points }) => [part, points]));

const isChief = ({ locality, costs }: Ranked): boolean =>
  locality === 'middle' && costs === PAPER_COSTS.name;

const meansOf = ({ speedups }: Ranked): Record<string, number> =>
  Object.fromEntries(Object.entries(speedups).map(([name, { mean }]) => [name, mean]));

function speedupSection({ speedups, levels }: Ranked): Section {
  const paper: Readonly<Record<string, number | undefined>> = PAPER_SPEEDUPS;
  return {
    heading: 'Figure 4: how many times as fast as without cooperation a mean read is',
    text: [
      'The traces of the paper are not public: these accesses are generated. So the ranking is what to compare.',
    ],
    table: [
      ['', 'speed-up', 'least', 'most', 'the paper'],
      ...Object.entries(speedups).map(([name, { mean, least, most }]) => [
        name,
        ...[mean, least, most].map((value) => value.toFixed(2)),
        paper[name]?.toFixed(2) ?? '-',
      ]),
    ],
    bars: [
      {
        y: 'us of a mean read',
        parts: LEVELS,
        bars: Object.entries(levels).map(([name, shares]) => ({
          name,
          values: LEVELS.map((level) => shares[level] * COST_OF[level]),
        })),
      },
    ],
  };
}

const COST_OF = { local: 250, remote: 1250, server: 1050, disk: 15_850 } as const;

/** Local misses and reads from the disk of figure 5, percent. */
const PAPER_MISSES: Readonly<Record<string, readonly [string, string]>> = {
  base: ['22', '15.7'],
  direct: ['22', '-'],
  greedy: ['22', '-'],
  central: ['36', '7.6'],
  'n-chance': ['23', '7.7'],
  best: ['22', '-'],
};

function levelSection({ levels }: Ranked): Section {
  return {
    heading: 'Figure 5: where reads are answered',
    table: [
      ['', ...LEVELS, 'local misses', 'the paper', 'its disk'],
      ...Object.entries(levels).map(([name, shares]) => [
        name,
        ...LEVELS.map((level) => percent(shares[level])),
        percent(1 - shares.local),
        ...(PAPER_MISSES[name] ?? ['-', '-']),
      ]),
    ],
  };
}

function loadSection({ load }: Ranked): Section {
  const parts = ['disk', 'remote', 'server', 'other'] as const;
  return {
    heading: "Figure 6: load of the server, of the base case's",
    text: ['A message is one unit, the block in it two more, a block from the disk two.'],
    table: [
      ['', 'all', ...parts],
      ...Object.entries(load).map(([name, shares]) => [
        name,
        percent(parts.reduce((sum, part) => sum + shares[part], 0)),
        ...parts.map((part) => percent(shares[part])),
      ]),
    ],
  };
}

function fairnessSection({ fairness }: Ranked): Section {
  return {
    heading: 'Figure 7: single clients',
    text: [
      'Of clients with more than a hundred reads: how many are slower than without cooperation, and the worst.',
    ],
    table: [
      ['', 'clients', 'slower', 'worst speed-up'],
      ...Object.entries(fairness).map(([name, { clients, slower, worst }]) => [
        name,
        String(clients),
        String(slower),
        worst.toFixed(2),
      ]),
    ],
  };
}

function localitySection(rankings: readonly Ranked[]): Section {
  return {
    heading: 'Speed-ups by locality and by what accesses cost',
    text: COST_TABLES.map(
      ({ name, local, hop, serverBlock, disk }) =>
        `${name}: local ${local} us, a message ${hop} us, a block from the server ${Math.round(serverBlock)} us, its disk ${disk} us.`,
    ),
    table: [
      ['', ...ALGORITHMS],
      ...rankings.map(({ locality, costs, speedups }) => [
        `${locality}, ${costs}`,
        ...ALGORITHMS.map((name) => speedups[name]?.mean.toFixed(2) ?? '-'),
      ]),
    ],
  };
}

function flipSection(flips: readonly Flip[]): Section {
  if (flips.length === 0) {
    return { heading: 'Where the ranking turns', text: ['Nowhere.'] };
  }
  return {
    heading: 'Where the ranking turns',
    text: [
      "Against the order at the middle locality with the paper's costs; less than 0.5 % apart counts as even.",
    ],
    table: [
      ['faster there', 'slower there', 'locality', 'costs', 'turned in'],
      ...flips.map(({ faster, slower, locality, costs, runs, of }) => [
        ...[faster, slower, locality, costs],
        `${runs} of ${of}`,
      ]),
    ],
  };
}

interface Curve {
  readonly heading: string;
  readonly x: string;
  readonly points: readonly Point[];
  readonly doubling?: boolean;
}

const CURVES: ReadonlyArray<Omit<Curve, 'points'> & { readonly part: Part }> = [
  { part: 'remote', heading: 'Figure 8: direct cooperation by remote memory', x: 'MB a client' },
  { part: 'share', heading: 'Figure 9: central coordination by its share', x: '% of each cache' },
  { part: 'chances', heading: 'Figure 10: N-Chance by its recirculation count', x: 'n' },
  {
    part: 'client',
    heading: 'Figure 11: by the cache of a client',
    x: 'MB a client',
    doubling: true,
  },
  { part: 'server', heading: 'Figure 12: by the cache of the server', x: 'MB', doubling: true },
];
const NETWORK: Omit<Curve, 'points'> = {
  heading: 'Figure 13: by the speed of the network',
  x: 'us to ask for a block and have it',
  doubling: true,
};

function curveSection({ heading, x, points, doubling = false }: Curve): Section {
  const names = Object.keys(points[0]?.times ?? {});
  return {
    heading,
    text: ['Microseconds of a mean read, and the speed-up over the base case.'],
    table: [
      [x, ...names],
      ...points.map((point) => [
        String(point.x),
        ...names.map(
          (name) =>
            `${Math.round(point.times[name] ?? 0)} (${(point.speedups[name] ?? 0).toFixed(2)})`,
        ),
      ]),
    ],
    lines: [
      {
        x,
        y: 'us',
        doubling,
        series: names.map((name) => ({
          name,
          points: points.map((point) => [point.x, point.times[name] ?? 0] as const),
        })),
      },
    ],
  };
}

function auspexSection({ real, assumed }: ReturnType<typeof hiddenOf>): Section {
  const names = Object.keys(real.speedups);
  const row = (what: string, speedups: Readonly<Record<string, number>>): string[] => [
    what,
    ...names.map((name) => (speedups[name] ?? 0).toFixed(2)),
  ];
  return {
    heading: 'Figure 14: 237 clients, seen on the network alone',
    text: [
      'N-Chance in the paper: 2.20, 2.00 and 1.67 where 70, 80 and 90 % of all reads hit at the client.',
    ],
    table: [
      ['local hits', ...names],
      ...assumed.map((one) => row(`${percent(one.assumed, 0)}, assumed`, one.speedups)),
      row(`${percent(real.assumed, 0)}, as generated`, real.speedups),
    ],
  };
}

interface Known {
  /** Blocks of the cache. */
  readonly size: number;
  /** Shares of reads that hit: as the theory has it, and as the engine does. */
  readonly expected: number;
  readonly found: number;
}

function knownOf({ cell, result }: CoopDone): Known {
  const reads = sumOf(outcomeOf(result, 'base').reads);
  const size = cell.room.client;
  return { size, expected: lruHits(CHECK_CHANCES, size), found: reads.local / countOf(reads) };
}

function knownSection(known: readonly Known[]): Section {
  return {
    heading: 'The engine against a known answer',
    text: [
      'Independent reads with fixed chances, as Leff and others drew them; Che and others say how many hit.',
    ],
    table: [
      ['blocks', 'the theory', 'the engine'],
      ...known.map(({ size, expected, found }) => [
        String(size),
        percent(expected),
        percent(found),
      ]),
    ],
  };
}

/** What the paper concludes, as relations that have to hold. */
function checksOf(chief: Ranked): Check[] {
  const { speedups, fairness, levels } = chief;
  const mean = (name: string): number => speedups[name]?.mean ?? 0;
  return [
    atLeast('greedy over direct', mean('greedy') / mean('direct'), 1, 'x'),
    atLeast('central over greedy', mean('central') / mean('greedy'), 1, 'x'),
    atLeast('n-chance over central', mean('n-chance') / mean('central'), 1, 'x'),
    atLeast('n-chance of the best case', mean('n-chance') / mean('best'), 0.9, 'x'),
    atLeast('hash of central', mean('hash') / mean('central'), 0.95, 'x'),
    atMost(
      'local misses that n-chance adds',
      100 * ((levels.base?.local ?? 0) - (levels['n-chance']?.local ?? 0)),
      2,
      'points',
    ),
    atMost('clients that greedy slows', fairness.greedy?.slower ?? 0, 0, 'clients'),
  ];
}
