/** Canaries: what a device says of a name is not heard (rule C4), so that a name alone makes a conflict; and what others keep as copies is not listed. */
import type { Event } from '../../../../daemon/core/events.ts';
import { Client } from '../../../../daemon/core/client.ts';
import { ConflictList } from '../../../../daemon/core/conflict/conflict-list.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { ReplyOf } from '../../../../shared/wire/rpcs.ts';
import { withoutMark } from '../../../../shared/wire/updates.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { Plan, PlanEntry } from '../plan/plan.ts';
import { calledLikeCopy } from '../workload/called-like-copies.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

const ROUNDS = 4;
const ROUND_MS = 60_000;
const CUT_MS = 20_000;
const LONGEST_JITTER_MS = 2_000;
const caughtBy = 'conflicts are listed as they are';

/** Two laptops write a file while one of them is cut off; then a program calls another file like a copy of it. */
export function copiesPlan(seed: number): Plan {
  const random = new SeededRandom(seed).fork('copies');
  const laptop = { volume: 1, rights: 'write', frontEnd: 'folder' } as const;
  const entries: PlanEntry[] = [];
  let number = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    const path = `/${round}`;
    const does = (ms: number, who: number, operation: FileOperation): void => {
      const at = round * ROUND_MS + ms + random.below(LONGEST_JITTER_MS);
      entries.push({ at, kind: 'operation', number: ++number, laptop: who, operation });
    };
    does(0, 0, { do: 'write', path, bytes: 10 });
    const fault = { family: 'cut', laptop: 0, way: 'both', lastsMs: CUT_MS };
    entries.push({ at: round * ROUND_MS + 10_000, kind: 'fault', fault });
    for (const who of [0, 1]) does(12_000, who, { do: 'write', path, bytes: 20 + who });
    does(40_000, random.below(2), { do: 'write', path: calledLikeCopy(path, random), bytes: 30 });
  }
  const network = { delayMs: 1, bytesPerSecond: null };
  entries.sort((a, b) => a.at - b.at);
  return { seed, settings: { laptops: [laptop, laptop], diskMs: 2, network }, entries };
}

export const judgeByName: Mutant = {
  name: 'judge-by-name',
  rule: 'C4',
  caughtBy,
  plan: copiesPlan,
  begin: () =>
    replaceMethod(Client.prototype, 'step', (step) => {
      return function (this: Client, event, now) {
        return step.call(this, unheard(event), now);
      };
    }),
};

function unheard(event: Event): Event {
  if (event.kind !== 'reply' || !event.reply.ok) return event;
  const body = event.reply.body as Partial<ReplyOf<'Changes'>>;
  if (body.commits === undefined) return event;
  return {
    ...event,
    reply: { ok: true, body: { ...body, commits: body.commits.map(withoutMark) } },
  };
}

export const keepCopiesUnheard: Mutant = {
  name: 'keep-copies-unheard',
  rule: 'C4, of who hears',
  caughtBy,
  plan: copiesPlan,
  begin: () =>
    replaceMethod(ConflictList.prototype, 'add', (add) => {
      return function (this: ConflictList, row) {
        return row.kind === 'elsewhere' ? 0 : add.call(this, row);
      };
    }),
};
