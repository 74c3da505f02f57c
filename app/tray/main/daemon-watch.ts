/**
 * Follows the daemon of a data folder through its ends and starts: the one subscription to its status in the tray. The icon,
 * the notices and the page all have what it knows. One held request, four answers a second at most.
 */
import { ControlClient } from '../../../shared/control/client.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { isNew } from '../../first-run/set-up.ts';
import type { Known } from '../view/status-view.ts';

/** A daemon that is away is looked for so often. */
const AGAIN_MS = 1000;

/**
 * Follows the status of the daemon on a data folder, also while the daemon ends and starts again.
 */
export class DaemonWatch {
  readonly #data: string;
  readonly #told: (known: Known) => void;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<() => void>();
  #known: Known = { kind: 'looking' };
  /** Why the last start has failed; null: none has since a daemon ran. */
  #why: string | null = null;

  constructor(data: string, told: (known: Known) => void) {
    this.#data = data;
    this.#told = told;
  }

  get known(): Known {
    return this.#known;
  }

  /**
   * The status as it is known: at once where its revision is not `revision`, else when it is another one, or after `waitMs`.
   * Null: no daemon runs.
   */
  async status(revision: number | null, waitMs: number): Promise<StatusSnapshot | null> {
    if (!this.#hasNews(revision)) await this.#next(waitMs);
    return this.#known.kind === 'running' ? this.#known.status : null;
  }

  /** Whether this device belongs to no server yet: nothing was ever set up in its data folder. */
  isNew(): boolean {
    return isNew(this.#data);
  }

  /** Resolves after `end`. */
  async run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#follow(signal);
      if (signal.aborted) return;
      this.#tell(this.isNew() ? { kind: 'new' } : this.#away());
      await pause(AGAIN_MS, signal);
    }
  }

  end(): void {
    this.#stop.abort();
  }

  /** A start has failed. Where a daemon runs all the same, that is no news. */
  failed(why: string): void {
    if (this.#known.kind === 'running') return;
    this.#why = why;
    if (this.#known.kind === 'away') this.#tell(this.#away());
  }

  #away(): Known {
    return this.#why === null ? { kind: 'away' } : { kind: 'away', why: this.#why };
  }

  /** Follows the status until the daemon is away, for any reason. */
  async #follow(signal: AbortSignal): Promise<void> {
    let client: ControlClient | null = null;
    try {
      client = ControlClient.of(this.#data);
      for await (const status of client.snapshots(signal)) this.#tell({ kind: 'running', status });
    } catch {
      // Meanwhile listeners learn that it is away; another try follows.
    } finally {
      client?.close();
    }
  }

  #hasNews(revision: number | null): boolean {
    if (this.#known.kind !== 'running') return this.#known.kind !== 'looking';
    return this.#known.status.revision !== revision;
  }

  /** Resolves when something new is known, or after `waitMs`. */
  #next(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.#waiting.add(done);
    });
  }

  /** A listener that throws ends neither the subscription nor the wait of the page. */
  #tell(known: Known): void {
    this.#known = known;
    if (known.kind === 'running') this.#why = null;
    try {
      this.#told(known);
    } catch (error) {
      process.emitWarning(error as Error);
    }
    for (const done of [...this.#waiting]) done();
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
