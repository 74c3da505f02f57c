/**
 * How long versions that are no longer the present ones are kept (rule D4): all of them for some days, then one of each day for
 * some more, then none. Which that is, is decided here alone: collection keeps what this keeps, and removes the rest.
 *
 * A version's time runs from when it stopped being the present one, not from when it was made: what was written a year ago
 * and overwritten by mistake yesterday is there still.
 */
import type { WallTime } from './time.ts';

export interface RetentionPolicy {
  /** Every version is kept for so many days after it was replaced or removed ... */
  readonly allDays: number;
  /** ... and the last one made on each day for so many days. */
  readonly dailyDays: number;
}

export const DEFAULT_RETENTION: RetentionPolicy = { allDays: 7, dailyDays: 30 };

/** Ten years: longer is the task of an archive. */
export const MAX_RETENTION_DAYS = 3653;

/** When a version was made, and when it was replaced or removed; null: it is the present one. */
export interface VersionLife {
  readonly made: WallTime;
  readonly ended: WallTime | null;
}

const DAY_MS = 86_400_000;

/** Whether both numbers of days are whole and within 0 ... MAX_RETENTION_DAYS. */
export function isRetention({ allDays, dailyDays }: RetentionPolicy): boolean {
  const possible = (days: number): boolean =>
    Number.isInteger(days) && days >= 0 && days <= MAX_RETENTION_DAYS;
  return possible(allDays) && possible(dailyDays);
}

/** Of the versions of one file, newest first: which are kept. Days are those of UTC. */
export function retained(
  versions: readonly VersionLife[],
  policy: RetentionPolicy,
  now: WallTime,
): boolean[] {
  const days = new Set<number>();
  return versions.map(({ made, ended }) => {
    const day = Math.floor(made / DAY_MS);
    const isLastOfDay = !days.has(day);
    days.add(day);
    if (ended === null) return true;
    // A clock that went back keeps more rather than less.
    const age = Math.max(0, now - ended);
    return age < policy.allDays * DAY_MS || (isLastOfDay && age < policy.dailyDays * DAY_MS);
  });
}
