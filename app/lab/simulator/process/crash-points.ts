/**
 * Where a simulated machine dies: at the nth next call of a label, before anything of it is done, in the middle of a write, or when
 * it is done and before its answer is delivered.
 *
 * Labels: `database.commit`, `files.seal`, `contents.put` ... are calls of the program to its ports; `disk.write`, `disk.sync`,
 * `disk.rename`, `disk.remove` what the stores do with the disk. `disk` means any call of the disk, `any` any call at all.
 */
import type { PortObserver } from './life.ts';

export type CrashMoment = 'before' | 'middle' | 'after';

export interface CrashPoint {
  readonly label: string;
  /** 1: the next one. */
  readonly nth: number;
  readonly moment: CrashMoment;
  readonly how: 'killed' | 'power';
}

/** What a call of a dead machine to its disk throws: nobody is there to catch it but the store. */
export class MachineStopped extends Error {
  constructor() {
    super('the machine has stopped');
    this.name = 'MachineStopped';
  }
}

/** Counts labelled calls, and lets the machine die at the one that was armed. */
export class CrashPoints {
  readonly #die: (how: CrashPoint['how']) => void;
  #armed: { readonly point: CrashPoint; left: number } | null = null;

  constructor(die: (how: CrashPoint['how']) => void) {
    this.#die = die;
  }

  get armed(): boolean {
    return this.#armed !== null;
  }

  /** One at a time; null: none. */
  arm(point: CrashPoint | null): void {
    this.#armed = point === null ? null : { point, left: point.nth };
  }

  /** Counts a call. Gives when the machine dies at this one; it has died where that is `before`. */
  called(label: string): CrashMoment | null {
    const armed = this.#armed;
    if (armed === null || !fits(armed.point.label, label)) return null;
    armed.left -= 1;
    if (armed.left > 0) return null;
    if (armed.point.moment === 'before') this.die();
    return armed.point.moment;
  }

  /** It is there. */
  die(): void {
    const armed = this.#armed;
    this.#armed = null;
    if (armed !== null) this.#die(armed.point.how);
  }

  /** For a port: its calls have the name of the port before them. What gives an answer at once is no step of anything. */
  witness(port: string, methods: ReadonlySet<string>, next: PortObserver = {}): PortObserver {
    const dying = new Set<readonly unknown[]>();
    return {
      asked: (method, given) => {
        next.asked?.(method, given);
        if (!methods.has(method)) return;
        const moment = this.called(`${port}.${method}`);
        if (moment !== null && moment !== 'before') dying.add(given);
      },
      done: (method, given) => {
        next.done?.(method, given);
        if (dying.delete(given)) this.die();
      },
    };
  }
}

function fits(wanted: string, label: string): boolean {
  return wanted === 'any' || wanted === label || label.startsWith(`${wanted}.`);
}
