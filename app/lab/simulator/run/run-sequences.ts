/** Runs every sequence of a depth, or a part of them, and tells which found something. */
import type { CheckerKind } from '../check/checker.ts';
import { CHECKERS } from '../check/checkers.ts';
import type { Plan } from '../plan/plan.ts';
import type { Sequence } from '../workload/sequences.ts';
import { runPlan } from './run-plan.ts';
import type { Report } from './run-plan.ts';

export interface SequenceFailure {
  readonly sequence: Sequence;
  readonly report: Report;
}

export interface SequencesReport {
  readonly cases: number;
  readonly operations: number;
  readonly failures: readonly SequenceFailure[];
}

/** `heard` is called with each failure when it is found. */
export async function runSequences(
  all: Iterable<Sequence>,
  {
    checkers = CHECKERS,
    run = (plan) => runPlan(plan, { checkers }),
    heard = () => {},
  }: {
    readonly checkers?: readonly CheckerKind[];
    /** With checkers of its own. */
    readonly run?: (plan: Plan) => Promise<Report>;
    readonly heard?: (failure: SequenceFailure) => void;
  } = {},
): Promise<SequencesReport> {
  let [cases, operations] = [0, 0];
  const failures: SequenceFailure[] = [];
  for (const sequence of all) {
    const report = await run(sequence.plan);
    cases += 1;
    operations += report.operations;
    if (report.findings.length === 0) continue;
    const failure = { sequence, report };
    failures.push(failure);
    heard(failure);
  }
  return { cases, operations, failures };
}
