/** One operation of a replay: what it does, how long its process thinks before, and which steps must be done first. */
import type { TraceFlag, TraceOperation } from '../../trace/record.ts';

export interface StepFacts {
  /** Index of its process in the plan. */
  readonly process: number;
  /** Microseconds that the process thought between the beginning of the step before and of this one. */
  readonly thinkUs: number;
  readonly op: TraceOperation;
  /** From the root of the volume. */
  readonly path: string;
  /** Of a rename or link, from the root; of a symlink, its target. */
  readonly to: string | null;
  readonly offset: number;
  readonly length: number;
  readonly flags: readonly TraceFlag[];
}

/** Holds one operation of a trace, and lets others wait until it is done. */
export class Step implements StepFacts {
  readonly process: number;
  readonly thinkUs: number;
  readonly op: TraceOperation;
  readonly path: string;
  readonly to: string | null;
  readonly offset: number;
  readonly length: number;
  readonly flags: readonly TraceFlag[];
  /** The step that opened what this one works on; null: nothing did. */
  on: Step | null = null;
  /** Of an open: something is written through it. */
  writes = false;
  /** Steps of other processes without which this one makes no sense. */
  after: readonly Step[] = [];
  #done = false;
  #waiting: Array<() => void> = [];

  constructor(facts: StepFacts) {
    this.process = facts.process;
    this.thinkUs = facts.thinkUs;
    this.op = facts.op;
    this.path = facts.path;
    this.to = facts.to;
    this.offset = facts.offset;
    this.length = facts.length;
    this.flags = facts.flags;
  }

  has(flag: TraceFlag): boolean {
    return this.flags.includes(flag);
  }

  get isDone(): boolean {
    return this.#done;
  }

  /** It was done, or tried in vain: who waits for it goes on. */
  finish(): void {
    this.#done = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }

  finished(): Promise<void> {
    if (this.#done) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
