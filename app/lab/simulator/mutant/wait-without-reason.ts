/** Canary: a laptop says that it syncs, and not what for (promise 7). */
import { ClientReports } from '../../../../daemon/core/reports/client-reports.ts';
import type { Mutant } from './mutant.ts';
import { hiddenPlan } from './hidden-plan.ts';
import { replaceMethod } from './replace-method.ts';

export const waitWithoutReason: Mutant = {
  name: 'wait-without-reason',
  rule: 'promise 7, of reasons',
  caughtBy: 'every state has its reason',
  plan: hiddenPlan,
  begin: () =>
    replaceMethod(ClientReports.prototype, 'status', (status) => {
      return function (this: ClientReports, outside) {
        return { ...status.call(this, outside), waiting: [] };
      };
    }),
};
