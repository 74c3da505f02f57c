/**
 * Text for a terminal. Names come from other machines: a line feed or an escape sequence in one must not
 * forge lines or drive the terminal.
 */
// eslint-disable-next-line no-control-regex -- these are the characters that are taken out
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

export function printable(text: string): string {
  return text.replace(CONTROL, (character) => {
    const point = character.charCodeAt(0);
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return point < 0x100
      ? `\\x${point.toString(16).padStart(2, '0')}`
      : `\\u${point.toString(16).padStart(4, '0')}`;
  });
}

/** One word for a shell, whatever is in it. */
export function quoted(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
