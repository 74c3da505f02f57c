/**
 * The order of names in which people count: `file 2` before `file 10`. Pure, and the same on every machine: no language has a say.
 *
 * A name is taken for a row of numbers (decimal digits, however many, zeros in front or not) and of code units between them. The first place
 * that differs decides: two numbers by their values, else code units. Names that differ in zeros in front alone are in the order of code units.
 */
export function compareNaturally(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a.charCodeAt(i) === b.charCodeAt(i)) i += 1;
  // A number that they have in common so far may go on in one of them.
  while (i > 0 && isDigit(a, i - 1)) i -= 1;
  let j = i;
  while (i < a.length && j < b.length) {
    if (isDigit(a, i) && isDigit(b, j)) {
      const [startA, startB] = [pastZeros(a, i), pastZeros(b, j)];
      [i, j] = [pastDigits(a, startA), pastDigits(b, startB)];
      const longer = i - startA - (j - startB);
      if (longer !== 0) return longer;
      const order = byUnits(a.slice(startA, i), b.slice(startB, j));
      if (order !== 0) return order;
    } else {
      const order = a.charCodeAt(i) - b.charCodeAt(j);
      if (order !== 0) return order;
      i += 1;
      j += 1;
    }
  }
  if (i < a.length) return 1;
  return j < b.length ? -1 : byUnits(a, b);
}

const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function pastZeros(text: string, from: number): number {
  let at = from;
  while (text[at] === '0') at += 1;
  return at;
}

function pastDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text, at)) at += 1;
  return at;
}
