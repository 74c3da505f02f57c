/**
 * How the simulated world cuts contents and tells one by another: as the addon does it, in chunks so small that the small contents of
 * a run are cut too. What it writes down is no format of the product.
 */
import { GodwitError } from '../../../../shared/wire/error-codes.ts';

const LIST_VERSION = 0x4c;
const DELTA_VERSION = 0x44;
/** An average chunk of short contents; long ones have fewer than so many. */
const LEAST_AVERAGE = 16;
const MOST_AVERAGE = 2 ** 16;
const CHUNKS = 1024;
const DIGEST_BYTES = 16;

interface Chunk {
  readonly offset: number;
  readonly length: number;
  /** A character for each byte. */
  readonly digest: string;
}

export interface ChunkList {
  readonly average: number;
  readonly length: number;
  readonly chunks: readonly Chunk[];
}

/** Bytes of the base, or (`base` false) of the contents. */
interface Range {
  readonly base: boolean;
  offset: number;
  length: number;
}

/**
 * Cuts contents into chunks by their bytes. `average`: bytes of a chunk; null: as fits the length.
 */
export function chunkList(contents: Uint8Array, average: number | null): ChunkList {
  const size = average ?? averageFor(contents.length);
  const chunks: Chunk[] = [];
  for (let offset = 0; offset < contents.length;) {
    const length = chunkLength(contents, offset, size);
    const digest = digestOf(contents, offset, offset + length);
    chunks.push({ offset, length, digest });
    offset += length;
  }
  return { average: size, length: contents.length, chunks };
}

/** Writes a chunk list as bytes. */
export function encodeList({ average, chunks }: ChunkList): Uint8Array {
  const out = [LIST_VERSION];
  putNumber(out, average);
  for (const { length, digest } of chunks) {
    putNumber(out, length);
    for (let i = 0; i < DIGEST_BYTES; i++) out.push(digest.charCodeAt(i));
  }
  return Uint8Array.from(out);
}

/** Reads a chunk list. Throws GodwitError `damaged-delta` if the bytes are none. */
export function decodeList(bytes: Uint8Array): ChunkList {
  const from = new Reader(bytes);
  if (from.byte() !== LIST_VERSION) throw damaged();
  const average = from.number();
  const isPower = Number.isInteger(Math.log2(average));
  if (!isPower || average < LEAST_AVERAGE || average > MOST_AVERAGE) throw damaged();
  const chunks: Chunk[] = [];
  let offset = 0;
  while (!from.atEnd) {
    const length = from.number();
    if (length === 0 || length > 4 * average) throw damaged();
    const digest = Buffer.from(from.bytes(DIGEST_BYTES)).toString('latin1');
    chunks.push({ offset, length, digest });
    offset += length;
  }
  return { average, length: offset, chunks };
}

/** Writes contents as copies from a base and as new bytes. */
export function encodeDelta(base: ChunkList, list: ChunkList, contents: Uint8Array): Uint8Array {
  const out = [DELTA_VERSION];
  putNumber(out, base.length);
  putNumber(out, contents.length);
  for (const { base: isCopy, offset, length } of ranges(base, list)) {
    putNumber(out, 2 * length + (isCopy ? 1 : 0));
    if (isCopy) putNumber(out, offset);
    else for (const byte of contents.subarray(offset, offset + length)) out.push(byte);
  }
  return Uint8Array.from(out);
}

/** What a delta makes of its base, at most `most` bytes. */
export function applyDelta(base: Uint8Array, delta: Uint8Array, most: number): Uint8Array {
  const from = new Reader(delta);
  if (from.byte() !== DELTA_VERSION || from.number() !== base.length) throw damaged();
  const length = from.number();
  if (length > most) throw damaged();
  const parts: Uint8Array[] = [];
  let made = 0;
  while (!from.atEnd) {
    const head = from.number();
    const bytes = Math.floor(head / 2);
    made += bytes;
    if (bytes === 0 || made > length) throw damaged();
    if (head % 2 === 0) {
      parts.push(from.bytes(bytes));
      continue;
    }
    const offset = from.number();
    if (offset + bytes > base.length) throw damaged();
    parts.push(base.subarray(offset, offset + bytes));
  }
  if (made !== length) throw damaged();
  return new Uint8Array(Buffer.concat(parts));
}

/** Neighbours are one range: of the base where a chunk goes on where the one before ended, if it can. */
function ranges(base: ChunkList, list: ChunkList): Range[] {
  const first = new Map<string, number>();
  for (const { digest, length, offset } of base.chunks.toReversed()) {
    first.set(`${digest}/${length}`, offset);
  }
  const at = new Map(base.chunks.map((chunk) => [chunk.offset, chunk]));
  const found: Range[] = [];
  for (const { offset, length, digest } of list.chunks) {
    const last = found.at(-1);
    const end = last === undefined ? 0 : last.offset + last.length;
    const next = last?.base === true ? at.get(end) : undefined;
    const goesOn = next?.digest === digest && next.length === length;
    const copied = goesOn ? end : first.get(`${digest}/${length}`);
    const range = { base: copied !== undefined, offset: copied ?? offset, length };
    if (last?.base === range.base && end === range.offset) last.length += length;
    else found.push(range);
  }
  return found;
}

function averageFor(length: number): number {
  let average = LEAST_AVERAGE;
  while (length / average > CHUNKS && average < MOST_AVERAGE) average *= 2;
  return average;
}

const ROLL = 0x9e3779b1;
/** Its fourth power, of 32 bits: what the oldest of four bytes has been multiplied by. */
const ROLL_FOURTH = Math.imul(Math.imul(ROLL, ROLL), Math.imul(ROLL, ROLL));

function chunkLength(contents: Uint8Array, offset: number, average: number): number {
  const most = Math.min(contents.length - offset, 4 * average);
  const least = average / 4;
  if (least >= most) return most;
  // Of the four bytes before the end; average is a power of two.
  let sum = 0;
  for (let i = offset + least - 4; i < offset + least; i++) {
    sum = Math.imul(sum + (contents[i] ?? 0) + 1, ROLL);
  }
  for (let length = least; ; length++) {
    if (((sum >>> 16) & (average - 1)) === 0) return length;
    if (length + 1 >= most) return most;
    const end = offset + length;
    const oldest = Math.imul((contents[end - 4] ?? 0) + 1, ROLL_FOURTH);
    sum = Math.imul(sum - oldest + (contents[end] ?? 0) + 1, ROLL);
  }
}

/**
 * A cheap digest that distinguishes the contents of a run, in which it is computed tens of thousands of times. Whether contents that were put
 * together are the right ones is checked by the digest of the whole.
 */
function digestOf(contents: Uint8Array, from: number, to: number): string {
  let a = to - from;
  let b = 0x9e3779b1;
  let c = 0x85ebca6b;
  let d = 0xc2b2ae35;
  for (let i = from; i < to; i++) {
    const byte = contents[i] ?? 0;
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b + byte + (a >>> 15), 0x27d4eb2f);
    c = Math.imul(c ^ (b >>> 13) ^ byte, 0x165667b1);
    d = Math.imul(d + c + byte, 0x2c1b3c6d);
  }
  let digest = '';
  for (const lane of [a, b, c, d]) {
    const mixed = Math.imul(lane ^ (lane >>> 16), 0x7feb352d);
    for (let shift = 0; shift < 32; shift += 8) {
      digest += String.fromCharCode((mixed >>> shift) & 0xff);
    }
  }
  return digest;
}

function putNumber(out: number[], value: number): void {
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) out.push((rest % 0x80) + 0x80);
  out.push(rest);
}

class Reader {
  readonly #from: Uint8Array;
  #at = 0;

  constructor(from: Uint8Array) {
    this.#from = from;
  }

  get atEnd(): boolean {
    return this.#at === this.#from.length;
  }

  byte(): number {
    const value = this.#from[this.#at++];
    if (value === undefined) throw damaged();
    return value;
  }

  number(): number {
    let value = 0;
    for (let place = 1; place <= Number.MAX_SAFE_INTEGER; place *= 0x80) {
      const byte = this.byte();
      value += (byte % 0x80) * place;
      if (!Number.isSafeInteger(value)) throw damaged();
      if (byte < 0x80) return value;
    }
    throw damaged();
  }

  bytes(length: number): Uint8Array {
    if (length > this.#from.length - this.#at) throw damaged();
    this.#at += length;
    return this.#from.subarray(this.#at - length, this.#at);
  }
}

function damaged(): GodwitError {
  return new GodwitError('damaged-delta');
}
