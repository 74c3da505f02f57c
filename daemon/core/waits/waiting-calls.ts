/**
 * Calls that can't be answered yet. Each waits for named facts (wait-key.ts); when one of
 * them changes the call is attempted again from its beginning. An attempt changes nothing before it has all it needs.
 */
import type { Instant } from '../../../shared/model/time.ts';
import type { Call, RequestId } from '../events.ts';
import { noteWait, type WaitedFor } from './look-counts.ts';
import { textOf, type WaitKey } from './wait-key.ts';

export interface WaitingCall {
  /** The caller's number for it. */
  readonly call: number;
  readonly what: Call;
  /** When it came, in the series of requests. */
  readonly requestId: RequestId;
  readonly since: Instant;
  /** It waits for the server as long as it takes (the feed), instead of failing `not-connected`. */
  readonly patient: boolean;
  /** A program asks, and not the folder. */
  readonly byProgram: boolean;
  /** The most that it had to wait for so far (look-counts.ts). */
  waitedFor: WaitedFor;
}

/** Keeps the unanswered calls, and says which of them to attempt again. */
export class WaitingCalls {
  readonly #calls = new Map<number, WaitingCall>();
  readonly #keys = new Map<number, readonly WaitKey[]>();
  readonly #byKey = new Map<string, Set<number>>();
  readonly #ready = new Map<number, WaitingCall>();

  /** A call that is to be attempted. */
  begin(call: WaitingCall): void {
    this.#calls.set(call.call, call);
    this.#ready.set(call.call, call);
  }

  get(call: number): WaitingCall | undefined {
    return this.#calls.get(call);
  }

  all(): IterableIterator<WaitingCall> {
    return this.#calls.values();
  }

  /** The attempt ended with these facts missing. */
  wait(call: number, keys: readonly WaitKey[]): void {
    const waiting = this.#calls.get(call);
    if (waiting !== undefined) noteWait(waiting, keys);
    this.#unkey(call);
    this.#keys.set(call, keys);
    for (const key of keys) {
      const text = textOf(key);
      const others = this.#byKey.get(text);
      if (others === undefined) this.#byKey.set(text, new Set([call]));
      else others.add(call);
    }
  }

  isAwaited(key: WaitKey): boolean {
    return (this.#byKey.get(textOf(key))?.size ?? 0) > 0;
  }

  /** The calls that wait for a fact, in the order they came. */
  waitingOn(key: WaitKey): WaitingCall[] {
    const calls = [...(this.#byKey.get(textOf(key)) ?? [])].map((call) => this.#calls.get(call));
    return calls.filter((call) => call !== undefined).sort((a, b) => a.requestId - b.requestId);
  }

  /** The call has its answer. */
  end(call: number): void {
    this.#unkey(call);
    this.#calls.delete(call);
    this.#ready.delete(call);
  }

  signal(key: WaitKey): void {
    for (const call of this.#byKey.get(textOf(key)) ?? []) this.wake(call);
  }

  /** All that wait for facts; not those whose files are being worked on. */
  signalAll(): void {
    for (const call of this.#calls.keys()) this.wake(call);
  }

  /** The calls to attempt now, in the order they came. */
  takeReady(): WaitingCall[] {
    if (this.#ready.size === 0) return [];
    const ready = [...this.#ready.values()].sort((a, b) => a.requestId - b.requestId);
    this.#ready.clear();
    return ready;
  }

  /** The calls that wait for a fact, and not as long as it takes, in the order they came. */
  impatient(): WaitingCall[] {
    return [...this.#calls.values()].filter(({ call, patient }) => {
      return !patient && this.#isWaiting(call);
    });
  }

  wake(call: number): void {
    const waiting = this.#calls.get(call);
    if (waiting !== undefined && this.#isWaiting(call)) this.#ready.set(call, waiting);
  }

  #isWaiting(call: number): boolean {
    return (this.#keys.get(call)?.length ?? 0) > 0;
  }

  #unkey(call: number): void {
    for (const key of this.#keys.get(call) ?? []) {
      const text = textOf(key);
      const waiting = this.#byKey.get(text);
      waiting?.delete(call);
      if (waiting?.size === 0) this.#byKey.delete(text);
    }
    this.#keys.delete(call);
  }
}
