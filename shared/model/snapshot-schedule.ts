/** Schedules of snapshots: one of each hour, day or week is made, and the newest are kept. Hours, days and weeks are those of UTC. */
import type { WallTime } from './time.ts';

export const SCHEDULES = ['hourly', 'daily', 'weekly'] as const;
export type Every = (typeof SCHEDULES)[number];

/** The name of the newest scheduled snapshot that was made on the day before. */
export const YESTERDAY = 'yesterday';

/** How many a schedule keeps at most: with all three, there is room for others below MAX_SNAPSHOTS. */
export const MAX_SCHEDULED = 120;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** 1970 began on a Thursday: its first Monday was four days later. */
const MONDAY_MS = 4 * DAY_MS;

/** When the hour, day or week of that time began; a week begins on Monday. */
export function periodOf(every: Every, now: WallTime): WallTime {
  switch (every) {
    case 'hourly':
      return beginOf(now, HOUR_MS, 0);
    case 'daily':
      return beginOf(now, DAY_MS, 0);
    case 'weekly':
      return beginOf(now, WEEK_MS, MONDAY_MS);
  }
}

/** What the snapshot of a period is called: `hourly-2026-11-27-16`, `daily-2026-11-27`, `weekly-2026-11-23`. */
export function scheduledName(every: Every, period: WallTime): string {
  const [day = '', time = ''] = new Date(period).toISOString().split('T');
  return every === 'hourly' ? `${every}-${day}-${time.slice(0, 2)}` : `${every}-${day}`;
}

function beginOf(now: number, length: number, first: number): WallTime {
  return (Math.floor((now - first) / length) * length + first) as WallTime;
}
