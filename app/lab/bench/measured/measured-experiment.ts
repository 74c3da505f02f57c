/**
 * An experiment that is no replay: it measures the transport, or processes, as they are, and has no simulated form. It is reported as those of the
 * papers are (app/lab/replay/bench/paper-experiment.ts).
 */
import type { BenchOptions, ExperimentReport } from '../../replay/bench/paper-experiment.ts';

export interface MeasuredHow {
  readonly options: BenchOptions;
  /** Of each of its measurements. */
  readonly runs: number;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
}

export interface MeasuredReport extends ExperimentReport {
  /** What it was made of, for programs. */
  readonly raw: object;
}

export interface MeasuredExperiment {
  readonly name: string;
  /** One line for people. */
  readonly about: string;
  /** Rejects `timed-out` where it was interrupted. */
  readonly measure: (how: MeasuredHow) => Promise<MeasuredReport>;
}
