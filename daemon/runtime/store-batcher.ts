/**
 * Short files on their way together: stores that the core sends one by one leave as one StoreMany, which costs both sides little more than
 * one Store. The core gets one outcome for each.
 *
 * Invariants
 * 1. Stores leave in the order they were asked for; one that goes alone does not overtake those that are being put together.
 * 2. Each ends once: by its part of the reply, by a Store of its own if the reply lacks it, or with its connection.
 */
import { moreUrgent, type PriorityClass } from '../../shared/model/priority-class.ts';
import type { FileStore } from '../../shared/ports/file-store.ts';
import type { AbortReason, ContentSource } from '../../shared/ports/transport.ts';
import type { Log } from '../../shared/ports/log.ts';
import { isErrorCode } from '../../shared/wire/error-codes.ts';
import * as limits from '../../shared/wire/limits.ts';
import type { ReplyOf, RequestOf } from '../../shared/wire/rpcs.ts';
import type { AnyRpc } from '../core/effects.ts';
import type { RpcReply, RequestId } from '../core/events.ts';
import type { Answer, RequestEffect } from './transfers/conversation.ts';

type Body = RequestOf<'Store'>;

/** A store that is asked for. */
interface Store {
  readonly effect: RequestEffect;
  readonly body: Body;
  readonly name: string;
  readonly length: number;
  priorityClass: PriorityClass;
  isStopped: boolean;
}

interface BatcherPorts {
  readonly fileStore: Pick<FileStore, 'join' | 'discard'>;
  readonly log: Log;
  readonly alone: (effect: RequestEffect, priorityClass: PriorityClass) => void;
  readonly call: (
    requests: readonly RequestId[],
    message: AnyRpc,
    how: { readonly priorityClass: PriorityClass; readonly content: ContentSource },
    ended: (answer: Answer) => void,
  ) => void;
  readonly answered: (request: RequestId, reply: RpcReply, moved: number) => void;
  readonly aborted: (request: RequestId, reason: AbortReason) => void;
}

/**
 * Batches stores of short files into StoreMany messages; large ones, and those an old server
 * refuses, go alone.
 */
export class StoreBatcher {
  readonly #ports: BatcherPorts;
  #waiting: Store[] = [];
  /** Those that are being put together. */
  #joining: readonly Store[] = [];
  #isRunning = false;
  /** Whether the server understands it, as far as is known. */
  #isUnderstood = true;
  #connection = 0;

  constructor(ports: BatcherPorts) {
    this.#ports = ports;
  }

  /** True: it leaves soon. False: it is no store with contents, or need not wait for others. */
  takes(effect: RequestEffect): boolean {
    const { message, content, priorityClass } = effect;
    if (message.rpc !== 'Store' || content === null) return false;
    const { name, length } = content;
    const { body } = message;
    const store = { effect, body, name, length, priorityClass, isStopped: false };
    if (!this.#isRunning && !this.#isShort(store)) return false;
    this.#waiting.push(store);
    if (!this.#isRunning) {
      this.#isRunning = true;
      void this.#run();
    }
    return true;
  }

  /** Where it has not left yet it leaves in another class. */
  raise(request: RequestId, priorityClass: PriorityClass): void {
    const store = this.#notLeft(request);
    if (store !== undefined) store.priorityClass = priorityClass;
  }

  /** Where it has not left yet it does not leave. A short file that has left with others ends as they do. */
  stop(request: RequestId): void {
    const store = this.#notLeft(request);
    if (store === undefined) return;
    store.isStopped = true;
    if (this.#joining.includes(store)) return;
    this.#waiting.splice(this.#waiting.indexOf(store), 1);
    this.#ports.aborted(request, 'local');
  }

  /** The connection has ended: what has not left is aborted. */
  closed(): void {
    this.#connection += 1;
    this.#isUnderstood = true;
    const left = [...this.#joining, ...this.#waiting];
    this.#joining = [];
    this.#waiting = [];
    for (const { effect } of left) this.#ports.aborted(effect.request, 'closed');
  }

  #notLeft(request: RequestId): Store | undefined {
    const isIt = ({ effect }: Store): boolean => effect.request === request;
    return this.#waiting.find(isIt) ?? this.#joining.find(isIt);
  }

  #isShort({ length }: Store): boolean {
    return this.#isUnderstood && length <= limits.MAX_STORE_TOGETHER;
  }

  async #run(): Promise<void> {
    // All that is sent by one step goes together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup();
      if (group.length === 1) this.#sendAlone(group);
      else await this.#sendTogether(group);
    }
    this.#isRunning = false;
  }

  #nextGroup(): Store[] {
    const [first] = this.#waiting;
    if (first === undefined || !this.#isShort(first)) return this.#waiting.splice(0, 1);
    let bytes = 0;
    let marks = 0;
    const end = this.#waiting.findIndex((store, index) => {
      bytes += store.length;
      marks += store.body.overtaken?.length ?? 0;
      const isLike =
        store.priorityClass === first.priorityClass && store.body.volume === first.body.volume;
      const fits =
        index < limits.MAX_STORES_TOGETHER &&
        bytes <= limits.MAX_BYTES_TOGETHER &&
        marks <= limits.MAX_MARKS;
      return !isLike || !this.#isShort(store) || !fits;
    });
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(end, 1));
  }

  #sendAlone(stores: readonly Store[]): void {
    for (const { effect, priorityClass, isStopped } of stores) {
      if (isStopped) this.#ports.aborted(effect.request, 'local');
      else this.#ports.alone(effect, priorityClass);
    }
  }

  async #sendTogether(group: readonly Store[]): Promise<void> {
    const { fileStore, log } = this.#ports;
    const connection = this.#connection;
    this.#joining = group;
    const path = await fileStore
      .join(group.map(({ name, length }) => ({ name, length })))
      .catch((error: unknown) => {
        // Which of them can't be read shows when it goes alone.
        log.warn('files could not be put together', { error: String(error) });
        return null;
      });
    if (connection !== this.#connection) return this.#discard(path);
    this.#joining = [];
    if (path === null) return this.#sendAlone(group);
    if (group.some(({ isStopped }) => isStopped)) {
      this.#discard(path);
      return this.#sendAlone(group);
    }
    const length = group.reduce((sum, store) => sum + store.length, 0);
    this.#ports.call(
      group.map(({ effect }) => effect.request),
      { rpc: 'StoreMany', body: together(group) },
      { priorityClass: mostUrgent(group), content: { path, offset: 0, length } },
      (answer) => {
        this.#discard(path);
        if (answer.kind === 'aborted') this.#aborted(group, answer);
        else this.#answered(group, answer.reply);
      },
    );
  }

  #aborted(
    group: readonly Store[],
    { reason, partial }: Extract<Answer, { kind: 'aborted' }>,
  ): void {
    this.#discard(partial?.path ?? null);
    if (reason === 'source') return this.#again(group);
    for (const { effect } of group) this.#ports.aborted(effect.request, reason);
  }

  #answered(group: readonly Store[], reply: RpcReply): void {
    if (!reply.ok && reply.code === 'bad-message') {
      this.#isUnderstood = false;
      return this.#again(group);
    }
    if (!reply.ok) {
      for (const { effect } of group) this.#ports.answered(effect.request, reply, 0);
      return;
    }
    const { results, ...about } = reply.body as ReplyOf<'StoreMany'>;
    const { afterBreak } = reply;
    const after = afterBreak === undefined ? {} : { afterBreak };
    const untold: Store[] = [];
    for (const [index, store] of group.entries()) {
      const result = results[index] ?? null;
      const { request } = store.effect;
      if (result === null) untold.push(store);
      else if ('code' in result) {
        const code = isErrorCode(result.code) ? result.code : 'internal';
        this.#ports.answered(request, { ok: false, code, detail: result.detail, ...after }, 0);
      } else {
        const body: ReplyOf<'Store'> = { ...result, ...about };
        this.#ports.answered(request, { ok: true, body, ...after }, store.length);
      }
    }
    this.#again(untold);
  }

  /** Each by itself. */
  #again(stores: readonly Store[]): void {
    this.#sendAlone(stores);
  }

  #discard(path: string | null): void {
    if (path !== null) void this.#ports.fileStore.discard(path).catch(() => undefined);
  }
}

/** Any of them may have been raised while they were put together. */
function mostUrgent(group: readonly Store[]): PriorityClass {
  return group.map(({ priorityClass }) => priorityClass).reduce(moreUrgent);
}

/** The low water is that of the first: that of a later one may have passed what was logged before. */
function together(group: readonly Store[]): RequestOf<'StoreMany'> {
  const bodies = group.map(({ body }) => body);
  const [first] = bodies as [Body];
  const { volume, lowWater } = first;
  const overtaken = bodies.flatMap((body) => body.overtaken ?? []);
  const stores = bodies.map(({ seq, name, after, afterNames, update }) => {
    const named = { ...(name !== undefined && { name }), ...(afterNames && { afterNames }) };
    return { seq, ...named, after, update };
  });
  return { volume, lowWater, stores, ...(overtaken.length > 0 && { overtaken }) };
}
