/** Canary: a laptop forgets what a file was called that it has open, when others remove it (rule C3). */
import { Client } from '../../../../daemon/core/client.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { Plan, PlanEntry } from '../plan/plan.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

const STEPS = 60;
const LONGEST_PAUSE_MS = 400;
const FILES = ['/a', '/b'];
const BYTES = 100;

/** One laptop saves, on a slow disk, what another removes and makes again. */
export function removedPlan(seed: number): Plan {
  const random = new SeededRandom(seed).fork('removed');
  const laptop = { volume: 1, rights: 'write', frontEnd: 'folder' } as const;
  const entries: PlanEntry[] = [];
  let at = 0;
  for (let number = 1; number <= STEPS; number++) {
    const path = random.pick(FILES);
    const other = random.below(2);
    const removes = other === 0 && number > FILES.length && random.chance(0.7);
    const operation: FileOperation = removes
      ? { do: 'remove', path }
      : { do: 'write', path, bytes: BYTES };
    entries.push({ at, kind: 'operation', number, laptop: other, operation });
    at += random.below(LONGEST_PAUSE_MS);
  }
  const network = { delayMs: 1, bytesPerSecond: null };
  return { seed, settings: { laptops: [laptop, laptop], diskMs: 200, network }, entries };
}

export const forgetNames: Mutant = {
  name: 'forget-names',
  rule: 'C3, of names',
  caughtBy: 'no file is called unnamed',
  plan: removedPlan,
  begin: () =>
    replaceMethod(Client.prototype, 'step', (step) => {
      return function (this: Client, event, now) {
        const done = step.call(this, event, now);
        for (const handle of this.inside.calls.handles.values()) handle.had = null;
        this.inside.names.directories.past.clear();
        return done;
      };
    }),
};
