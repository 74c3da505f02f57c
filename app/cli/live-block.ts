/** Lines that change in their place on a terminal. */
import type { Screen } from './live-line.ts';

/** Some terminals report no size. */
const FALLBACK = { columns: 80, rows: 24 };
const CLEAR_LINE = '\u001b[2K';
const CLEAR_BELOW = '\u001b[J';
// eslint-disable-next-line no-control-regex -- the colours that are written here
const COLOUR = /\u001b\[[0-9;]*m/y;

/** Shows lines that replace each other. What does not fit on the screen is left out: it could not be taken back. */
export class LiveBlock {
  readonly #screen: Screen & { readonly rows?: number };
  #height = 0;

  constructor(screen: Screen & { readonly rows?: number }) {
    this.#screen = screen;
  }

  show(lines: readonly string[]): void {
    const rows = Math.max(2, this.#screen.rows || FALLBACK.rows) - 1;
    const columns = Math.max(20, this.#screen.columns || FALLBACK.columns) - 1;
    const shown = lines.slice(0, rows).map((line) => `${CLEAR_LINE}${cut(line, columns)}\n`);
    const up = this.#height === 0 ? '' : `\u001b[${this.#height}A`;
    this.#screen.write(`\r${up}${shown.join('')}${CLEAR_BELOW}`);
    this.#height = shown.length;
  }

  /** Leaves the last lines where they are. */
  end(): void {
    this.#height = 0;
  }
}

/** The first characters of a line; colours take no room, and end with it. */
function cut(line: string, columns: number): string {
  let text = '';
  let left = columns;
  for (let at = 0; at < line.length && left > 0;) {
    COLOUR.lastIndex = at;
    const colour = COLOUR.exec(line)?.[0];
    const part = colour ?? String.fromCodePoint(line.codePointAt(at) ?? 0);
    text += part;
    at += part.length;
    if (colour === undefined) left -= 1;
  }
  return text;
}
