/** Canary: collection forgets that snapshots keep what they show (rule H2). */
import { MemoryMetaStore } from '../store/memory-meta-store.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';
import { snapshotPlan } from './snapshot-plan.ts';

export const collectSnapshots: Mutant = {
  name: 'collect-snapshots',
  rule: 'H2',
  caughtBy: 'a snapshot shows its commit',
  plan: snapshotPlan,
  begin: () => replaceMethod(MemoryMetaStore.prototype, 'snapshotNumbers', () => () => []),
};
