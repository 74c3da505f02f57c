/** Canary: a laptop never tells its own link of the limit for what it sends. */
import { RpcClient } from '../../../../daemon/runtime/rpc-client.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { LaptopPlan, Plan, PlanEntry } from '../plan/plan.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

export const sendOverLimit: Mutant = {
  name: 'send-over-limit',
  rule: 'limits',
  caughtBy: 'the limits of a person are kept',
  plan: limitedPlan,
  begin: () => replaceMethod(RpcClient.prototype, 'limit', () => () => undefined),
};

const FILES = ['/a', '/b', '/c', '/d', '/e', '/f'];
const BYTES = 19_000;
const RATE = 20_000;

/** Two laptops with limits: one writes more than a burst, and the other one reads it. */
export function limitedPlan(seed: number): Plan {
  const limited = { uploadLimit: RATE, downloadLimit: RATE };
  const laptop: LaptopPlan = { volume: 1, rights: 'write', frontEnd: 'none', ...limited };
  const entries: PlanEntry[] = [];
  const then = (who: number, operation: FileOperation): void => {
    const number = entries.length + 1;
    entries.push({ at: 10 * number, kind: 'operation', number, laptop: who, operation });
  };
  for (const path of FILES) then(seed % 2, { do: 'write', path, bytes: BYTES });
  for (const path of FILES) then((seed + 1) % 2, { do: 'read', path });
  const network = { delayMs: 10, bytesPerSecond: seed % 3 === 0 ? null : 500_000 };
  return { seed, settings: { laptops: [laptop, laptop], diskMs: 2, network }, entries };
}
