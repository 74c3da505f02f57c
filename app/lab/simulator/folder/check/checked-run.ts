/** What the checkers see of a run in this world. */
import type { Cluster } from '../../cluster/cluster.ts';
import type { FolderMachine } from '../folder-machine.ts';
import type { FolderPlan } from '../folder-plan.ts';
import type { Ledger } from '../ledger.ts';

export interface CheckedRun {
  readonly cluster: Cluster;
  readonly machines: readonly FolderMachine[];
  readonly ledger: Ledger;
  readonly plan: FolderPlan;
  /** Something must not be: one sentence, with names. */
  readonly find: (checker: string, text: string) => void;
}
