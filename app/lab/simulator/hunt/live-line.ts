/** One line that changes, on a terminal; elsewhere nothing is written. */
import type { WriteStream } from 'node:tty';

export type Screen = Pick<NodeJS.WriteStream, 'write'> &
  Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

const USUAL_COLUMNS = 80;
const CLEAR = '\r\u001b[2K';

export class LiveLine {
  readonly #screen: Screen;
  #shown = false;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  show(text: string): void {
    if (this.#screen.isTTY !== true) return;
    this.#screen.write(`${CLEAR}${text.slice(0, (this.#screen.columns ?? USUAL_COLUMNS) - 1)}`);
    this.#shown = true;
  }

  clear(): void {
    if (this.#shown) this.#screen.write(CLEAR);
    this.#shown = false;
  }
}
