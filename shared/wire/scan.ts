/**
 * Reads the heads of MessagePack and builds nothing: are lists, maps and depth those of a form? What is not is refused where it is met, so a message
 * costs no more than its schema allows, with any bytes.
 *
 * Refused besides: binary, extensions, keys that are no texts or come twice as often as there are fields, bytes behind the end. No message has them.
 */
import type { Form } from './form.ts';

/** The bytes are not the message that was expected. */
export class ScanError extends Error {
  /** What it refused, in a few words. */
  constructor(why: string) {
    super(why);
    this.name = 'ScanError';
  }
}

/**
 * Walks over MessagePack bytes and checks their form and limits before anything is unpacked. Throws
 * ScanError.
 */
export class Scanner {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Bytes that were read. */
  get read(): number {
    return this.#at;
  }

  /** The head of a list; -1: it is none. */
  list(): number {
    const head = this.#byte();
    if (head >= 0x90 && head <= 0x9f) return head & 0x0f;
    if (head === 0xdc) return this.#unsigned(2);
    if (head === 0xdd) return this.#unsigned(4);
    return -1;
  }

  /** A whole number of up to two bytes, none below zero; -1: it is none. */
  smallNumber(): number {
    const head = this.#byte();
    if (head <= 0x7f) return head;
    if (head === 0xcc) return this.#unsigned(1);
    if (head === 0xcd) return this.#unsigned(2);
    return -1;
  }

  /** The head of a map; -1: it is none. */
  map(): number {
    const head = this.#byte();
    if (head >= 0x80 && head <= 0x8f) return head & 0x0f;
    if (head === 0xde) return this.#unsigned(2);
    if (head === 0xdf) return this.#unsigned(4);
    return -1;
  }

  /** The name of a field. Throws a ScanError. */
  key(): string {
    return this.#key();
  }

  /** One value of this form, whole. Throws a ScanError. */
  value(form: Form): void {
    const head = this.#byte();
    if (head <= 0x7f || head >= 0xe0) return;
    if (head <= 0x8f) return this.#map(form, head & 0x0f);
    if (head <= 0x9f) return this.#list(form, head & 0x0f);
    if (head <= 0xbf) return this.#skip(head & 0x1f);
    switch (head) {
      case 0xc0:
      case 0xc2:
      case 0xc3:
        return;
      case 0xca:
        return this.#skip(4);
      case 0xcb:
        return this.#skip(8);
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return this.#skip(1 << (head - 0xcc));
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
        return this.#skip(1 << (head - 0xd0));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#skip(this.#unsigned(1 << (head - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#list(form, this.#unsigned(head === 0xdc ? 2 : 4));
      case 0xde:
      case 0xdf:
        return this.#map(form, this.#unsigned(head === 0xde ? 2 : 4));
      default:
        throw new ScanError('a value of a kind that no message has');
    }
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new ScanError('more than a message');
  }

  #list({ list }: Form, length: number): void {
    if (list === null) throw new ScanError('a list where none may be');
    if (length > list.most) throw new ScanError('a list that is too long');
    for (let left = length; left > 0; left--) this.value(list.of);
  }

  #map({ map }: Form, length: number): void {
    if (map === null) throw new ScanError('a map where none may be');
    if (length > map.size) throw new ScanError('a map with too many fields');
    for (let left = length; left > 0; left--) {
      const form = map.get(this.#key());
      if (form === undefined) throw new ScanError('a field that is unknown');
      this.value(form);
    }
  }

  /** Keys are short, and ASCII. */
  #key(): string {
    const head = this.#byte();
    const length = head >= 0xa0 && head <= 0xbf ? head & 0x1f : head === 0xd9 ? this.#byte() : -1;
    if (length < 0) throw new ScanError('a key that is no name of a field');
    const from = this.#at;
    this.#skip(length);
    let text = '';
    for (let at = from; at < this.#at; at++) text += String.fromCharCode(this.#bytes[at] ?? 0);
    return text;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new ScanError('half a message');
    this.#at += 1;
    return byte;
  }

  #unsigned(bytes: number): number {
    const at = this.#at;
    this.#skip(bytes);
    if (bytes === 1) return this.#view.getUint8(at);
    return bytes === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  #skip(bytes: number): void {
    this.#at += bytes;
    if (this.#at > this.#bytes.length) throw new ScanError('half a message');
  }
}
