/**
 * The column Detail: `Offset: 65.536, Length: 4.096, Priority: Normal`. Its words are English in every language of the system, its
 * numbers are not: thousands are separated by a comma, a point, a space of some kind or an apostrophe.
 */
const NUMBER = "\\d+(?:[.,'’\\s]\\d{2,3})*";
const PATTERNS = new Map<string, RegExp>();

/** A whole number. null: it is not there, or is something else (in some rows a size is a date). */
export function detailNumber(detail: string, key: string): number | null {
  const match = patternOf(key, `(${NUMBER})(?=,\\s*(?:[^\\d\\s]|$)|\\s*$)`).exec(detail);
  if (match === null) return null;
  const number = Number((match[1] ?? '').replace(/\D/g, ''));
  return Number.isSafeInteger(number) ? number : null;
}

/** The text up to the next key. null: it is not there. */
export function detailText(detail: string, key: string): string | null {
  return patternOf(key, '(.*?)(?=, (?:[A-Z][\\w /]*|\\d+):|$)').exec(detail)?.[1]?.trim() ?? null;
}

/** All that is behind it: a path may have commas and colons. */
export function detailRest(detail: string, key: string): string | null {
  return patternOf(key, '(.*)$').exec(detail)?.[1]?.trim() ?? null;
}

function patternOf(key: string, value: string): RegExp {
  const source = `(?:^|, ?)${key}: ?${value}`;
  let pattern = PATTERNS.get(source);
  if (pattern === undefined) {
    pattern = new RegExp(source, 's');
    PATTERNS.set(source, pattern);
  }
  return pattern;
}
