/** Reports of user locks: who has locked what, and which locks this laptop has lost. */
import type { LockMode } from '../model/file-lock.ts';
import type { Fid } from '../model/fid.ts';

/** Why a lock of this laptop ended without its person's word. */
export const LOCK_LOSSES = ['taken', 'broken', 'away', 'file-gone', 'refused'] as const;
export type LockLoss = (typeof LOCK_LOSSES)[number];

export interface LockRow {
  /** The name of the volume, and the path in it, the last one of a file that is gone; null: it has not been looked at here. */
  readonly volume: string;
  readonly path: string | null;
  readonly fid: Fid;
  readonly mode: LockMode;
  /** `held`; `asked`: this laptop has not got it back yet; `leaving`: it ends when what was saved is on the server; `broken`: somebody has broken it. */
  readonly state: 'held' | 'asked' | 'leaving' | 'broken';
  /** This laptop has it. */
  readonly isOwn: boolean;
  readonly device: string;
  readonly user: string;
  /** When its person locked it: ISO, by the clock of the server; null: not known. */
  readonly since: string | null;
}

export interface LostLockRow {
  readonly volume: string;
  readonly path: string | null;
  readonly fid: Fid;
  readonly why: LockLoss;
  /** The laptop that has it now, or broke it; null: not known. */
  readonly by: string | null;
  /** ISO, by the clock of this machine. */
  readonly when: string;
}

export interface LocksReport {
  /** The server is there, and understands locks: what it says of others is of now. */
  readonly isCurrent: boolean;
  readonly locks: readonly LockRow[];
  readonly lost: readonly LostLockRow[];
}

/** What came of a person's wish for a lock. */
export interface LockOutcome {
  readonly lock: LockRow;
  /** The folder has all that the server had of the file when it granted the lock (rule K2). */
  readonly isCurrent: boolean;
  /** Another laptop has a newer version that it has not sent yet, or may have: it is away, paused, or can not send it now. */
  readonly behind: boolean;
}

/** What came of a wish to end one: `waits` until what was saved under it is on the server, or so many others have heard that theirs is broken. */
export interface UnlockOutcome {
  readonly waits: boolean;
  readonly others: number;
}
