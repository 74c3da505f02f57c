/** Hands the answers to questions of locks to who asked. */
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import type { ClientState } from '../state.ts';
import type { Purpose } from '../waits/requests.ts';
import { onLocks } from './keep-locks.ts';
import { onLockAnswered, onLockFailed, onUnlocked, onUnlockFailed } from './user-locks.ts';

type LockPurpose = Extract<Purpose, { for: 'lock' | 'unlock' | 'locks' }>;

/** The server has answered. */
export function onLockReply(state: ClientState, purpose: LockPurpose, body: unknown): void {
  switch (purpose.for) {
    case 'lock':
      return onLockAnswered(state, purpose, body as ReplyOf<'SetLock'>);
    case 'unlock':
      return onUnlocked(state, purpose, body as ReplyOf<'ReleaseLock'>);
    case 'locks':
      return onLocks(state, purpose.volume, body as ReplyOf<'Locks'>);
  }
}

/** It was refused, or its connection ended (`code` null). Gives the call that is to hear of that; null: none is. */
export function onLockRefused(
  state: ClientState,
  purpose: LockPurpose,
  code: ErrorCode | null,
  jitter: number,
): number | null {
  switch (purpose.for) {
    case 'lock':
      return onLockFailed(state, purpose, code, jitter);
    case 'unlock':
      return onUnlockFailed(state, purpose, code);
    case 'locks':
      state.locks.failed(purpose.volume);
      return null;
  }
}
