/** A row as one line of text, of which a seal is made. */

export type SqlValue = string | number | null;

/** Texts with their length, so that no two rows read alike; a number as SQLite gives it back. */
export function rowLine(what: string, values: readonly SqlValue[]): string {
  let text = what;
  for (const value of values) {
    if (value === null) text += ' -';
    else text += typeof value === 'string' ? ` ${value.length}:${value}` : ` ${value}`;
  }
  return text;
}
