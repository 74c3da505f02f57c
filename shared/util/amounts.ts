/** Amounts as people read them: sizes and lengths of time. The CLI and the window write them alike. */

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** A number of bytes in units of 1,000, such as `1.5 MB`. Less than nothing is nothing. */
export function sizeText(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  // A value that would be rounded up to 1000.0 belongs to the next unit.
  while (value >= 999.95 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** A measured length of time in milliseconds, such as `24 ms`, `3.1 s` or `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(Math.max(0, ms))} ms`;
  return ms < 119_950 ? `${(ms / 1000).toFixed(1)} s` : lengthText(ms / 1000);
}

/** A number of seconds in the two largest units that say something, such as `5 s` or `1 h 20 min`. */
export function lengthText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [days, hours] = [Math.floor(whole / 86_400), Math.floor(whole / 3600) % 24];
  const [minutes, rest] = [Math.floor(whole / 60) % 60, whole % 60];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes > 0) return minutes < 10 ? `${minutes} min ${rest} s` : `${minutes} min`;
  return `${rest} s`;
}
