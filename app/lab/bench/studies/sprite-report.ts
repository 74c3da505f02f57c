/** The tables of the study of block caches (Nelson, Welch and Ousterhout 1988, section 5), beside the paper's. */
import type { Traffic } from '../../caches/sprite/machines.ts';
import {
  CACHE_SIZES,
  DELAYS,
  type SpriteCell,
  type SpritePart,
} from '../../caches/sprite/study.ts';
import { atLeast, atMost, meanOf, type Check } from '../../replay/bench/paper-experiment.ts';
import type { Section } from '../../replay/report/html-report.ts';
import { percent, type Done, type StudyReport } from './study.ts';

type SpriteDone = Done<SpriteCell, Traffic>;

/** A row of table I or II: shares of what programs read, of what they wrote, and of both. */
interface Row {
  readonly megabytes: number;
  readonly fetched: number;
  readonly sent: number;
  readonly total: number;
}

const ROW = (megabytes: number, fetched: number, sent: number): Row => ({
  megabytes,
  fetched: fetched / PAPER_READ,
  sent: sent / PAPER_WRITTEN,
  total: (fetched + sent) / (PAPER_READ + PAPER_WRITTEN),
});
/** Tables I and II, blocks. */
const PAPER_READ = 445_815;
const PAPER_WRITTEN = 172_546;
const PAPER: Readonly<Record<'consistent' | 'ignoring', readonly Row[]>> = {
  consistent: [
    ROW(0, PAPER_READ, PAPER_WRITTEN),
    ROW(0.5, 102_469, 96_866),
    ROW(1, 84_017, 96_796),
    ROW(2, 77_445, 96_796),
    ROW(4, 75_322, 96_796),
    ROW(8, 75_088, 96_796),
  ],
  ignoring: [
    ROW(0, PAPER_READ, PAPER_WRITTEN),
    ROW(0.5, 80_754, 93_663),
    ROW(1, 52_377, 93_258),
    ROW(2, 41_767, 93_258),
    ROW(4, 38_165, 93_258),
    ROW(8, 37_007, 93_258),
  ],
};
/** Notes of table I. */
const PAPER_THROUGH = 4041 / PAPER_WRITTEN;
const PAPER_FLUSHED = 6887 / PAPER_WRITTEN;

const HEADINGS = {
  consistent: 'Table I: traffic of the server with consistent caches',
  ignoring: 'Table II: the same, ignoring consistency',
} as const;

/** Makes the report of those parts that were run. Means over the seeds. */
export function spriteReport(done: readonly SpriteDone[]): StudyReport {
  const consistent = rowsOf(done, 'consistent');
  const ignoring = rowsOf(done, 'ignoring');
  const delays = delaysOf(done);
  const sharing = sharingOf(done);
  return {
    sections: [
      ...tableSection('consistent', consistent),
      ...tableSection('ignoring', ignoring),
      ...(sharing === null ? [] : [sharingSection(sharing)]),
      ...(delays.length === 0 ? [] : [delaySection(delays)]),
    ],
    checks: [
      ...checksOfTables(consistent, ignoring),
      ...(delays.length === 0 ? [] : checksOfDelays(delays)),
    ],
    raw: { tables: { consistent, ignoring, sharing, delays } },
  };
}

function traffics(done: readonly SpriteDone[], is: (cell: SpriteCell) => boolean): Traffic[] {
  return done.filter(({ cell }) => is(cell)).map(({ result }) => result);
}

function rowsOf(done: readonly SpriteDone[], part: SpritePart): Row[] {
  return CACHE_SIZES.flatMap((megabytes) => {
    const runs = traffics(done, (cell) => cell.part === part && cell.megabytes === megabytes);
    if (runs.length === 0) return [];
    const mean = (share: (one: Traffic) => number): number => meanOf(runs.map(share));
    return [
      {
        megabytes,
        fetched: mean(({ fetched, read }) => fetched / read),
        sent: mean(({ sent, written }) => sent / written),
        total: mean(({ fetched, sent, read, written }) => (fetched + sent) / (read + written)),
      },
    ];
  });
}

const FITTED =
  'The traces of the paper are not public. The accesses are generated. Fitted are reads by writes, the row of 8 MB, what sharing costs, and how soon new data go; the rest is predicted.';

function tableSection(part: 'consistent' | 'ignoring', rows: readonly Row[]): Section[] {
  if (rows.length === 0) return [];
  const paperOf = (megabytes: number): Row =>
    PAPER[part].find((row) => row.megabytes === megabytes) as Row;
  return [
    {
      heading: HEADINGS[part],
      text: [
        `${FITTED} Shares of the blocks that programs read and wrote; written blocks wait for 30 s.`,
      ],
      table: [
        ['cache, MB', 'read', 'the paper', 'written', 'the paper', 'both', 'the paper'],
        ...rows.map((row) => [
          String(row.megabytes),
          ...(['fetched', 'sent', 'total'] as const).flatMap((key) => [
            percent(row[key]),
            percent(paperOf(row.megabytes)[key]),
          ]),
        ]),
      ],
      lines: [
        {
          x: 'MB',
          y: '%',
          series: [
            { name: 'generated', points: rows.map((row) => [row.megabytes, 100 * row.total]) },
            {
              name: 'the paper',
              points: PAPER[part].map((row) => [row.megabytes, 100 * row.total]),
            },
          ],
        },
      ],
    },
  ];
}

interface Sharing {
  readonly through: number;
  readonly flushed: number;
}

/** Shares of what programs wrote, with the largest cache. */
function sharingOf(done: readonly SpriteDone[]): Sharing | null {
  const largest = CACHE_SIZES.at(-1);
  const runs = traffics(
    done,
    ({ part, megabytes }) => part === 'consistent' && megabytes === largest,
  );
  if (runs.length === 0) return null;
  return {
    through: meanOf(runs.map((one) => one.through / one.written)),
    flushed: meanOf(runs.map((one) => one.flushed / one.written)),
  };
}

function sharingSection({ through, flushed }: Sharing): Section {
  return {
    heading: 'Notes of table I: what write sharing costs',
    text: ['Shares of the blocks that programs wrote, with caches of 8 MB.'],
    table: [
      ['', 'generated', 'the paper'],
      ['written through: others have it open', percent(through), percent(PAPER_THROUGH)],
      ['flushed back: another opens it next', percent(flushed), percent(PAPER_FLUSHED)],
    ],
  };
}

interface Delay {
  readonly seconds: number;
  readonly overwritten: number;
  readonly removed: number;
}

/** Shares of what programs wrote that was never sent. */
function delaysOf(done: readonly SpriteDone[]): Delay[] {
  return DELAYS.flatMap((seconds) => {
    const runs = traffics(done, ({ part, delay }) => part === 'delay' && delay === seconds);
    if (runs.length === 0) return [];
    return [
      {
        seconds,
        overwritten: meanOf(runs.map((one) => one.overwritten / one.written)),
        removed: meanOf(runs.map((one) => one.removed / one.written)),
      },
    ];
  });
}

const sparedBy = ({ overwritten, removed }: Delay): number => overwritten + removed;

function delaySection(delays: readonly Delay[]): Section {
  return {
    heading: 'The delay of writes: blocks that never had to be sent',
    text: [
      `The paper has ${percent(1 - 96_796 / PAPER_WRITTEN, 0)} at 30 s (table I). The BSD study says that 20 to 30 % of new data are removed within 30 s, and half within five minutes.`,
    ],
    table: [
      ['delay, s', 'never sent', 'written again', 'removed'],
      ...delays.map((one) => [
        String(one.seconds),
        percent(sparedBy(one)),
        percent(one.overwritten),
        percent(one.removed),
      ]),
    ],
    lines: [
      {
        x: 's',
        y: '%',
        series: [
          { name: 'never sent', points: delays.map((one) => [one.seconds, 100 * sparedBy(one)]) },
        ],
      },
    ],
  };
}

/** What the paper concludes, as relations that have to hold. */
function checksOfTables(consistent: readonly Row[], ignoring: readonly Row[]): Check[] {
  const largest = (rows: readonly Row[]): Row | undefined =>
    rows.find(({ megabytes }) => megabytes === CACHE_SIZES.at(-1));
  const [first, second] = [largest(consistent), largest(ignoring)];
  if (first === undefined) return [];
  const hits = 100 * (1 - first.fetched);
  const all = [
    atLeast('traffic that 8 MB spare', 100 * (1 - first.total), 70),
    atLeast('hits of reads with 8 MB', hits, 80),
  ];
  if (second === undefined) return all;
  const cost = (100 * (first.total - second.total)) / first.total;
  return [
    ...all,
    atLeast('of that traffic, for consistency', cost, 15),
    atMost('of that traffic, for consistency', cost, 35, '%'),
  ];
}

function checksOfDelays(delays: readonly Delay[]): Check[] {
  const at = (wanted: number): number =>
    100 * (delays.map((one) => (one.seconds === wanted ? sparedBy(one) : 0)).find(Boolean) ?? 0);
  return [
    atLeast('never sent with 30 s', at(30), 35),
    atMost('never sent with 30 s', at(30), 55, '%'),
    atLeast('more of it with 300 s', at(300) - at(30), 5, 'points'),
  ];
}
