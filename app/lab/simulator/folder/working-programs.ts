/**
 * The programs that work on one laptop's disk, several at once: each makes a step, rests, and makes the next. A step may come at any time, also between
 * two calls of the daemon.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { Schedule, ScheduledEvent } from '../clock/virtual-time.ts';
import type { Program } from './programs/program.ts';

export interface WorkingProgramsParts {
  readonly time: Schedule;
  readonly random: SeededRandom;
  /** How long a program rests between two steps at most, where it does not ask for longer. */
  readonly paceMs: number;
  /** Notes what a program did, for the trace. */
  readonly note: (line: string) => void;
  /** A program broke in a way in which no call does. */
  readonly fault: (error: unknown) => void;
}

interface Working {
  readonly name: string;
  readonly program: Program;
  readonly end: () => void;
  next: ScheduledEvent | null;
  /** It rests until then at least. */
  until: number;
}

/** Runs the programs of one laptop step by step. */
export class WorkingPrograms {
  readonly #parts: WorkingProgramsParts;
  readonly #working = new Set<Working>();
  #steps = 0;

  constructor(parts: WorkingProgramsParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#working.size;
  }

  /** Steps that were made so far. */
  get steps(): number {
    return this.#steps;
  }

  /** `end`: its process ends. */
  begin(name: string, program: Program, end: () => void): void {
    const working: Working = { name, program, end, next: null, until: 0 };
    this.#working.add(working);
    this.#plan(working, 0);
  }

  /** One that may go on makes a step now, in the midst of what somebody else does. */
  comeBetween(): void {
    const now = this.#parts.time.now();
    const ready = [...this.#working].filter(({ until }) => until <= now);
    if (ready.length === 0) return;
    const working = this.#parts.random.pick(ready);
    working.next?.cancel();
    this.#step(working);
  }

  /** The machine stops: they end where they are. */
  stop(): void {
    for (const working of [...this.#working]) this.#ended(working, 'stopped');
  }

  #plan(working: Working, restMs: number): void {
    const { time, random, paceMs } = this.#parts;
    working.until = time.now() + restMs;
    const delay = restMs + random.fraction() * paceMs;
    working.next = time.in(delay, working.name, () => this.#step(working));
  }

  #step(working: Working): void {
    this.#steps += 1;
    try {
      const { done, value } = working.program.next();
      if (done === true) this.#ended(working, 'done');
      else this.#plan(working, value);
    } catch (error) {
      const code = (error as { readonly code?: unknown }).code;
      if (typeof code !== 'string') this.#parts.fault(error);
      this.#ended(working, String(code));
    }
  }

  #ended(working: Working, how: string): void {
    working.next?.cancel();
    this.#working.delete(working);
    working.end();
    this.#parts.note(`${working.name} ends: ${how}`);
  }
}
