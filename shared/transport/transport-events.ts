/**
 * Reads a batch of events from the addon. Its layout is written by `native/src/link/events.rs`: for each event its
 * kind and its numbers, in one array; its bytes, in the same order, in another.
 */
import { Buffer } from 'node:buffer';

import { classOfUrgency } from '../model/priority-class.ts';
import type { AbortReason, CloseReason, TransportHandler } from '../ports/transport.ts';
import type { NativeBatch } from './binding.ts';

/** Ordinals as in `native/src/link/codes.rs`. */
const ABORT_REASONS: readonly AbortReason[] = [
  'closed',
  'local',
  'peer',
  'too-large',
  'source',
  'spool',
  'protocol',
];
const CLOSE_REASONS: readonly CloseReason[] = [
  'local',
  'peer',
  'idle',
  'unreachable',
  'refused',
  'pin-mismatch',
  'failed',
];
const DIGEST_BYTES = 32;

/** A handler that is also called at the endpoint's end. */
export interface EventSink extends TransportHandler {
  ended(): void;
}

class Cursor {
  readonly #numbers: Float64Array;
  readonly #bytes: Uint8Array;
  /** The same bytes, for their text. */
  readonly #text: Buffer;
  #number = 0;
  #byte = 0;

  constructor(batch: NativeBatch) {
    this.#numbers = batch.numbers;
    this.#bytes = batch.bytes;
    const { buffer, byteOffset, byteLength } = batch.bytes;
    this.#text = Buffer.from(buffer, byteOffset, byteLength);
  }

  more(): boolean {
    return this.#number < this.#numbers.length;
  }

  number(): number {
    const value = this.#numbers[this.#number++];
    if (value === undefined) throw new Error('the addon sent half an event');
    return value;
  }

  /** A copy: a header that is kept must not keep the whole batch in memory. One that is all of it is given as it is: it may be long. */
  bytes(length: number): Uint8Array {
    if (length === this.#bytes.length) return this.#bytes;
    const copy = this.#bytes.slice(this.#byte, this.#byte + length);
    this.#byte += length;
    return copy;
  }

  text(encoding: 'utf8' | 'hex', length: number): string {
    const text = this.#text.toString(encoding, this.#byte, this.#byte + length);
    this.#byte += length;
    return text;
  }
}

type Reader = (from: Cursor, to: EventSink) => () => void;

/** By kind. Each reads its event whole before anything is called: a handler that throws loses no other event. */
const READERS: ReadonlyArray<Reader | undefined> = [
  undefined,
  readConnected,
  readClosed,
  readIncoming,
  readReply,
  readContent,
  readSent,
  readAborted,
  readProgress,
  readStatistics,
  (_from, to) => () => {
    to.ended();
  },
  readPartial,
  readUnread,
];

/**
 * Calls the sink for each event of the batch, in order. What a handler throws is thrown again after the batch, on its
 * own, so that it ends the program as any uncaught error does and the other events are not lost.
 */
export function dispatch(batch: NativeBatch, sink: EventSink): void {
  const cursor = new Cursor(batch);
  while (cursor.more()) {
    const kind = cursor.number();
    const read = READERS[kind];
    if (read === undefined) throw new Error(`the addon sent an event of kind ${String(kind)}`);
    const call = read(cursor, sink);
    try {
      call();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

function readUnread(from: Cursor, to: EventSink): () => void {
  const connection = from.number();
  return () => {
    to.unread(connection);
  };
}

function readConnected(from: Cursor, to: EventSink): () => void {
  const connection = from.number();
  const inbound = from.number() === 1;
  const addressLength = from.number();
  const peer = from.text('hex', DIGEST_BYTES);
  const address = from.text('utf8', addressLength);
  return () => {
    to.connected(connection, { peer, address, inbound });
  };
}

function readClosed(from: Cursor, to: EventSink): () => void {
  const connection = from.number();
  const reason = CLOSE_REASONS[from.number()] ?? 'failed';
  const detail = from.text('utf8', from.number());
  return () => {
    to.closed(connection, reason, detail);
  };
}

function readIncoming(from: Cursor, to: EventSink): () => void {
  const connection = from.number();
  const call = from.number();
  const priorityClass = classOfUrgency(from.number()) ?? 'PREFETCH';
  const headerLength = from.number();
  const contentLength = from.number();
  const header = from.bytes(headerLength);
  return () => {
    to.incoming(connection, call, { priorityClass, header, contentLength });
  };
}

function readReply(from: Cursor, to: EventSink): () => void {
  const call = from.number();
  const headerLength = from.number();
  const contentLength = from.number();
  const header = from.bytes(headerLength);
  return () => {
    to.reply(call, { header, contentLength });
  };
}

function readContent(from: Cursor, to: EventSink): () => void {
  const call = from.number();
  const length = from.number();
  const pathLength = from.number();
  const digest = from.text('hex', DIGEST_BYTES);
  const path = from.text('utf8', pathLength);
  return () => {
    to.content(call, { path, length, digest });
  };
}

function readPartial(from: Cursor, to: EventSink): () => void {
  const call = from.number();
  const length = from.number();
  const path = from.text('utf8', from.number());
  return () => {
    to.partial(call, { path, length });
  };
}

function readSent(from: Cursor, to: EventSink): () => void {
  const call = from.number();
  const digest = from.number() === 1 ? from.text('hex', DIGEST_BYTES) : null;
  return () => {
    to.sent(call, digest);
  };
}

function readAborted(from: Cursor, to: EventSink): () => void {
  const call = from.number();
  const reason = ABORT_REASONS[from.number()] ?? 'protocol';
  const code = from.number();
  return () => {
    to.aborted(call, reason, code);
  };
}

function readProgress(from: Cursor, to: EventSink): () => void {
  const call = from.number();
  const progress = { sentBytes: from.number(), receivedBytes: from.number() };
  return () => {
    to.progress(call, progress);
  };
}

function readStatistics(from: Cursor, to: EventSink): () => void {
  const connection = from.number();
  const statistics = {
    rttMs: from.number(),
    minRttMs: from.number(),
    bytesInFlight: from.number(),
    congestionWindow: from.number(),
    sentBytes: from.number(),
    receivedBytes: from.number(),
    lostPackets: from.number(),
    bulkBytesPerSecond: from.number() || null,
  };
  return () => {
    to.statistics(connection, statistics);
  };
}
