/** Canary: a laptop takes what it has cached for the present version, though the server said that somebody has a newer one (rule S4). */
import { BehindVnodes } from '../../../../daemon/core/sharing/behind.ts';
import type { Mutant } from './mutant.ts';
import { hiddenPlan } from './hidden-plan.ts';
import { replaceMethod } from './replace-method.ts';

export const oldAsCurrent: Mutant = {
  name: 'old-as-current',
  rule: 'S4',
  plan: hiddenPlan,
  begin: () => replaceMethod(BehindVnodes.prototype, 'told', () => () => undefined),
};
