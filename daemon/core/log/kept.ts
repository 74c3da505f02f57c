/** What is in the queue and is not sent by itself, for people: which file it is about, and why. */
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { ClientState } from '../state.ts';
import { pathOf } from './view.ts';
import { isCancelled } from './queue-status.ts';
import type { LoggedUpdate } from './update-log.ts';

export interface Kept {
  readonly code: ErrorCode;
  /** null: it has no name. */
  readonly path: string | null;
  readonly why: string;
}

/**
 * Says why an update is not sent by itself, with an error code and the path of its file. Call it
 * only for updates that are blocked, held back or put aside.
 */
export function kept(state: ClientState, entry: LoggedUpdate): Kept {
  const code = isCancelled(entry) ? 'put-aside' : entry.heldBack ? 'over-quota' : 'sync-blocked';
  const path = entry.place === null ? null : pathOf(state, entry.place);
  return { code, path, why: entry.blockedBy ?? 'it can not be synced' };
}
