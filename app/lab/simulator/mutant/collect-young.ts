/** Canary: collection removes what was put while it looked for names (rule D4). */
import { MemoryContentStore } from '../store/memory-content-store.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';
import { snapshotPlan } from './snapshot-plan.ts';

export const collectYoung: Mutant = {
  name: 'collect-young',
  rule: 'D4',
  plan: snapshotPlan,
  begin: () => replaceMethod(MemoryContentStore.prototype, 'isYoung', () => () => false),
};
