/**
 * Short files that come together (StoreMany): for the core each is a Store of its own, with a call that is ours alone; here they are taken
 * apart, and their answers put together again.
 *
 * Invariants
 * 1. The peer's call is answered once: when all of its stores are, or a moment after the first where others wait for something. Those have no
 *    answer in it; the core hears that their calls have ended, and the device asks again. So it does for answers that the message has no room for.
 * 2. Bytes in memory are bounded: so many messages are taken apart at a time, each until the core has put all of it away.
 * 3. What the core knows as the path of a content is a name of ours for bytes in memory; it comes back in one `keep` or `discard`.
 */
import type { Duration } from '../../shared/model/time.ts';
import type { TimerHandle, Timers } from '../../shared/ports/clock.ts';
import type { CallId, ConnectionId, ReceivedContent } from '../../shared/ports/transport.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { ContentPart, StreamFiles } from '../../shared/ports/stream-files.ts';
import { Semaphore } from '../../shared/concurrency/semaphore.ts';
import { GodwitError, type ErrorCode } from '../../shared/wire/error-codes.ts';
import { MAX_BYTES_TOGETHER, MAX_STORE_TOGETHER } from '../../shared/wire/limits.ts';
import type { ReplyOf, RequestOf } from '../../shared/wire/rpcs.ts';
import type { Effect, ServerEvent } from '../core/events.ts';
import { fitting, ITEM_BYTES, weightOfResult } from '../core/read/page-weight.ts';
import { MAX_TAKEN_APART, TOGETHER_PATIENCE } from '../limits.ts';

type Answer = Extract<Effect, { kind: 'reply' | 'fail' }>;
type Together = RequestOf<'StoreMany'>;
type Result = ReplyOf<'StoreMany'>['results'][number];

export interface Answered {
  readonly call: CallId;
  readonly body: ReplyOf<'StoreMany'>;
  readonly afterBreak: number;
}

interface Ports {
  readonly files: StreamFiles;
  readonly timers: Timers;
  readonly log: Log;
  readonly feed: (event: ServerEvent) => void;
  readonly reply: (answered: Answered) => void;
}

/** One message. */
interface Running {
  readonly call: CallId;
  readonly sizes: readonly number[];
  /** Of each store, as the core knows it. */
  readonly calls: readonly CallId[];
  readonly results: Array<Result>;
  left: number;
  /** Of each, what the last answer said that told of it. */
  about: Pick<ReplyOf<'StoreMany'>, 'rooms' | 'orders'>;
  afterBreak: number;
  /** Its contents are with the core, or it has none. */
  isHere: boolean;
  timer: TimerHandle | null;
}

interface Held {
  readonly bytes: Uint8Array;
  readonly released: () => void;
}

const PATIENCE: Duration = TOGETHER_PATIENCE;

/** Splits StoreMany into single stores for the core, and joins their answers. */
export class StoreUnbatcher {
  readonly #ports: Ports;
  readonly #running = new Map<CallId, Running>();
  /** By the call that the core knows. */
  readonly #ofCall = new Map<CallId, { readonly running: Running; readonly index: number }>();
  readonly #held = new Map<string, Held>();
  readonly #slots = new Semaphore(MAX_TAKEN_APART);
  #lastCall = 0;
  #lastName = 0;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Messages that have no answer, and contents in memory, for those who look for leaks. */
  get left(): number {
    return this.#running.size + this.#held.size;
  }

  /** False: its lengths do not fit. */
  begins(connection: ConnectionId, call: CallId, body: Together, contentLength: number): boolean {
    const { stores, overtaken, ...about } = body;
    const sizes = stores.map(({ update }) => update.size);
    const all = sizes.reduce((sum, size) => sum + size, 0);
    if (all !== contentLength || all > MAX_BYTES_TOGETHER) return false;
    if (sizes.some((size) => size > MAX_STORE_TOGETHER)) return false;
    const calls = stores.map(() => (this.#lastCall -= 1));
    const results = stores.map(() => null);
    const waiting = {
      left: calls.length,
      about: {},
      afterBreak: 0,
      isHere: all === 0,
      timer: null,
    };
    const running: Running = { call, sizes, calls, results, ...waiting };
    this.#running.set(call, running);
    for (const [index, each] of calls.entries()) this.#ofCall.set(each, { running, index });
    for (const [index, store] of stores.entries()) {
      const told = index === 0 && overtaken !== undefined ? { overtaken } : {};
      this.#ports.feed({
        kind: 'request',
        connection,
        call: calls[index] as CallId,
        request: { rpc: 'Store', body: { ...about, ...store, ...told } },
        contentLength: store.update.size,
      });
    }
    return true;
  }

  /** False: it is of no message of ours. */
  arrived(call: CallId, content: ReceivedContent): boolean {
    const running = this.#running.get(call);
    if (running === undefined) return false;
    void this.#slots.run(() => this.#takeApart(running, content.path));
    return true;
  }

  /** True: it was the answer to a store of ours. */
  answered(answer: Answer): boolean {
    const of = this.#ofCall.get(answer.call);
    if (of === undefined) return answer.call < 0;
    const { running, index } = of;
    this.#ofCall.delete(answer.call);
    running.results[index] = resultOf(answer);
    running.left -= 1;
    running.afterBreak = Math.max(running.afterBreak, answer.afterBreak ?? 0);
    if (answer.kind === 'reply' && answer.reply.rpc === 'Store') {
      const { rooms, orders } = answer.reply.body;
      running.about = { ...running.about, ...(rooms && { rooms }), ...(orders && { orders }) };
    }
    if (running.left === 0) this.#reply(running);
    else if (running.isHere) this.#waitALittle(running);
    return true;
  }

  /** The peer's call has ended without an answer. False: it is none of ours. */
  aborted(call: CallId, withdrawn: boolean): boolean {
    const running = this.#running.get(call);
    if (running === undefined) return false;
    this.#end(running);
    this.#letGo(running, withdrawn);
    return true;
  }

  /** The bytes behind a path that we made up; null: it is none of ours. */
  bytesAt(path: string): Uint8Array | null {
    return this.#held.get(path)?.bytes ?? null;
  }

  /** They are put away, or not wanted. False: it is no path of ours. */
  release(path: string): boolean {
    const held = this.#held.get(path);
    if (held === undefined) return false;
    this.#held.delete(path);
    held.released();
    return true;
  }

  /** When all of it has been put away, or was not wanted. */
  async #takeApart(running: Running, path: string): Promise<void> {
    const { files } = this.#ports;
    let parts: ContentPart[] = [];
    let code: ErrorCode | null = null;
    try {
      if (running.left > 0) parts = await files.readParts(path, running.sizes);
    } catch (error) {
      code = error instanceof GodwitError ? error.code : 'internal';
      this.#ports.log.error('stores that came together could not be read', {
        code,
        error: String(error),
      });
    }
    await files.discard(path).catch((error: unknown) => {
      this.#ports.log.warn('a spool file could not be removed', { error: String(error) });
    });
    if (code !== null) return this.#notKept(running, code);
    await Promise.all(parts.map((part, index) => this.#handOver(running, index, part)));
    running.isHere = true;
    if (running.left > 0 && running.left < running.calls.length) this.#waitALittle(running);
  }

  /** Nothing is lacking of a store that is answered already, or has no contents. */
  #handOver(running: Running, index: number, { bytes, digest }: ContentPart): Promise<void> {
    const call = running.calls[index] as CallId;
    if (!this.#ofCall.has(call) || bytes.length === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const path = `together-${(this.#lastName += 1)}`;
    this.#held.set(path, { bytes, released: resolve });
    this.#ports.feed({ kind: 'content', call, path, length: bytes.length, digest });
    return promise;
  }

  #notKept({ calls }: Running, code: ErrorCode): void {
    for (const call of calls) {
      if (this.#ofCall.has(call)) this.#ports.feed({ kind: 'not-kept', call, code });
    }
  }

  #waitALittle(running: Running): void {
    running.timer ??= this.#ports.timers.start(PATIENCE, () => {
      running.timer = null;
      this.#reply(running);
      this.#letGo(running, false);
    });
  }

  #reply(running: Running): void {
    const { call, about, afterBreak } = running;
    if (!this.#running.has(call)) return;
    this.#end(running);
    const { length } = fitting(running.results, weightOf);
    const results = running.results.map((result, index) => (index < length ? result : null));
    this.#ports.reply({ call, body: { results, ...about }, afterBreak });
  }

  #end(running: Running): void {
    running.timer?.cancel();
    running.timer = null;
    this.#running.delete(running.call);
  }

  /** What of it has no answer is asked for again, or is not wanted any more. */
  #letGo({ calls }: Running, withdrawn: boolean): void {
    for (const call of calls) {
      if (!this.#ofCall.delete(call)) continue;
      this.#ports.feed({ kind: 'aborted', call, withdrawn });
    }
  }
}

function resultOf(answer: Answer): Result {
  if (answer.kind === 'fail') return { code: answer.code, detail: answer.detail };
  const { reply } = answer;
  if (reply.rpc !== 'Store') throw new TypeError('a store is answered as one');
  const { result, shared } = reply.body;
  return shared === undefined ? { result } : { result, shared };
}

function weightOf(result: Result): number {
  return result !== null && 'result' in result ? weightOfResult(result.result) : ITEM_BYTES;
}
