/** Lines that change in their place on a terminal. */
import type { Screen } from './live-line.ts';

/** Some terminals report no size. */
const FALLBACK = { columns: 80, rows: 24 };
const CLEAR_LINE = '\u001b[2K';
const CLEAR_BELOW = '\u001b[J';
// eslint-disable-next-line no-control-regex -- the colours that are written here
const COLOUR = /\u001b\[[0-9;]*m/y;

/** Of a sentence the next lines are further in than its first. */
const INDENT = '    ';

/**
 * Shows lines that replace each other. What does not fit on the screen is left out: it could not be taken back. `long`: what becomes of a line
 * that is longer than the screen is wide: a row of a table is cut, a sentence goes on in the next line.
 */
export class LiveBlock {
  readonly #screen: Screen & { readonly rows?: number };
  readonly #long: 'cut' | 'wrap';
  #height = 0;

  constructor(screen: Screen & { readonly rows?: number }, long: 'cut' | 'wrap' = 'cut') {
    this.#screen = screen;
    this.#long = long;
  }

  show(lines: readonly string[]): void {
    const rows = Math.max(2, this.#screen.rows || FALLBACK.rows) - 1;
    const columns = Math.max(20, this.#screen.columns || FALLBACK.columns) - 1;
    const fitting =
      this.#long === 'cut'
        ? lines.slice(0, rows).map((line) => cut(line, columns))
        : lastCounted(
            lines.flatMap((line) => wrapped(line, columns)),
            rows,
          );
    const shown = fitting.map((line) => `${CLEAR_LINE}${line}\n`);
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
const cut = (line: string, columns: number): string => cellsOf(line).slice(0, columns).join('');

/** The characters of a line, each with the colours that begin before it; colours at its end are with the last one. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let colours = '';
  for (let at = 0; at < line.length;) {
    COLOUR.lastIndex = at;
    const colour = COLOUR.exec(line)?.[0];
    const part = colour ?? String.fromCodePoint(line.codePointAt(at) ?? 0);
    at += part.length;
    if (colour === undefined) {
      cells.push(colours + part);
      colours = '';
    } else colours += part;
  }
  const last = cells.pop();
  return [...cells, (last ?? '') + colours];
}

/** The line in as many as it takes, broken at spaces where there are some. */
function wrapped(line: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = cellsOf(line);
  let indent = '';
  while (rest.length > columns - indent.length) {
    const width = columns - indent.length;
    const space = rest.slice(0, width + 1).lastIndexOf(' ');
    // A break in the indentation of the line itself would be an empty line.
    const isBreak = space > 0 && rest.slice(0, space).some((cell) => cell !== ' ');
    lines.push(indent + rest.slice(0, isBreak ? space : width).join(''));
    rest = rest.slice(isBreak ? space + 1 : width);
    indent = INDENT;
  }
  return [...lines, indent + rest.join('')];
}

/** The first of them; where there are more, the last one says how many. */
function lastCounted(lines: readonly string[], most: number): string[] {
  const more = lines.length - most;
  if (more <= 0) return [...lines];
  return [...lines.slice(0, most - 1), `... and ${more + 1} more lines`];
}
