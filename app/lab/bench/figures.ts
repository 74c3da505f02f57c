/** What a bench measures, each figure beside the target that the product has set itself. */
import { formatTable } from '../../cli/format.ts';

export interface Figure {
  readonly name: string;
  /** What was measured, in words. */
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Null: none is set for as much as this. */
  readonly target: number | null;
  /** Whether the target is a least or a most. */
  readonly wanted: 'least' | 'most';
  readonly met: boolean | null;
}

const FILES_A_SECOND = 1000;
const LARGE_MB_A_SECOND = 250;
const START_SECONDS = 5;
const IDLE_PERCENT = 0.5;
/** Megabytes that a daemon may take with up to so many files, fewest first. */
const MEMORY: ReadonlyArray<{ files: number; megabytes: number }> = [
  { files: 10_000, megabytes: 200 },
  { files: 100_000, megabytes: 650 },
];

/** Makes the figure for many small files, in files a second. */
export function filesFigure(files: number, seconds: number): Figure {
  const what = `${files} files, first create to last commit`;
  return figure('files', what, files / seconds, 'files/s', FILES_A_SECOND, 'least');
}

/** Makes the figure for one large file, in megabytes a second. */
export function largeFigure(bytes: number, seconds: number): Figure {
  const what = 'one large file, first write to commit';
  return figure('large', what, bytes / 1e6 / seconds, 'MB/s', LARGE_MB_A_SECOND, 'least');
}

/** How fast the same file was taken in once it was there: what it took to make it is no work of ours, and differs most from machine to machine. */
export function closedFigure(bytes: number, seconds: number): Figure {
  return isolatedFigure(
    'largeClosed',
    'the same file, from its close to commit',
    bytes / 1e6 / seconds,
    'MB/s',
  );
}

/** Makes the figure for the start of a daemon that knows many files, in seconds. */
export function startFigure(known: number, seconds: number): Figure {
  const what = `start with ${known} known files, until in sync`;
  return figure('start', what, seconds, 's', START_SECONDS, 'most');
}

/** Makes the figure for an idle daemon, in percent of one core. */
export function idleFigure(percent: number, files: number): Figure {
  const what = `idle daemon with ${files} files, of one core`;
  return figure('idle', what, percent, '%', IDLE_PERCENT, 'most');
}

/**
 * Makes the figure for resident memory, in megabytes. It has no target for more files than `MEMORY`
 * lists.
 */
export function memoryFigure(name: string, files: number, bytes: number): Figure {
  const target = MEMORY.find((step) => files <= step.files)?.megabytes ?? null;
  const what = `resident memory with ${files} files`;
  return figure(name, what, bytes / 1e6, 'MB', target, 'most');
}

/** A figure without a target, reported beside the others. */
export function isolatedFigure(name: string, what: string, value: number, unit: string): Figure {
  return figure(name, what, value, unit, null, 'most');
}

/** Value and target to two decimals, as they are shown. */
export function figure(
  name: string,
  what: string,
  exact: number,
  unit: string,
  bound: number | null,
  wanted: Figure['wanted'],
): Figure {
  const value = hundredths(exact);
  const target = bound === null ? null : hundredths(bound);
  const met = target === null ? null : wanted === 'least' ? value >= target : value <= target;
  return { name, what, value, unit, target, wanted, met };
}

const hundredths = (value: number): number => Math.round(value * 100) / 100;

export const figureLines = (figures: readonly Figure[]): string[] =>
  formatTable(figureTable(figures), [1]);

/** The first row is its head. */
export function figureTable(figures: readonly Figure[]): string[][] {
  const rows = figures.map(({ what, value, unit, target, wanted, met }) => {
    const bound = target === null ? 'none set' : `at ${wanted} ${target} ${unit}`;
    return [what, `${value} ${unit}`, bound, met === null ? '' : met ? 'met' : 'missed'];
  });
  return [['figure', 'measured', 'target', ''], ...rows];
}
