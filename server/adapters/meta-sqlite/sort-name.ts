/**
 * Names as the database keeps them: the order of the bytes is the product's order of names.
 *
 * That order is by UTF-16 code units (shared/model/names.ts). SQLite compares the bytes of UTF-8, which is the order of code
 * points; the two differ where a character beyond U+FFFF (in UTF-16 a surrogate, below U+E000) meets one of
 * U+E000 ... U+FFFF. So these two ranges change places; most names hold neither and are kept as they are.
 */
const MOVED = /[\ud800-\udfff\ue000-\uffff]/;
const FIRST_MOVED = 0xe000;
const FIRST_ASTRAL = 0x10000;
const LAST = 0x10ffff;

/** `name` is well-formed. */
export function toSortName(name: string): string {
  if (!MOVED.test(name)) return name;
  const down = FIRST_ASTRAL - FIRST_MOVED;
  const up = LAST + 1 - FIRST_ASTRAL;
  return mapped(name, (point) => (point >= FIRST_ASTRAL ? point - down : point + up));
}

/** The name as users know it; the inverse of `toSortName`. */
export function fromSortName(stored: string): string {
  if (!MOVED.test(stored)) return stored;
  const up = FIRST_ASTRAL - FIRST_MOVED;
  const down = LAST + 1 - FIRST_ASTRAL;
  return mapped(stored, (point) => (point + up <= LAST ? point + up : point - down));
}

function mapped(text: string, move: (point: number) => number): string {
  let result = '';
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    result += point < FIRST_MOVED ? character : String.fromCodePoint(move(point));
  }
  return result;
}
