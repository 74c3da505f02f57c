/** An experiment of a paper: its runs, and the report that is computed from their results. */
import type { Section } from '../report/html-report.ts';
import type { ReplayResult } from '../engine/replay-result.ts';
import type { Cell } from './cell.ts';

export interface BenchOptions {
  /** KB of 1,024 bytes a second; null: those of the paper. */
  readonly bandwidths: readonly number[] | null;
  /** Files of real traces to run beside the generated ones. */
  readonly traces: readonly string[];
}

/** Something that ours must show. */
export interface Check {
  readonly what: string;
  readonly value: number;
  readonly wanted: 'most' | 'least';
  readonly bound: number;
  readonly unit: string;
}

export interface ExperimentReport {
  readonly sections: readonly Section[];
  readonly checks: readonly Check[];
}

/** Results of a cell: one for each run. */
export type ResultsOf = (cell: Cell) => readonly ReplayResult[];

export interface PaperExperiment {
  readonly name: string;
  /** One line for people. */
  readonly about: string;
  readonly cells: (options: BenchOptions) => readonly Cell[];
  /** Whether a run stands for another system; left out: each may. */
  readonly isOther?: (cell: Cell) => boolean;
  readonly report: (options: BenchOptions, results: ResultsOf) => ExperimentReport;
}

export const isMet = ({ value, wanted, bound }: Check): boolean =>
  wanted === 'most' ? value <= bound : value >= bound;

/** Makes a check that a value is at most a bound. Both are in `unit`. */
export const atMost = (what: string, value: number, bound: number, unit = 's'): Check => {
  return { what, value, wanted: 'most', bound, unit };
};

/** Makes a check that a value is at least a bound. Both are in `unit`. */
export const atLeast = (what: string, value: number, bound: number, unit = '%'): Check => {
  return { what, value, wanted: 'least', bound, unit };
};

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

/** Of the sample; 0 of one value. */
export function deviationOf(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const mean = meanOf(values);
  const squares = values.map((value) => (value - mean) ** 2);
  return Math.sqrt(squares.reduce((sum, each) => sum + each, 0) / (values.length - 1));
}

/** `18.1`, or `18.1 (0.2)` with the deviation of several runs. */
export function shown(values: readonly number[], digits = 1): string {
  const mean = meanOf(values).toFixed(digits);
  return values.length < 2 ? mean : `${mean} (${deviationOf(values).toFixed(digits)})`;
}
