/** A program of the demo that is killed at any instant and started again; that it ends by itself is a fault. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Ending } from '../../../cli/children.ts';

export interface Program {
  /** Rejects where it ends before it is ready. */
  up(): Promise<void>;
  kill(): Promise<void>;
  /** How the process that was started last ends; null: none runs. */
  readonly ended: Promise<Ending> | null;
}

const AGAIN_MS = 500;
/** How long before the end of a program that was ready lies what has ended it. */
const END_MS = 10_000;

/** Kills a program when told, starts it again, and records it as a fault if it ends by itself. */
export class Supervised {
  readonly #name: string;
  readonly #program: Program;
  readonly #signal: AbortSignal;
  /** Whether it may be that it could not run at some time since then, such as on a full disk. */
  readonly #mayFail: (since: number) => boolean;
  readonly faults: string[] = [];
  /** Whether the last start came about. */
  #ready: Promise<boolean> = Promise.resolve(true);
  #isKilled = false;
  #awayMs = 0;

  /** It runs already. `mayFail`: as above, of the time of `performance.now()`. */
  constructor(
    name: string,
    program: Program,
    signal: AbortSignal,
    mayFail: (since: number) => boolean = () => false,
  ) {
    this.#name = name;
    this.#program = program;
    this.#signal = signal;
    this.#mayFail = mayFail;
    void this.#keepUp().catch((error: unknown) => {
      if (!signal.aborted) this.faults.push(`${name}: ${String(error)}`);
    });
  }

  /** Resolves when it is killed; it is started again by itself after a while. */
  async kill(awayMs: number): Promise<void> {
    this.#isKilled = true;
    this.#awayMs = awayMs;
    await this.#program.kill();
  }

  /** Resolves when it runs and is ready, or has a fault; nobody must kill it any more, and it can run. */
  async running(): Promise<void> {
    while (this.#isKilled || (!(await this.#ready) && this.faults.length === 0)) {
      await wait(AGAIN_MS, undefined, { signal: this.#signal });
    }
  }

  async #keepUp(): Promise<void> {
    for (let began = performance.now(); ; began = performance.now()) {
      const ending = await this.#program.ended;
      if (this.#signal.aborted) return;
      // One that was ready may have been so for long: what was just before it ended counts.
      const since = (await this.#ready) ? performance.now() - END_MS : began;
      this.#ready = Promise.resolve(false);
      if (!this.#isKilled && !this.#mayFail(since)) {
        const how = ending?.signal ?? `code ${ending?.code}`;
        this.faults.push(`${this.#name} ended by itself (${how})`);
      }
      await wait(this.#isKilled ? this.#awayMs : AGAIN_MS, undefined, { signal: this.#signal });
      this.#isKilled = false;
      this.#ready = this.#start(performance.now());
    }
  }

  async #start(began: number): Promise<boolean> {
    try {
      await this.#program.up();
      return true;
    } catch (error) {
      if (!this.#isKilled && !this.#signal.aborted && !this.#mayFail(began)) {
        this.faults.push(`${this.#name} does not start: ${(error as Error).message}`);
      }
      return false;
    }
  }
}
