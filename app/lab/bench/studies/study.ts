/** A study of caches: runs over generated accesses, in no simulated time, and the tables and figures made of them. */
import type { ExperimentReport } from '../../replay/bench/paper-experiment.ts';

export interface StudyOptions {
  /** Of the study, or all. */
  readonly parts: readonly string[];
  readonly seeds: number;
  /** Of one run. */
  readonly accesses: number;
}

export interface StudyReport extends ExperimentReport {
  /** What --json prints. */
  readonly raw: object;
}

/** What a run is, and what it gives, as a thread is told it and tells it. */
export interface Study<Cell = unknown, Result = unknown> {
  readonly name: string;
  /** One line for people. */
  readonly about: string;
  readonly parts: readonly string[];
  readonly defaults: { readonly seeds: number; readonly accesses: number };
  readonly cells: (options: StudyOptions) => readonly Cell[];
  readonly run: (cell: Cell) => Result;
  readonly report: (done: ReadonlyArray<Done<Cell, Result>>) => StudyReport;
}

/** A run with what it gave. */
export interface Done<Cell, Result> {
  readonly cell: Cell;
  readonly result: Result;
}

/** `12.3 %` of a share. */
export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`;
