/**
 * The Initial packets of QUIC, in which a TLS handshake begins: their keys follow from what a client sends (RFC 9001, section 5.2), so who is in
 * between reads them. Versions 1 and 2.
 */
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

interface Version {
  readonly number: number;
  readonly salt: Buffer;
  readonly label: string;
  /** Of an Initial packet, in its first byte. */
  readonly type: number;
}

export const V1: Version = {
  number: 1,
  salt: Buffer.from('38762cf7f55934b34d179ae6a4c80cadccbb7f0a', 'hex'),
  label: 'quic',
  type: 0b00,
};
const V2: Version = {
  number: 0x6b3343cf,
  salt: Buffer.from('0dede3def700a6db819381be6e269dcbf9bd2ed9', 'hex'),
  label: 'quicv2',
  type: 0b01,
};

const NUMBER_BYTES = 4;
const TAG_BYTES = 16;
/** What a datagram with an Initial packet of a client has at the least. */
const LEAST_BYTES = 1200;

interface Keys {
  readonly key: Buffer;
  readonly iv: Buffer;
  readonly header: Buffer;
}

/** A piece of the handshake, and where it belongs. */
export interface CryptoFrame {
  readonly offset: number;
  readonly bytes: Buffer;
}

const hmac = (key: Buffer, text: Buffer): Buffer => createHmac('sha256', key).update(text).digest();

function expand(secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.from([0, length, name.length, ...name, 0, 1]);
  return hmac(secret, info).subarray(0, length);
}

/** `id`: the destination in a client's first packet. */
function keysOf(version: Version, id: Buffer, side: 'client' | 'server'): Keys {
  const secret = expand(hmac(version.salt, id), `${side} in`, 32);
  const of = (name: string, length: number): Buffer =>
    expand(secret, `${version.label} ${name}`, length);
  return { key: of('key', 16), iv: of('iv', 12), header: of('hp', 16) };
}

function maskOf(header: Buffer, sample: Buffer): Buffer {
  const cipher = createCipheriv('aes-128-ecb', header, null).setAutoPadding(false);
  return cipher.update(sample);
}

function nonceOf(iv: Buffer, number: number): Buffer {
  const nonce = Buffer.from(iv);
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ number) >>> 0, 8);
  return nonce;
}

class Reader {
  at = 0;
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  get left(): number {
    return this.bytes.length - this.at;
  }
  number(length: number): number {
    const value = this.bytes.readUIntBE(this.at, length);
    this.at += length;
    return value;
  }
  take(length: number): Buffer {
    const part = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return part;
  }
  varint(): number {
    const length = 1 << ((this.bytes[this.at] ?? 0) >> 6);
    const value = this.number(length);
    return value % 2 ** (8 * length - 2);
  }
}

/** Reads the two sides of one connection; its datagrams come in the order in which they were sent. */
export class InitialReader {
  #id: Buffer | null = null;

  /** The pieces of the handshake in a datagram. Empty: it has none that are Initial. */
  frames(from: 'client' | 'server', datagram: Buffer): CryptoFrame[] {
    const reader = new Reader(datagram);
    const found: CryptoFrame[] = [];
    while (reader.left > 0 && ((datagram[reader.at] ?? 0) & 0x80) !== 0) {
      const start = reader.at;
      const type = (reader.number(1) >> 4) & 3;
      const number = reader.number(4);
      const version = [V1, V2].find((each) => each.number === number);
      if (version === undefined) break;
      const id = reader.take(reader.number(1));
      reader.take(reader.number(1));
      if (type === version.type) reader.take(reader.varint());
      const length = reader.varint();
      const at = reader.at - start;
      const packet = Buffer.from(datagram.subarray(start, reader.at + length));
      reader.take(length);
      if (type !== version.type) continue;
      this.#id ??= Buffer.from(id);
      found.push(...framesIn(opened(packet, at, keysOf(version, this.#id, from))));
    }
    return found;
  }
}

/** The payload of a packet, whose protected part begins `at` there. */
function opened(packet: Buffer, at: number, keys: Keys): Buffer {
  const mask = maskOf(keys.header, packet.subarray(at + 4, at + 20));
  packet[0] = (packet[0] ?? 0) ^ ((mask[0] ?? 0) & 0x0f);
  const size = (packet[0] & 3) + 1;
  for (let index = 0; index < size; index++)
    packet[at + index] = (packet[at + index] ?? 0) ^ (mask[1 + index] ?? 0);
  const nonce = nonceOf(keys.iv, packet.readUIntBE(at, size));
  const decipher = createDecipheriv('aes-128-gcm', keys.key, nonce);
  decipher.setAAD(packet.subarray(0, at + size));
  decipher.setAuthTag(packet.subarray(-TAG_BYTES));
  const payload = decipher.update(packet.subarray(at + size, -TAG_BYTES));
  return Buffer.concat([payload, decipher.final()]);
}

function framesIn(payload: Buffer): CryptoFrame[] {
  const reader = new Reader(payload);
  const found: CryptoFrame[] = [];
  while (reader.left > 0) {
    const type = reader.varint();
    if (type === 0 || type === 1) continue;
    if (type === 2 || type === 3) {
      reader.varint();
      reader.varint();
      for (let ranges = reader.varint() * 2 + 1 + (type === 3 ? 3 : 0); ranges > 0; ranges--)
        reader.varint();
    } else if (type === 6) {
      const offset = reader.varint();
      found.push({ offset, bytes: Buffer.from(reader.take(reader.varint())) });
    } else {
      break;
    }
  }
  return found;
}

/** The bytes of the handshake from its beginning, as far as they are there without a gap. */
export function joined(frames: readonly CryptoFrame[]): Buffer {
  let whole = Buffer.alloc(0);
  for (const { offset, bytes } of [...frames].sort((a, b) => a.offset - b.offset)) {
    if (offset > whole.length) break;
    whole = Buffer.concat([whole, bytes.subarray(Math.max(0, whole.length - offset))]);
  }
  return whole;
}

/** A client's datagram of version 1 with a piece of a handshake. `id`: that of its connection, `number`: of the packet. */
export function clientDatagram(id: Buffer, number: number, frame: CryptoFrame): Buffer {
  const keys = keysOf(V1, id, 'client');
  const head = Buffer.alloc(9);
  head[0] = 0x06;
  head.writeUInt32BE((0x80000000 | frame.offset) >>> 0, 1);
  head.writeUInt32BE((0x80000000 | frame.bytes.length) >>> 0, 5);
  const begun = Buffer.from([0xc0 | (NUMBER_BYTES - 1), 0, 0, 0, 1, id.length, ...id, 0, 0]);
  const length = LEAST_BYTES - begun.length - 4 - NUMBER_BYTES - TAG_BYTES;
  const payload = Buffer.alloc(Math.max(length, head.length + frame.bytes.length));
  Buffer.concat([head, frame.bytes]).copy(payload);
  const rest = Buffer.alloc(4 + NUMBER_BYTES);
  rest.writeUInt32BE((0x80000000 | (NUMBER_BYTES + payload.length + TAG_BYTES)) >>> 0, 0);
  rest.writeUInt32BE(number, 4);
  const header = Buffer.concat([begun, rest]);
  const cipher = createCipheriv('aes-128-gcm', keys.key, nonceOf(keys.iv, number));
  cipher.setAAD(header);
  const hidden = Buffer.concat([cipher.update(payload), cipher.final()]);
  const packet = Buffer.concat([header, hidden, cipher.getAuthTag()]);
  const at = header.length - NUMBER_BYTES;
  const mask = maskOf(keys.header, packet.subarray(at + 4, at + 20));
  packet[0] = (packet[0] ?? 0) ^ ((mask[0] ?? 0) & 0x0f);
  for (let index = 0; index < NUMBER_BYTES; index++)
    packet[at + index] = (packet[at + index] ?? 0) ^ (mask[1 + index] ?? 0);
  return packet;
}
