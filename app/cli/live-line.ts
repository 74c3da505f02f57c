/**
 * One line that changes on a terminal. On anything else each change is a line of its own, or nothing is printed (`silent`).
 */
import type { WriteStream } from 'node:tty';

/** What it is written to: a terminal, or not. */
export type Screen = Pick<NodeJS.WritableStream, 'write'> &
  Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

/** Some terminals report no columns. */
const FALLBACK_COLUMNS = 80;
const LEAST_COLUMNS = 20;
const CLEAR = '\r\u001b[2K';

/** Shows one line that replaces itself on a terminal. */
export class LiveLine {
  readonly #screen: Screen;
  readonly #elsewhere: 'lines' | 'silent';
  #shown = '';

  constructor(screen: Screen, elsewhere: 'lines' | 'silent' = 'lines') {
    this.#screen = screen;
    this.#elsewhere = elsewhere;
  }

  show(text: string): void {
    if (text === this.#shown) return;
    this.#shown = text;
    if (this.#screen.isTTY === true) {
      const width = Math.max(LEAST_COLUMNS, (this.#screen.columns || FALLBACK_COLUMNS) - 1);
      this.#screen.write(`${CLEAR}${text.slice(0, width)}`);
    } else if (this.#elsewhere === 'lines') this.#screen.write(`${text}\n`);
  }

  /** Leaves the last text where it is and goes on below it. */
  end(): void {
    if (this.#shown !== '' && this.#screen.isTTY === true) this.#screen.write('\n');
    this.#shown = '';
  }

  /** Takes the last text away; on anything but a terminal nothing happens. */
  clear(): void {
    if (this.#shown !== '' && this.#screen.isTTY === true) this.#screen.write(CLEAR);
    this.#shown = '';
  }
}
