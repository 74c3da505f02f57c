/** Canary: a laptop says that all is synced while what it has logged waits for the server (promise 7). */
import { ClientReports } from '../../../../daemon/core/reports/client-reports.ts';
import type { Mutant } from './mutant.ts';
import { hiddenPlan } from './hidden-plan.ts';
import { replaceMethod } from './replace-method.ts';

export const idleWhileWaiting: Mutant = {
  name: 'idle-while-waiting',
  rule: 'promise 7',
  caughtBy: 'synced means committed',
  plan: hiddenPlan,
  begin: () =>
    replaceMethod(ClientReports.prototype, 'status', (status) => {
      return function (this: ClientReports, outside) {
        const told = status.call(this, outside);
        return told.state === 'syncing' ? { ...told, state: 'idle' } : told;
      };
    }),
};
