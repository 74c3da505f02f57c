/**
 * The updates of one queue (metadata or data) that may go out now: by their turns, and in the order of the log within one.
 *
 * An update may go out when each one it waits for is a metadata update that is on its way: it names those, and the server
 * holds it until they are applied (rule W4). A store on its way is waited for here instead, because the reply to a batch
 * must not hang on a long store.
 */
import { Heap } from '../../../shared/util/heap.ts';
import { MAX_DEPENDENCIES } from '../../../shared/wire/limits.ts';
import type { LoggedUpdate, UpdateLog } from './update-log.ts';

/** Orders the updates of one queue that may be sent now, by turn and number. */
export class ReadyQueue {
  readonly #log: UpdateLog;
  readonly #heap = new Heap<LoggedUpdate>(inTurn);
  readonly #listed = new Set<LoggedUpdate>();

  constructor(log: UpdateLog) {
    this.#log = log;
  }

  /** Something changed for this update: list it if it may go out. */
  offer(entry: LoggedUpdate): void {
    if (this.#listed.has(entry) || !this.isReady(entry)) return;
    this.#listed.add(entry);
    this.#heap.push(entry);
  }

  peek(): LoggedUpdate | undefined {
    for (let entry = this.#heap.peek(); entry !== undefined; entry = this.#heap.peek()) {
      if (this.isReady(entry)) return entry;
      this.take();
    }
    return undefined;
  }

  take(): LoggedUpdate | undefined {
    const entry = this.#heap.pop();
    if (entry !== undefined) this.#listed.delete(entry);
    return entry;
  }

  /** The turns of some have changed. */
  reorder(): void {
    const listed: LoggedUpdate[] = [];
    for (let entry = this.#heap.pop(); entry !== undefined; entry = this.#heap.pop()) {
      listed.push(entry);
    }
    for (const entry of listed) this.#heap.push(entry);
  }

  /** It may go out: all that it waits for is there or, being metadata, on its way. */
  isReady(entry: LoggedUpdate): boolean {
    const { state, delayedUntil } = entry;
    if (state !== 'queued' || delayedUntil !== null) return false;
    if (this.#log.get(entry.seq) !== entry) return false;
    if (entry.waitsFor.size > MAX_DEPENDENCIES) return false;
    for (const seq of entry.waitsFor) {
      const dependency = this.#log.get(seq);
      if (dependency?.state !== 'sent' || dependency.update.op === 'store') return false;
    }
    return true;
  }
}

/** What decides which of two updates that may go out is sent first. */
export type SendOrder = Pick<LoggedUpdate, 'seq' | 'expedited' | 'queueStatus' | 'shared'>;

/** Compares two updates that may go out: one that a reader waits for is first, then the lower priority, then a shared file, then the lower number. */
export function inTurn(a: SendOrder, b: SendOrder): number {
  const expedited = Number(b.expedited) - Number(a.expedited);
  const priority = (a.queueStatus?.priority ?? 0) - (b.queueStatus?.priority ?? 0);
  return expedited || priority || Number(b.shared) - Number(a.shared) || a.seq - b.seq;
}
