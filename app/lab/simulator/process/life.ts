/**
 * The life of a simulated process, and ports that end with it.
 *
 * A killed program stops between two instructions. Here it stops where it waits: what it asked of the world
 * may have been done or not, but no answer reaches it, and so nothing of it runs again. Its ports are wrapped for that.
 */
import type { Later } from '../clock/later.ts';
import type { VirtualTime } from '../clock/virtual-time.ts';

/** Tells when a simulated process ends, and runs what is to be done then. */
export class ProcessLife {
  readonly #ended = Promise.withResolvers<void>();
  #over = false;
  readonly #atEnd: Array<() => void> = [];

  get over(): boolean {
    return this.#over;
  }

  /** Resolves when it is over. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Runs when it ends, the last one asked for first. */
  atEnd(run: () => void): void {
    this.#atEnd.unshift(run);
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    for (const run of this.#atEnd.splice(0)) run();
    this.#ended.resolve();
  }
}

/** What of a process waits for its turn, and is not done where the process has ended by then. */
export function whileAlive(life: ProcessLife, later: Later): Later {
  return (run, syncs) => {
    later(() => {
      if (!life.over) run();
    }, syncs);
  };
}

export interface Slowness {
  readonly time: VirtualTime;
  /** How late an answer is, in milliseconds; 0: at once. */
  readonly delayMs: (method: string) => number;
}

/** Who wants to be there when a port is called: to end the life just then, for one. */
export interface PortObserver {
  /** Before anything is done. */
  asked?(method: string, given: readonly unknown[]): void;
  /** Runs when the call is done, before its caller learns of it. */
  done?(method: string, given: readonly unknown[]): void;
}

type Method = (...given: unknown[]) => unknown;

const never = (): Promise<never> => new Promise(() => {});

/** A port as a process sees it. After its end no call reaches the port, and no answer comes back. */
export function portOf<T extends object>(
  port: T,
  name: string,
  life: ProcessLife,
  { slowness = null, witness = {} }: { slowness?: Slowness | null; witness?: PortObserver } = {},
): T {
  const deliver = (method: string, answer: () => void): void => {
    const live = (): void => {
      if (!life.over) answer();
    };
    const delayMs = slowness?.delayMs(method) ?? 0;
    if (slowness === null || delayMs <= 0) live();
    else slowness.time.in(delayMs, `${name}.${method}`, live);
  };
  const call = (target: T, method: string, value: Method, given: unknown[]): unknown => {
    if (!life.over) witness.asked?.(method, given);
    if (life.over) return never();
    const result: unknown = Reflect.apply(value, target, given);
    if (!isThenable(result)) return result;
    return new Promise((resolve, reject) => {
      result.then(
        (answer) => {
          if (!life.over) witness.done?.(method, given);
          deliver(method, () => resolve(answer));
        },
        (error: Error) => deliver(method, () => reject(error)),
      );
    });
  };
  /** Made at the first use of each method; another one where somebody has put another method in place. */
  const wrapped = new Map<PropertyKey, { readonly value: Method; readonly wrapper: Method }>();
  return new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      const known = wrapped.get(key);
      if (known?.value === value) return known.wrapper;
      const method = String(key);
      const wrapper: Method = (...given) => call(target, method, value as Method, given);
      wrapped.set(key, { value: value as Method, wrapper });
      return wrapper;
    },
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value;
}
