/** A request or a reply on its way out: a header, then content read from a file as it leaves. */
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import type { OpenedFile } from '../disk/memory-disk.ts';

/** The length prefix, and the kind and class of a frame. */
const PREFIX_BYTES = 8;

export interface FrameContent {
  readonly file: OpenedFile;
  readonly offset: number;
  readonly length: number;
}

/** A part of a frame that travels as one. */
export interface Packet {
  readonly frame: OutgoingFrame;
  readonly bytes: number;
  /** The header is complete with this packet. */
  readonly announces: boolean;
  /** The content bytes in it. */
  readonly content: Uint8Array;
  readonly last: boolean;
  /** In one datagram with the packet before it: it adds no overhead and no acknowledgement. The pipe sets this. */
  goesAlong: boolean;
}

const NO_BYTES = new Uint8Array(0);

/** Cuts a request or reply into packets, and reads its content as they leave. */
export class OutgoingFrame {
  readonly kind: 'request' | 'reply';
  /** Names the stream: the same object for both directions of one RPC. */
  readonly stream: object;
  readonly header: Uint8Array;
  readonly contentLength: number;
  /** As carried to the peer: what it was when the first byte left. */
  priorityClass: PriorityClass;
  readonly #content: FrameContent | null;
  #left = 0;

  constructor(
    { kind, stream }: { readonly kind: 'request' | 'reply'; readonly stream: object },
    priorityClass: PriorityClass,
    header: Uint8Array,
    content: FrameContent | null,
  ) {
    this.kind = kind;
    this.stream = stream;
    this.priorityClass = priorityClass;
    this.header = header;
    this.#content = content;
    this.contentLength = content?.length ?? 0;
  }

  get bytes(): number {
    return PREFIX_BYTES + this.header.length + this.contentLength;
  }

  /** Bytes that have not left yet. */
  get remaining(): number {
    return this.bytes - this.#left;
  }

  /** Of its header and what is before that. */
  get headerRemaining(): number {
    return Math.max(PREFIX_BYTES + this.header.length - this.#left, 0);
  }

  /** Takes the next bytes, at most `limit`. Null: the content's file is shorter than announced. */
  cut(limit: number): Packet | null {
    const head = PREFIX_BYTES + this.header.length;
    const start = this.#left;
    const end = Math.min(this.bytes, start + limit);
    const content = this.#slice(Math.max(start - head, 0), Math.max(end - head, 0));
    if (content === null) return null;
    this.#left = end;
    return {
      frame: this,
      bytes: end - start,
      announces: start < head && end >= head,
      content,
      last: end === this.bytes,
      goesAlong: false,
    };
  }

  #slice(from: number, to: number): Uint8Array | null {
    if (this.#content === null || from === to) return NO_BYTES;
    const { file, offset } = this.#content;
    const bytes = file.bytes();
    return bytes.length < offset + to ? null : bytes.subarray(offset + from, offset + to);
  }
}
