/**
 * Inputs out of a corpus: bytes turned, cut, repeated, exchanged and spliced with those of another, numbers put to their edges, and what
 * the format is made of put in. One in sixteen is of any bytes, and one in sixteen is as it was.
 */
import type { Draw } from './draw.ts';

/** The longest input that mutation makes; one of the corpus may be longer. */
export const LONGEST = 16 * 1024;
const MOST_STEPS = 6;

const EDGES_8 = [0, 1, 0x7f, 0x80, 0xff, 0x20, 0x2e, 0x2f, 0x22, 0x5b, 0x7b, 0xc0, 0xc1];
const EDGES_32 = [0, 1, -1, 0x7fff_ffff, 0x8000_0000 | 0, 0xffff, 0x1_0000, 0x100, 0x7f, 0x80];
const EDGES_64 = [
  0n,
  1n,
  2n ** 31n,
  2n ** 32n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n - 1n,
];
const EDGES_TEXT = ['0', '-1', '1e999', '9'.repeat(30), '4294967296', '9007199254740993', '-0', ''];
const [ZERO, NINE] = [0x30, 0x39];

export class Mutator {
  readonly #draw: Draw;
  readonly #tokens: readonly Uint8Array[];
  readonly #bytes = Buffer.alloc(4 * LONGEST);
  #length = 0;

  constructor(draw: Draw, tokens: readonly Uint8Array[]) {
    this.#draw = draw;
    this.#tokens = tokens;
  }

  /** Makes the input with this number. It is valid until the next call. */
  make(number: number, corpus: readonly Uint8Array[]): Uint8Array {
    const draw = this.#draw.begin(number);
    const kind = draw.below(16);
    const first = draw.pick(corpus);
    if (kind === 0) this.#random(draw.small(300));
    else if (first.length > LONGEST) return this.#long(first);
    else this.#start(first);
    const steps = kind <= 1 ? 0 : 1 + draw.small(MOST_STEPS);
    for (let i = 0; i < steps; i++) this.#step(corpus);
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset, this.#length);
  }

  #start(from: Uint8Array): void {
    this.#bytes.set(from);
    this.#length = from.length;
  }

  #random(length: number): void {
    for (let i = 0; i < length; i++) this.#bytes[i] = this.#draw.next();
    this.#length = length;
  }

  /** Flips a few bytes, or cuts off the end. */
  #long(from: Uint8Array): Uint8Array {
    const copy = new Uint8Array(from);
    for (let i = this.#draw.below(MOST_STEPS); i >= 0; i--) {
      copy[this.#draw.below(copy.length)] = this.#draw.next();
    }
    return this.#draw.chance(20) ? copy.subarray(0, this.#draw.below(copy.length)) : copy;
  }

  #step(corpus: readonly Uint8Array[]): void {
    const draw = this.#draw;
    const at = draw.below(this.#length + 1);
    const way = draw.below(20);
    if (way <= 4) this.#turn(at);
    else if (way <= 7) this.#edge(at);
    else if (way <= 9) this.#replace(at, Math.min(this.#length, at + draw.small(64)), NOTHING);
    else if (way <= 12) this.#token(at);
    else if (way === 13) this.#length = at;
    else if (way === 14) this.#repeat(at);
    else if (way === 15) this.#exchange(at);
    else if (way <= 17) this.#splice(at, draw.pick(corpus));
    else this.#number(at);
  }

  #turn(at: number): void {
    if (at === this.#length) return;
    const draw = this.#draw;
    const old = this.#bytes[at] ?? 0;
    const way = draw.below(4);
    if (way === 0) this.#bytes[at] = draw.next();
    else if (way === 1) this.#bytes[at] = old ^ (1 << draw.below(8));
    else if (way === 2) this.#bytes[at] = old + draw.below(9) - 4;
    else this.#bytes[at] = draw.pick(EDGES_8);
  }

  /** Overwrites two, four or eight bytes with an extreme number in either byte order. */
  #edge(at: number): void {
    const draw = this.#draw;
    const room = this.#length - at;
    const way = draw.below(6);
    if (way <= 1 && room >= 2) {
      if (way === 0) this.#bytes.writeUInt16LE(draw.pick(EDGES_32) & 0xffff, at);
      else this.#bytes.writeUInt16BE(draw.pick(EDGES_32) & 0xffff, at);
    } else if (way <= 3 && room >= 4) {
      if (way === 2) this.#bytes.writeInt32LE(draw.pick(EDGES_32), at);
      else this.#bytes.writeInt32BE(draw.pick(EDGES_32), at);
    } else if (room >= 8) {
      if (way === 4) this.#bytes.writeBigUInt64LE(draw.pick(EDGES_64), at);
      else this.#bytes.writeBigUInt64BE(draw.pick(EDGES_64), at);
    }
  }

  /** Inserts a token, or overwrites bytes with it. */
  #token(at: number): void {
    const token = this.#tokens.length === 0 ? NOTHING : this.#draw.pick(this.#tokens);
    const over = this.#draw.chance(40) ? token.length : 0;
    this.#replace(at, Math.min(this.#length, at + over), token);
  }

  /** Repeats a part many times, which makes deep nesting and large counts. */
  #repeat(at: number): void {
    const draw = this.#draw;
    const part = Buffer.from(
      this.#bytes.subarray(at, Math.min(this.#length, at + 1 + draw.small(40))),
    );
    const room = Math.floor((LONGEST - this.#length) / Math.max(1, part.length));
    const times = Math.min(room, draw.chance(10) ? room : 1 + draw.small(100));
    if (part.length === 0 || times <= 0) return;
    this.#replace(at, at, Buffer.alloc(part.length * times, part));
  }

  #exchange(at: number): void {
    const end = Math.min(this.#length, at + this.#draw.small(200));
    const middle = at + this.#draw.below(end - at + 1);
    const first = Buffer.from(this.#bytes.subarray(at, middle));
    this.#bytes.copyWithin(at, middle, end);
    this.#bytes.set(first, at + (end - middle));
  }

  /** Replaces the end by that of another input, or inserts a part of the other. */
  #splice(at: number, other: Uint8Array): void {
    const draw = this.#draw;
    const from = draw.below(other.length + 1);
    const whole = draw.chance(50);
    const to = whole ? other.length : Math.min(other.length, from + draw.small(100));
    this.#replace(at, whole ? this.#length : at, other.subarray(from, to));
  }

  /** Replaces digits by another number. */
  #number(at: number): void {
    let from = at;
    while (from < this.#length && !isDigit(this.#bytes[from])) from++;
    if (from === this.#length) return;
    let to = from;
    while (to < this.#length && isDigit(this.#bytes[to])) to++;
    this.#replace(from, to, Buffer.from(this.#draw.pick(EDGES_TEXT)));
  }

  #replace(from: number, to: number, by: Uint8Array): void {
    const length = this.#length - (to - from) + by.length;
    if (length > LONGEST) return;
    this.#bytes.copyWithin(from + by.length, to, this.#length);
    this.#bytes.set(by, from);
    this.#length = length;
  }
}

const NOTHING = new Uint8Array(0);

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= ZERO && byte <= NINE;
