/**
 * What the lookups of the study of names were fitted to: tables 2 to 4 and figure 1 of Shirriff and Ousterhout (1992), section 2, with
 * what was drawn beside. The generator knows fewer kinds of operations than table 3 has rows.
 */
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { NameCounts } from '../../caches/names/name-caches.ts';
import { directorySize, LOOKUPS_A_SECOND } from '../../caches/names/workload.ts';
import type { Section } from '../../replay/report/html-report.ts';
import { percent } from './study.ts';

/** Table 2: eight days, one after the other. */
const PAPER_DAYS = {
  lookups: [1235794, 1466012, 998926, 838399, 1252421, 1668730, 987767, 2256783],
  migrated: [131262, 120022, 122528, 94210, 28968, 187599, 232488, 1081116],
  accesses: [4295413, 4914596, 2638298, 2198843, 4406272, 5753149, 2750424, 7549488],
  renamed: [56354, 68547, 59765, 42703, 65638, 81159, 43596, 54006],
  attributes: [5078731, 5944852, 3148932, 2601814, 5166216, 6726354, 3153794, 8452390],
  changed: [34661, 73237, 44956, 35190, 43222, 54365, 30574, 41392],
} as const;
const DAY_SECONDS = 8 * 24 * 3600;
/** Table 3, shares of lookups: `stat` and `open`; what makes, removes and links; `SetAttr`; and of all, not found. */
const PAPER_OPERATIONS = { looks: 0.955, names: 0.0385, attributes: 0.007, missing: 0.19 };
/** Table 4: of an average day. */
const PAPER_ATTRIBUTES = { set: 9900, permissions: 4_300_000 };
const SIZES = [2, 5, 10, 25, 50, 100, 1000];
const DIRECTORIES = 20_000;

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** Makes the tables and the figure of what was drawn, over all seeds together. */
export function drawnSections(seen: readonly NameCounts[]): Section[] {
  return [tableTwo(seen), tableThree(seen), tableFour(seen), figureOne()];
}

function totalsOf(seen: readonly NameCounts[]) {
  const of = (count: (counts: NameCounts) => number): number => sum(seen.map(count));
  return {
    lookups: of(({ paths }) => paths.count),
    migrated: of(({ paths }) => paths.migrated),
    missing: of(({ paths }) => paths.missing),
    named: of(({ paths }) => paths.named),
    set: of(({ paths }) => paths.set),
    accesses: of(({ all }) => all.directories.references),
    renamed: of(({ all }) => all.directories.changes),
    attributes: of(({ all }) => all.attributes.references),
    changed: of(({ all }) => all.attributes.changes),
  };
}

function tableTwo(seen: readonly NameCounts[]): Section {
  const ours = totalsOf(seen);
  const paperLookups = sum(PAPER_DAYS.lookups);
  const each = (key: keyof typeof PAPER_DAYS): [string, string] => [
    (ours[key] / ours.lookups).toFixed(3),
    (sum(PAPER_DAYS[key]) / paperLookups).toFixed(3),
  ];
  return {
    heading: 'Table 2: what was looked up',
    text: ['Fitted, not predicted: of one lookup, over all days.'],
    table: [
      ['', 'drawn', 'the paper'],
      ['lookups a second', LOOKUPS_A_SECOND.toFixed(1), (paperLookups / DAY_SECONDS).toFixed(1)],
      ['by processes that migrated', ...each('migrated')],
      ['name accesses', ...each('accesses')],
      ['changes of names', ...each('renamed')],
      ['attribute accesses', ...each('attributes')],
      ['changes of attributes', ...each('changed')],
    ],
  };
}

function tableThree(seen: readonly NameCounts[]): Section {
  const { lookups, named, set, missing } = totalsOf(seen);
  const row = (name: string, count: number, paper: number): string[] => [
    name,
    percent(count / lookups),
    percent(paper),
  ];
  return {
    heading: 'Table 3: operations, of all lookups',
    text: ['Fitted. `stat` and `open` are one here, and so is all that makes, removes or links.'],
    table: [
      ['', 'drawn', 'the paper'],
      row('stat, open', lookups - named - set, PAPER_OPERATIONS.looks),
      row('unlink, link, mkdir, rmdir', named, PAPER_OPERATIONS.names),
      row('set attributes', set, PAPER_OPERATIONS.attributes),
      row('not found', missing, PAPER_OPERATIONS.missing),
    ],
  };
}

function tableFour(seen: readonly NameCounts[]): Section {
  const { lookups, set, accesses } = totalsOf(seen);
  const paper = sum(PAPER_DAYS.lookups) / PAPER_DAYS.lookups.length;
  return {
    heading: 'Table 4: operations on attributes, of one lookup',
    text: ['Fitted. What is done to open files is not drawn: `fstat` and the like.'],
    table: [
      ['', 'drawn', 'the paper'],
      ['set attributes', (set / lookups).toFixed(4), (PAPER_ATTRIBUTES.set / paper).toFixed(4)],
      [
        'accesses for permission',
        (accesses / lookups).toFixed(2),
        (PAPER_ATTRIBUTES.permissions / paper).toFixed(2),
      ],
    ],
  };
}

/** Shares of directories, and of entries, that are in directories with fewer entries. */
export function sizesDrawn(): ReadonlyArray<{
  fewer: number;
  directories: number;
  entries: number;
}> {
  const random = new SeededRandom(1).fork('figure 1');
  const sizes = Array.from({ length: DIRECTORIES }, () => directorySize(random));
  return SIZES.map((fewer) => {
    const those = sizes.filter((size) => size < fewer);
    return { fewer, directories: those.length / sizes.length, entries: sum(those) / sum(sizes) };
  });
}

function figureOne(): Section {
  const rows = sizesDrawn();
  const points = (key: 'directories' | 'entries') =>
    rows.map((row) => [row.fewer, row[key] * 100] as const);
  return {
    heading: 'Figure 1: directories by their entries',
    text: [
      'Fitted. In the paper about 93 % have fewer than 25, with less than half of all entries.',
    ],
    lines: [
      {
        x: 'fewer entries than',
        y: '%',
        doubling: true,
        series: [
          { name: 'directories', points: points('directories') },
          { name: 'their entries', points: points('entries') },
        ],
      },
    ],
    table: [
      ['fewer than', 'directories', 'their entries'],
      ...rows.map(({ fewer, directories, entries }) => [
        String(fewer),
        percent(directories),
        percent(entries),
      ]),
    ],
  };
}
