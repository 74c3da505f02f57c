/** Turns calls of the ports into events, and the core's answers into the ends of their promises. */
import type { ErrorCode } from '../../shared/wire/error-codes.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { Call, Event } from '../core/events.ts';

/** Until when an answer waits: a program's for what a killed daemon has still, all others for what a loss of power leaves. */
export type AnsweredWhen = 'recorded' | 'durable';

interface Waiting {
  readonly when: AnsweredWhen;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Posts each call to the core as an event and settles its promise when the core answers. After
 * `close` all calls reject.
 */
export class CallBroker {
  readonly #post: (event: Event) => void;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #closed = false;

  constructor(post: (event: Event) => void) {
    this.#post = post;
  }

  /** Rejects with `signal`'s reason when it is aborted first. */
  async call<T>(
    what: Call,
    signal: AbortSignal | null = null,
    when: AnsweredWhen = 'durable',
  ): Promise<T> {
    signal?.throwIfAborted();
    if (this.#closed) throw new GodwitError('not-running', 'the daemon is closing down');
    this.#last += 1;
    const id = this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const cancel = (): void => {
      if (!this.#waiting.delete(id)) return;
      this.#post({ kind: 'cancel', call: id });
      reject(signal?.reason);
    };
    this.#waiting.set(id, { when, resolve: resolve as (value: unknown) => void, reject });
    signal?.addEventListener('abort', cancel);
    try {
      const byProgram = when === 'recorded';
      this.#post({ kind: 'call', call: id, what, ...(byProgram ? { byProgram } : {}) });
      return await promise;
    } finally {
      this.#waiting.delete(id);
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Its answer need not be durable. */
  isEarly(call: number): boolean {
    return this.#waiting.get(call)?.when === 'recorded';
  }

  /** False: the caller has gone since, and does not get it. */
  answer(call: number, value: unknown): boolean {
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    waiting?.resolve(value);
    return waiting !== undefined;
  }

  refuse(call: number, code: ErrorCode, message: string, remedy?: string): void {
    this.#waiting.get(call)?.reject(refusal(code, message, remedy));
  }

  /** Ends every call that waits. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.values()) {
      reject(new GodwitError('not-running', 'the daemon is closing down'));
    }
    this.#waiting.clear();
  }
}

/**
 * Without a stack: it would show the event loop and not who called, and a file system answers `not-found` more often than
 * anything else.
 */
function refusal(code: ErrorCode, message: string, remedy?: string): GodwitError {
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  const error = new GodwitError(code, message, remedy);
  Error.stackTraceLimit = usual;
  return error;
}
