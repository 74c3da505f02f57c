/** The words of locks: who edits what. */
import type { LockRow } from '../../../../shared/control/locks.ts';

const STATES: Record<LockRow['state'], string> = {
  held: 'locked by this laptop',
  asked: 'its lock is asked for again',
  leaving: 'its lock ends when your last save is on the server',
  broken: 'its lock was broken',
};

export const LOCKS_TEXT = {
  act: {
    lock: 'Lock while I edit it',
    unlock: 'Unlock',
    break: 'Break the lock',
  },
  byOther: (device: string, user: string, since: string): string =>
    `locked by ${device} (${user})${since === '' ? '' : `, ${since}`}`,
  byThis: (since: string): string => `locked by this laptop${since === '' ? '' : `, ${since}`}`,
  state: (state: LockRow['state']): string => STATES[state],
  locked: (name: string): string => `${name} is locked: others see that you edit it`,
  lockedOld: (name: string): string =>
    `${name} is locked, and a newer version of it is on its way here: wait with your changes`,
  lockedBehind: (name: string): string =>
    `${name} is locked, and another laptop has a newer version that it has not sent yet`,
  unlocked: 'Unlocked',
  leaves: 'The lock ends when your last save is on the server',
  breaks: 'The lock ends as soon as that laptop has heard of it',
} as const;
