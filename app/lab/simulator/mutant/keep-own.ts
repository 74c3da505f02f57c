/** Canary: a laptop acknowledges that something is its own no more, and does not tell what it has hidden of that (rule S1). */
import { CallbackPromises } from '../../../../daemon/core/sharing/callback-promise.ts';
import type { Mutant } from './mutant.ts';
import { hiddenPlan } from './hidden-plan.ts';
import { replaceMethod } from './replace-method.ts';

export const keepOwn: Mutant = {
  name: 'keep-own',
  rule: 'S1',
  plan: hiddenPlan,
  begin: () => replaceMethod(CallbackPromises.prototype, 'takeEnded', () => () => []),
};
