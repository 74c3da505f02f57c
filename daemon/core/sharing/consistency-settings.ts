/** Reads and changes the settings of consistency. They hold at once, for what is queued too, and over restarts. */
import {
  AWAY_READS,
  DEFAULT_CONSISTENCY,
  INVALIDATIONS,
  STORE_PRIORITIES,
  VALIDATIONS,
  type ConsistencyChange,
  type ConsistencySettings,
} from '../../../shared/model/consistency.ts';
import { done, type Attempt } from '../waits/attempt-result.ts';
import { SETTING_KEYS } from '../setting-keys.ts';
import type { ClientState } from '../state.ts';

const KEYS = {
  invalidations: SETTING_KEYS['writer.invalidations'],
  storePriorities: SETTING_KEYS['writer.store-priorities'],
  awayReads: SETTING_KEYS['reader.away'],
  validations: SETTING_KEYS['reader.validations'],
} as const;

/** As the run before left them. */
export function loadConsistency(state: ClientState): void {
  const kept = <T extends string>(key: string, among: readonly T[], usual: T): T =>
    among.find((each) => each === state.meta.get(key)) ?? usual;
  const { invalidations, storePriorities, awayReads, validations } = DEFAULT_CONSISTENCY;
  state.sharing.use({
    invalidations: kept(KEYS.invalidations, INVALIDATIONS, invalidations),
    storePriorities: kept(KEYS.storePriorities, STORE_PRIORITIES, storePriorities),
    awayReads: kept(KEYS.awayReads, AWAY_READS, awayReads),
    validations: kept(KEYS.validations, VALIDATIONS, validations),
  });
}

/** Changes the settings of consistency durably, and answers with the new ones. */
export function attemptConsistency(state: ClientState, change: ConsistencyChange): Attempt {
  const before = state.sharing.settings;
  const next: ConsistencySettings = {
    invalidations: change.invalidations ?? before.invalidations,
    storePriorities: change.storePriorities ?? before.storePriorities,
    awayReads: change.awayReads ?? before.awayReads,
    validations: change.validations ?? before.validations,
  };
  const names = ['invalidations', 'storePriorities', 'awayReads', 'validations'] as const;
  const changed = names.filter((name) => next[name] !== before[name]);
  if (changed.length === 0) return done(next);
  for (const name of changed) state.meta.set(KEYS[name], next[name]);
  state.sharing.use(next);
  // Queued updates are sorted and announced by the new settings.
  state.sharing.wantSort();
  state.changed = true;
  return done(next);
}
