/**
 * A checker: something that must be true of every run, under any workload and any faults. Each has a file of its own and a test in which it finds
 * something; `checkers.ts` lists them.
 */
import type { Cluster } from '../cluster/cluster.ts';
import type { Ledgers } from './ledgers.ts';
import type { Observation } from './observation.ts';

export interface Checker {
  /** Hears everything that can be seen, when it happens; asks nobody to do anything. */
  hear?(observation: Observation): void;
  /** Faults have stopped, every program has ended, every queue is empty, every laptop is connected. May run the world on. */
  atRest?(cluster: Cluster): void | Promise<void>;
}

/** Reports a violation: one sentence, with the names and numbers that a person needs to look for it. */
export type Report = (text: string) => void;

export interface CheckerKind {
  /** What it checks, as a person would say it. */
  readonly name: string;
  /** `ledgers`: those of the run, which its other checkers have too; left out: its own. */
  readonly make: (report: Report, ledgers?: Ledgers) => Checker;
}
