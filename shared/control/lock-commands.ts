/** The commands about user locks: "I am editing this". */
import { z } from 'zod';
import { LOCK_MODES } from '../model/file-lock.ts';
import { path, volume } from './arguments.ts';
import { answer } from './command.ts';
import type { LockOutcome, LocksReport, UnlockOutcome } from './locks.ts';

export const LOCK_COMMANDS = {
  locks: {
    says: 'Which files are locked, by whom and since when, and which locks this laptop has lost.',
    callers: ['cli'],
    args: z.strictObject({}),
    answer: answer<LocksReport>(),
  },
  lock: {
    says: 'Locks a file for this laptop, so that others see who edits it.',
    callers: ['cli', 'window'],
    args: z.strictObject({ volume, path, mode: z.enum(LOCK_MODES) }),
    answer: answer<LockOutcome>(),
    isLong: true,
  },
  unlock: {
    says: 'Ends the lock of this laptop, when what was saved is on the server; or (`breaks`) those of others.',
    callers: ['cli', 'window'],
    args: z.strictObject({ volume, path, breaks: z.boolean() }),
    answer: answer<UnlockOutcome>(),
    isLong: true,
  },
} as const;
