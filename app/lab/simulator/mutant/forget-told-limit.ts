/** Canary: the server answers who tells of a limit, and paces nothing. */
import { RpcServer } from '../../../../server/runtime/rpc-server.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';
import { limitedPlan } from './send-over-limit.ts';

export const forgetToldLimit: Mutant = {
  name: 'forget-told-limit',
  rule: 'limits',
  caughtBy: 'the limits of a person are kept',
  plan: limitedPlan,
  begin: () =>
    replaceMethod(RpcServer.prototype, 'carryOut', (original) => {
      return function carryOut(this: RpcServer, effect) {
        if (effect.kind !== 'limit') original.call(this, effect);
      };
    }),
};
