/** The runs that make the tables and figures of cooperative caching, and one of them carried out. */
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import {
  ALGORITHMS,
  makePolicy,
  PAPER_SETTINGS,
  type Algorithm,
  type AlgorithmSettings,
} from './algorithms.ts';
import { independentReads, zipf } from './che.ts';
import { missesOf } from './hidden-hits.ts';
import { PAPER_COSTS } from './costs.ts';
import type { Access, CoopPolicy, Room } from './policy.ts';
import { run, type Outcome } from './run.ts';
import { LOCALITIES, PAPER_ACCESSES, workload, type Locality } from './workload.ts';

export const PARTS = [
  'ranking',
  'remote',
  'share',
  'chances',
  'client',
  'server',
  'auspex',
  'check',
] as const;
export type Part = (typeof PARTS)[number];

/** One algorithm in a run, with what differs from the paper's settings. */
export interface Line {
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly settings?: Partial<AlgorithmSettings>;
}

/** One run over one workload. */
export interface CoopCell {
  readonly part: Part;
  /** Its value on the horizontal axis; of a ranking, its seed. */
  readonly x: number;
  readonly seed: number;
  readonly locality: Locality;
  readonly room: Room;
  readonly accesses: number;
  readonly lines: readonly Line[];
  /** Blocks of a cache before each client whose hits no trace shows (section 4.4). */
  readonly hiddenBy?: number;
}

export interface CoopResult {
  readonly outcomes: readonly Outcome[];
  /** Reads after the warm-up that the trace does not show. */
  readonly hidden: number;
}

const BLOCKS_IN_MB = 128;
/** Section 4.1: 42 clients, 16 MB for each, 128 MB at the server. */
export const PAPER_ROOM: Room = {
  clients: 42,
  client: 16 * BLOCKS_IN_MB,
  server: 128 * BLOCKS_IN_MB,
};
/** Section 4.4. */
const AUSPEX_CLIENTS = 237;
const AUSPEX_FILTER = 64;
/** Section 3: 400,000 of 700,000 accesses fill the caches. */
const WARM_UP = 4 / 7;
const COMPARED: readonly Line[] = ['base', 'direct', 'greedy', 'central', 'n-chance', 'best'].map(
  (name) => ({ name, algorithm: name as Algorithm }),
);
const MIDDLE = 'middle';
/** Of independent reads (che.ts): the chances of the blocks, and the caches that are checked. */
export const CHECK_CHANCES = zipf(3000, 0.8);
const CHECK_SIZES = [30, 100, 300, 1000];

/** What one run of the whole study consists of. `accesses` of each; `seeds` of the ranking. */
export function cellsOf(parts: readonly Part[], seeds: number, accesses: number): CoopCell[] {
  return parts.flatMap((part) => MAKERS[part](seeds, accesses));
}

type Maker = (seeds: number, accesses: number) => CoopCell[];

const MAKERS: Readonly<Record<Part, Maker>> = {
  ranking: (seeds, accesses) =>
    LOCALITIES.flatMap((locality) =>
      Array.from({ length: seeds }, (_, n) => ({
        ...cell('ranking', n + 1, accesses, everyAlgorithm()),
        seed: n + 1,
        locality,
      })),
    ),
  remote: (_, accesses) =>
    [0, 4, 8, 16, 32, 64, 128].map((mb) => {
      const remote = mb * BLOCKS_IN_MB;
      return cell('remote', mb, accesses, [
        base(),
        { name: 'direct', algorithm: 'direct', settings: { remote } },
      ]);
    }),
  share: (_, accesses) =>
    [0, 0.2, 0.4, 0.6, 0.8, 0.9, 1].map((centralShare) =>
      cell('share', centralShare * 100, accesses, [
        base(),
        { name: 'central', algorithm: 'central', settings: { centralShare } },
      ]),
    ),
  chances: (_, accesses) =>
    [0, 1, 2, 3, 4, 5].map((n) =>
      cell('chances', n, accesses, [
        base(),
        { name: 'n-chance', algorithm: 'n-chance', settings: { n } },
        { name: 'idle first', algorithm: 'n-chance', settings: { n, prefersIdle: true } },
      ]),
    ),
  client: (_, accesses) =>
    [1, 2, 4, 8, 16, 32, 64].map((mb) => ({
      ...cell('client', mb, accesses, COMPARED),
      room: { ...PAPER_ROOM, client: mb * BLOCKS_IN_MB },
    })),
  server: (_, accesses) =>
    [16, 64, 128, 256, 512, 1024].map((mb) => ({
      ...cell('server', mb, accesses, COMPARED),
      room: { ...PAPER_ROOM, server: mb * BLOCKS_IN_MB },
    })),
  auspex: (_, accesses) => [
    {
      ...cell('auspex', 0, accesses, [
        ...COMPARED,
        { name: 'server-memory', algorithm: 'server-memory' },
      ]),
      room: { ...PAPER_ROOM, clients: AUSPEX_CLIENTS },
      hiddenBy: AUSPEX_FILTER,
    },
  ],
  check: (_, accesses) =>
    CHECK_SIZES.map((size) => ({
      ...cell('check', size, accesses, [base()]),
      room: { clients: 2, client: size, server: 0 },
    })),
};

const base = (): Line => ({ name: 'base', algorithm: 'base' });

const everyAlgorithm = (): Line[] => [
  ...ALGORITHMS.map((algorithm): Line => ({ name: algorithm, algorithm })),
];

function cell(part: Part, x: number, accesses: number, lines: readonly Line[]): CoopCell {
  return { part, x, seed: 1, locality: MIDDLE, room: PAPER_ROOM, accesses, lines };
}

/** Caches are to a short run what the paper's are to its own. */
function scaled({ clients, client, server }: Room, accesses: number): Room {
  return { clients, client: ofRun(client, accesses), server: ofRun(server, accesses) };
}

const ofRun = (blocks: number, accesses: number): number =>
  Math.max(1, Math.round((blocks * accesses) / PAPER_ACCESSES));

function settingsOf(
  settings: Partial<AlgorithmSettings> = {},
  seed: number,
  accesses: number,
): AlgorithmSettings {
  const { remote } = settings;
  const scaledRemote = remote === undefined ? {} : { remote: remote && ofRun(remote, accesses) };
  return { ...PAPER_SETTINGS, ...settings, ...scaledRemote, seed };
}

/** Carries out one run. The same cell gives the same result. */
export function runCoop(cell: CoopCell): CoopResult {
  return cell.part === 'check' ? runCheck(cell) : runStudy(cell);
}

/** A workload whose answer is known; its caches are not scaled. */
function runCheck({ seed, room, accesses }: CoopCell): CoopResult {
  const policies = new Map([['base', makePolicy('base', room, PAPER_COSTS, PAPER_SETTINGS)]]);
  const random = new SeededRandom(seed).fork('check');
  const { clients } = room;
  const reads = independentReads(CHECK_CHANCES, clients, accesses, random);
  const warmUp = Math.round(accesses * WARM_UP);
  return { outcomes: run({ accesses: reads, warmUp, clients, policies }), hidden: 0 };
}

function runStudy({ seed, locality, room, accesses, lines, hiddenBy }: CoopCell): CoopResult {
  const policies = new Map<string, CoopPolicy>(
    lines.map(({ name, algorithm, settings }) => [
      name,
      makePolicy(
        algorithm,
        scaled(room, accesses),
        PAPER_COSTS,
        settingsOf(settings, seed, accesses),
      ),
    ]),
  );
  const { clients } = room;
  const all = workload({ seed, clients, accesses, locality });
  if (hiddenBy === undefined) {
    const outcomes = run({
      accesses: all,
      warmUp: Math.round(accesses * WARM_UP),
      clients,
      policies,
    });
    return { outcomes, hidden: 0 };
  }
  const shown: Access[] = [];
  let hidden = 0;
  let at = 0;
  let warmUp = 0;
  for (const { access, isHit } of missesOf(all, clients, ofRun(hiddenBy, accesses))) {
    const isCounted = at++ >= accesses * WARM_UP;
    if (!isHit) {
      shown.push(access);
      if (!isCounted) warmUp = shown.length;
    } else if (isCounted) hidden++;
  }
  return { outcomes: run({ accesses: shown, warmUp, clients, policies }), hidden };
}
