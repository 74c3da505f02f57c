/** Follows the daemon of a data folder through its ends and starts: one held request, four answers a second at most. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ControlClient } from '../../../shared/control/client.ts';
import type { Known } from '../view/status-view.ts';

/** A daemon that is away is looked for so often. */
const AGAIN_MS = 1000;

export class DaemonWatch {
  readonly #data: string;
  readonly #told: (known: Known) => void;
  readonly #stop = new AbortController();
  #known: Known = { kind: 'looking' };

  constructor(data: string, told: (known: Known) => void) {
    this.#data = data;
    this.#told = told;
  }

  get known(): Known {
    return this.#known;
  }

  /** Whether this device belongs to no server yet: nothing was ever set up in its data folder. */
  isNew(): boolean {
    return !existsSync(join(this.#data, 'config.json'));
  }

  /** Resolves after `end`. */
  async run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#follow(signal);
      if (signal.aborted) return;
      this.#tell({ kind: this.isNew() ? 'new' : 'away' });
      await pause(AGAIN_MS, signal);
    }
  }

  end(): void {
    this.#stop.abort();
  }

  /** Until the daemon is away, for whatever reason. */
  async #follow(signal: AbortSignal): Promise<void> {
    let client: ControlClient | null = null;
    try {
      client = ControlClient.of(this.#data);
      for await (const status of client.snapshots(signal)) this.#tell({ kind: 'running', status });
    } catch {
      // It is looked for again, and meanwhile that is what is told.
    } finally {
      client?.close();
    }
  }

  #tell(known: Known): void {
    this.#known = known;
    this.#told(known);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
