/**
 * Reads the records of a pack one after the other, without ever holding more of it than a window: a pack may have 64 MiB and a
 * damaged length may claim 4 GiB.
 *
 * Behind something damaged the next record is found by the mark. A record whose header is whole says how long it is; that is believed
 * only where another record, or the end, follows: what was written behind a body that was cut is found as well.
 */
import { crc32 } from 'node:zlib';
import type { Digest } from '../../../shared/model/vnode.ts';
import { decodeHeader, HEADER_BYTES, MARK_BYTES, type Found, type Header } from './record.ts';

/** An open pack, of which a part is read into a buffer. Gives how many bytes: less than it takes where the pack ends before. */
export interface Readable {
  readInto(buffer: Buffer, at: number): Promise<number>;
}

/** Bytes that are no whole record. */
export interface Stray {
  readonly kind: 'stray';
  readonly at: number;
  readonly bytes: number;
  /** What its header says it was; null: that is damaged too. */
  readonly digest: Digest | null;
}

export type Piece = { readonly kind: 'record'; readonly record: Found } | Stray;

export const WINDOW_BYTES = 256 * 1024;

/** All that lies from `from` up to `end`, in order and without a gap. */
export async function* readRecords(
  pack: Readable,
  mark: Uint8Array,
  from: number,
  end: number,
): AsyncGenerator<Piece, void, undefined> {
  const view = new View(pack, Buffer.from(mark), end);
  for (let at = from; at < end;) {
    const header = await view.header(at);
    const after = at + HEADER_BYTES + (header?.length ?? 0);
    if (header !== null && (await view.isWhole(at, header))) {
      if (header.kind === null) yield stray(at, after - at, null);
      else yield { kind: 'record', record: found(header, header.kind, at) };
      at = after;
      continue;
    }
    const isFollowed = header !== null && (after === end || (await view.header(after)) !== null);
    const next = isFollowed ? after : await view.nextMark(at + 1);
    yield stray(at, next - at, header?.kind === 'content' ? header.digest : null);
    at = next;
  }
}

function found(header: Header, kind: Found['kind'], at: number): Found {
  const { digest, when, length } = header;
  return { kind, digest, when, offset: at + HEADER_BYTES, length };
}

const stray = (at: number, bytes: number, digest: Digest | null): Stray => ({
  ...{ kind: 'stray', at, bytes, digest },
});

class View {
  readonly #pack: Readable;
  readonly #mark: Buffer;
  readonly #end: number;
  /** One for all: what is given out of it counts until the next call. */
  readonly #buffer: Buffer;
  #window: Buffer;
  #at = 0;

  constructor(pack: Readable, mark: Buffer, end: number) {
    this.#pack = pack;
    this.#mark = mark;
    this.#end = end;
    this.#buffer = Buffer.allocUnsafe(WINDOW_BYTES);
    this.#window = this.#buffer.subarray(0, 0);
  }

  async header(at: number): Promise<Header | null> {
    if (at + HEADER_BYTES > this.#end) return null;
    return decodeHeader(await this.#bytes(at, HEADER_BYTES), this.#mark);
  }

  async isWhole(at: number, { length, checksum }: Header): Promise<boolean> {
    const end = at + HEADER_BYTES + length;
    if (end > this.#end) return false;
    let sum = 0;
    for (let from = at + HEADER_BYTES; from < end;) {
      const part = await this.#bytes(from, Math.min(WINDOW_BYTES, end - from));
      if (part.length === 0) return false;
      sum = crc32(part, sum);
      from += part.length;
    }
    return sum === checksum;
  }

  /** Where the next mark begins; the end where there is none. */
  async nextMark(from: number): Promise<number> {
    for (let at = from; at + MARK_BYTES <= this.#end;) {
      const part = await this.#bytes(at, Math.min(WINDOW_BYTES, this.#end - at));
      const found = part.indexOf(this.#mark);
      if (found >= 0) return at + found;
      if (part.length < MARK_BYTES) break;
      at += part.length - MARK_BYTES + 1;
    }
    return this.#end;
  }

  /** Up to `length` bytes, a window at most. */
  async #bytes(at: number, length: number): Promise<Buffer> {
    const isHere = at >= this.#at && at + length <= this.#at + this.#window.length;
    if (!isHere) {
      const wanted = this.#buffer.subarray(0, Math.min(WINDOW_BYTES, this.#end - at));
      const read = await this.#pack.readInto(wanted, at);
      this.#window = wanted.subarray(0, read);
      this.#at = at;
    }
    return this.#window.subarray(at - this.#at, at - this.#at + length);
  }
}
