/** How long ago something was, and how long something takes, in one unit: nobody wants the seconds of hours. */
import { TEXT } from './text.ts';

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;
/** Up to here hours say more than days. */
const MOST_HOURS = 48;

/** `when` and `now`: milliseconds since 1970. What is to come was just now: clocks differ. */
export function agoText(when: number, now: number): string {
  const seconds = Math.max(0, (now - when) / 1000);
  const { justNow, ago, minutes, hours, days } = TEXT.home;
  if (seconds < MINUTE_S) return justNow;
  if (seconds < HOUR_S) return ago(minutes(Math.floor(seconds / MINUTE_S)));
  if (seconds < MOST_HOURS * HOUR_S) return ago(hours(Math.floor(seconds / HOUR_S), 0));
  return ago(days(Math.floor(seconds / DAY_S)));
}

/** An estimate in seconds, no finer than it is. */
export function leftText(seconds: number): string {
  const { lessThanMinute, minutes, hours, days } = TEXT.home;
  if (seconds < MINUTE_S) return lessThanMinute;
  if (seconds < HOUR_S) return minutes(Math.round(seconds / MINUTE_S));
  if (seconds >= MOST_HOURS * HOUR_S) return days(Math.round(seconds / DAY_S));
  const whole = Math.round(seconds / MINUTE_S);
  return hours(Math.floor(whole / 60), whole % 60);
}
