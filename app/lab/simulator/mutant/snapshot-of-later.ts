/** Canary: a snapshot shows the commit after its own, where there is one (rule H1). */
import { CoreHistory } from '../../../../daemon/runtime/core-history.ts';
import { commitNumber } from '../../../../shared/model/vnode.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';
import { snapshotPlan } from './snapshot-plan.ts';

export const snapshotOfLater: Mutant = {
  name: 'snapshot-of-later',
  rule: 'H1',
  caughtBy: 'a snapshot shows its commit',
  plan: snapshotPlan,
  begin: () =>
    replaceMethod(CoreHistory.prototype, 'directory', (original) => {
      return async function later(this: CoreHistory, fid, at, after) {
        const asked = original.call(this, fid, commitNumber(at + 1), after);
        // There is none yet.
        return asked.catch(() => original.call(this, fid, at, after));
      };
    }),
};
