/**
 * Ctrl-C, SIGTERM, a closed terminal, a reader that went away. A command that has something to put in order
 * asks for the signal; one that does not is simply ended.
 */
export class Interruption {
  readonly #controller = new AbortController();
  #claimed = false;

  /** True where a command takes care of the end itself. */
  get claimed(): boolean {
    return this.#claimed;
  }

  /** From now on the command ends itself when this signal is aborted. */
  claim(): AbortSignal {
    this.#claimed = true;
    return this.#controller.signal;
  }

  /** True where a command takes care of it; false, or a second time: the caller ends the process. */
  interrupt(): boolean {
    if (!this.#claimed || this.#controller.signal.aborted) return false;
    this.#controller.abort();
    return true;
  }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
