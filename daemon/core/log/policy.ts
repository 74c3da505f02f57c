/** Reads and changes the writeback settings. What is queued already goes by the new ones from now on. */
import { milliseconds } from '../../../shared/model/time.ts';
import { done, type Attempt } from '../waits/attempt-result.ts';
import type { ClientState } from '../state.ts';
import { SETTING_KEYS } from '../setting-keys.ts';
import { enter, expediteAll } from './queue-status.ts';
import {
  DEFAULT_WRITEBACK,
  WRITEBACK_POLICIES,
  type WritebackChange,
  type WritebackSettings,
} from '../../../shared/model/writeback.ts';

const {
  'writeback.policy': POLICY,
  'writeback.delay': DELAY,
  'writeback.dirty-limit': LIMIT,
} = SETTING_KEYS;

/** As the run before left it, when the log has been loaded. */
export function loadWriteback(state: ClientState): void {
  const policy = state.meta.get(POLICY);
  const delay = state.meta.get(DELAY);
  const limit = state.meta.get(LIMIT);
  state.queue.use({
    policy: WRITEBACK_POLICIES.find((each) => each === policy) ?? DEFAULT_WRITEBACK.policy,
    delay: typeof delay === 'number' ? milliseconds(delay) : DEFAULT_WRITEBACK.delay,
    dirtyLimit: typeof limit === 'number' ? limit : DEFAULT_WRITEBACK.dirtyLimit,
  });
  for (const entry of state.log.all()) enter(state, entry);
}

/**
 * Changes the settings of writeback durably, and answers with the new ones. The delay is in
 * milliseconds and the dirty limit in bytes. A shorter delay ends all running ones.
 */
export function attemptWriteback(state: ClientState, change: WritebackChange): Attempt {
  const { policy, delay, dirtyLimit } = state.queue.settings;
  const next: WritebackSettings = {
    policy: change.policy ?? policy,
    delay: change.delayMs === undefined ? delay : milliseconds(change.delayMs),
    dirtyLimit: change.dirtyLimit === undefined ? dirtyLimit : change.dirtyLimit,
  };
  if (next.policy !== policy) state.meta.set(POLICY, next.policy);
  if (next.dirtyLimit !== dirtyLimit) state.meta.set(LIMIT, next.dirtyLimit);
  state.queue.use(next);
  if (next.delay !== delay) {
    state.meta.set(DELAY, next.delay);
    if (next.delay < delay) expediteAll(state);
  }
  state.changed = true;
  state.waiting.signal({ kind: 'log' });
  return done(next);
}
