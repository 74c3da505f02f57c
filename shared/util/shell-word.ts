/** Words of a command line that a person copies. */

/** One word for a shell, whatever is in it. A name that begins with a dash is no flag. */
export function shellWord(text: string): string {
  const word = text.startsWith('-') ? `./${text}` : text;
  if (PLAIN.test(word)) return word;
  return CONTROL.test(word) ? escaped(word) : `'${word.replaceAll("'", "'\\''")}'`;
}

/** In the quotes in which a shell (bash, zsh, ksh) reads escapes: nothing in it acts on a terminal, and it means the same text. */
function escaped(word: string): string {
  const text = word.replace(/[\\']/g, '\\$&').replace(ALL_CONTROL, (character) => {
    const point = character.charCodeAt(0);
    const hex = point.toString(16);
    return (
      NAMED.get(character) ??
      (point < 0x80 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`)
    );
  });
  return `$'${text}'`;
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\t', '\\t'],
  ['\r', '\\r'],
]);
/** As in app/cli/printable.ts: what would drive a terminal, or forge a line. */
const CONTROL =
  // eslint-disable-next-line no-control-regex -- these are the characters that are escaped
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const ALL_CONTROL = new RegExp(CONTROL, 'g');

const PLAIN = /^[\p{L}\p{N}\p{M}_./:@%+=,-]+$/u;
