/** Canary: a break of a promise is acknowledged and not heeded (rule P3), so an old version is read under a promise. */
import { Client } from '../../../../daemon/core/client.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

export const skipBreak: Mutant = {
  name: 'skip-break',
  rule: 'P3',
  begin: () =>
    replaceMethod(Client.prototype, 'step', (step) => {
      return function (this: Client, event, now) {
        return step.call(this, event.kind === 'breaks' ? { ...event, items: [] } : event, now);
      };
    }),
};
