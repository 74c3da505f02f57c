/** One line that changes on a terminal; on anything else, a line of its own for each change. */
import type { Io } from './context.ts';

/** Some terminals say that they have none. */
const FALLBACK_COLUMNS = 80;

export class LiveLine {
  readonly #stream: Io['stderr'];
  #shown = '';

  constructor(stream: Io['stderr']) {
    this.#stream = stream;
  }

  show(text: string): void {
    if (text === this.#shown) return;
    this.#shown = text;
    if (this.#stream.isTTY !== true) {
      this.#stream.write(`${text}\n`);
      return;
    }
    const width = Math.max(20, (this.#stream.columns || FALLBACK_COLUMNS) - 1);
    this.#stream.write(`\r\u001b[2K${text.slice(0, width)}`);
  }

  /** Leaves the last text where it is and goes on below it. */
  end(): void {
    if (this.#shown !== '' && this.#stream.isTTY === true) this.#stream.write('\n');
    this.#shown = '';
  }
}
