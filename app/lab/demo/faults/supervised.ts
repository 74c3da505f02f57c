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

/** Kills a program when told, starts it again, and records it as a fault if it ends by itself. */
export class Supervised {
  readonly #name: string;
  readonly #program: Program;
  readonly #signal: AbortSignal;
  /** False while it may be that it can't run, such as on a full disk. */
  readonly #mustRun: () => boolean;
  readonly faults: string[] = [];
  #ready: Promise<void> = Promise.resolve();
  #isKilled = false;
  #awayMs = 0;

  /** It runs already. */
  constructor(
    name: string,
    program: Program,
    signal: AbortSignal,
    mustRun: () => boolean = () => true,
  ) {
    this.#name = name;
    this.#program = program;
    this.#signal = signal;
    this.#mustRun = mustRun;
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

  /** Resolves when it runs and is ready; nobody must kill it any more. */
  async running(): Promise<void> {
    while (this.#isKilled) await wait(AGAIN_MS, undefined, { signal: this.#signal });
    await this.#ready;
  }

  async #keepUp(): Promise<void> {
    for (;;) {
      const ending = await this.#program.ended;
      if (this.#signal.aborted) return;
      if (!this.#isKilled && this.#mustRun()) {
        const how = ending?.signal ?? `code ${ending?.code}`;
        this.faults.push(`${this.#name} ended by itself (${how})`);
      }
      await wait(this.#isKilled ? this.#awayMs : AGAIN_MS, undefined, { signal: this.#signal });
      this.#isKilled = false;
      this.#ready = this.#program.up().catch((error: unknown) => {
        if (this.#isKilled || this.#signal.aborted || !this.#mustRun()) return;
        this.faults.push(`${this.#name} does not start: ${(error as Error).message}`);
      });
    }
  }
}
