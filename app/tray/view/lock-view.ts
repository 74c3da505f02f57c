/** Who has a file locked, in words, and what a person can do about it. */
import type { FolderRow } from '../../../shared/control/folder.ts';
import type { LockOutcome, UnlockOutcome } from '../../../shared/control/locks.ts';
import { clockText, timeOf } from './clock.ts';
import { lineText } from './format.ts';
import { TEXT } from './text.ts';

/** Null: nobody has locked it. `now`: milliseconds since 1970. */
export function lockText({ lock }: Pick<FolderRow, 'lock'>, now: number): string | null {
  if (lock === undefined) return null;
  const words = TEXT.locks;
  const since = lock.since === null ? '' : clockText(timeOf(lock.since), now);
  if (!lock.isOwn) return words.byOther(lineText(lock.device), lineText(lock.user), since);
  return lock.state === 'held' ? words.byThis(since) : words.state(lock.state);
}

export type LockAct = 'lock' | 'unlock' | 'break';

/** What can be done with the lock of a file: have one, end it, or end that of another. */
export function lockAct({ lock }: Pick<FolderRow, 'lock'>): LockAct {
  if (lock === undefined) return 'lock';
  return lock.isOwn ? 'unlock' : 'break';
}

/** What came of a wish to lock a file, for a moment on the screen. */
export function lockOutcome(
  name: string,
  { isCurrent, behind }: Pick<LockOutcome, 'isCurrent' | 'behind'>,
): string {
  const words = TEXT.locks;
  if (behind) return words.lockedBehind(name);
  return isCurrent ? words.locked(name) : words.lockedOld(name);
}

/** The same of a wish to end a lock. */
export function unlockOutcome(act: LockAct, { waits }: UnlockOutcome): string {
  const words = TEXT.locks;
  if (act === 'break') return waits ? words.breaks : words.unlocked;
  return waits ? words.leaves : words.unlocked;
}
