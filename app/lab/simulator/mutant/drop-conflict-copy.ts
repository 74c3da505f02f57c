/**
 * Canary: a store that somebody else's overtook is taken for one of the same contents (rule C1), so the losing version is dropped
 * where a conflict copy is due.
 */
import type { Event } from '../../../../daemon/core/events.ts';
import { Client } from '../../../../daemon/core/client.ts';
import type { UpdateResult } from '../../../../shared/model/update.ts';
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { ReplyOf } from '../../../../shared/wire/rpcs.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

export const dropConflictCopy: Mutant = {
  name: 'drop-conflict-copy',
  rule: 'C1',
  begin: () => {
    /** What each client is storing, by request. */
    const stores = new WeakMap<Client, Map<number, Digest>>();
    return replaceMethod(Client.prototype, 'step', (step) => {
      return function (this: Client, event, now) {
        const sent = stores.get(this) ?? new Map<number, Digest>();
        stores.set(this, sent);
        const done = step.call(this, withoutConflict(event, sent), now);
        for (const effect of done.effects) {
          if (effect.kind !== 'request' || effect.message.rpc !== 'Store') continue;
          sent.set(effect.request, effect.message.body.update.digest);
        }
        return done;
      };
    });
  },
};

function withoutConflict(event: Event, sent: ReadonlyMap<number, Digest>): Event {
  if (event.kind !== 'reply' || !event.reply.ok) return event;
  const digest = sent.get(event.request);
  if (digest === undefined) return event;
  const { result } = event.reply.body as ReplyOf<'Store'>;
  return { ...event, reply: { ok: true, body: { result: withDigest(result, digest) } } };
}

function withDigest(result: UpdateResult, digest: Digest): UpdateResult {
  if (result.ok || result.refusal !== 'stale-base' || result.existing === null) return result;
  return { ...result, existing: { ...result.existing, digest } };
}
