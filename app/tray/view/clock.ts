/** Times of the wall clock, and the order of names, as people read them here. */

/** `when`: as ISO 8601, or in milliseconds since 1970. Time of day, with its date where that is another day than `now` (milliseconds since 1970). */
export function clockText(when: string | number, now: number): string {
  const at = new Date(when);
  if (Number.isNaN(at.getTime())) return String(when);
  const today = new Date(now).toDateString() === at.toDateString();
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;
  return new Intl.DateTimeFormat('en-GB', today ? time : { ...day, ...time }).format(at);
}

/** Milliseconds since 1970 of a time as ISO 8601; NaN: it is none. */
export const timeOf = (when: string): number => Date.parse(when);

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Small and capital letters together, and numbers by their size. */
export const compareNames = (a: string, b: string): number => collator.compare(a, b);
