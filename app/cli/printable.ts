/**
 * Text for a terminal. Names come from other machines: a line feed or an escape sequence in one must not
 * forge lines or drive the terminal.
 */
// eslint-disable-next-line no-control-regex -- these are the characters that are taken out
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Escapes all control characters of a text, so that it stays one line and sends no command to the
 * terminal.
 */
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

/** Of a text in a line: a path may be far longer than a screen. */
const MOST_SHOWN = 200;

/** Of a path or an error by itself: most paths stay whole, so that they can be pasted back. */
export const MOST_OF_PATH = 1000;

/** As `printable`; of a text that is longer than a line may be (`most` characters) its beginning and its end. */
export function brief(text: string, most = MOST_SHOWN): string {
  const points = [...text];
  if (points.length <= most) return printable(text);
  const half = (most - 3) / 2;
  const [first, last] = [points.slice(0, Math.ceil(half)), points.slice(-Math.floor(half))];
  return printable(`${first.join('')}...${last.join('')}`);
}
