/** The set-up of a new device in a browser of this machine, for as long as somebody uses it. */
import { join } from 'node:path';
import { PageEndpoint } from '../../shared/page/page-endpoint.ts';
import type { Log } from '../../shared/ports/log.ts';
import { SystemClock, SystemTimers } from '../../shared/system/system-clock.ts';
import { firstRunCalls } from './first-run-calls.ts';
import { PageLife, type PageEnd } from './page-life.ts';
import type { Program } from './run-command.ts';

export interface FirstRunOptions {
  readonly program: Program;
  /** Where the program lies, with its built page. */
  readonly root: string;
  readonly atLogin: readonly string[];
  readonly log: Log;
}

/** Serves the page of a first run, and ends when nobody uses it any more. */
export class FirstRun {
  readonly #endpoint: PageEndpoint;
  readonly #life: PageLife;

  constructor({ program, root, atLogin, log }: FirstRunOptions) {
    const clock = new SystemClock();
    this.#life = new PageLife(new SystemTimers(clock));
    this.#endpoint = new PageEndpoint({
      folder: join(root, 'app', 'tray', 'built', 'window'),
      calls: firstRunCalls({ program, atLogin, life: this.#life }),
      clock,
      log,
    });
  }

  /** An address that opens the page once. Rejects `page-missing`, `bad-address`. */
  open(): Promise<string> {
    return this.#endpoint.open();
  }

  /** Resolves when it is over and nothing is served any more. `signal` ends it. */
  async run(signal: AbortSignal): Promise<PageEnd> {
    const stop = (): void => this.#life.interrupt();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const why = await this.#life.ended;
    signal.removeEventListener('abort', stop);
    await this.close();
    return why;
  }

  /** Ends it, whatever goes on: an act of a person goes on to its end. */
  async close(): Promise<void> {
    this.#life.interrupt();
    await this.#life.rest();
    await this.#endpoint.close();
  }
}
