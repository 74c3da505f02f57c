/** What of a TLS 1.3 handshake goes unencrypted but for the Initial packets: the hellos, and the group that a key is exchanged in. */

const CLIENT_HELLO = 1;
const SERVER_HELLO = 2;
const KEY_SHARE = 51;
/** The random of a server's hello that asks for another one of the client (RFC 8446, section 4.1.3). */
const ASKS_AGAIN = 'cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c';

/** Numbers of TLS's registry of groups. */
export const GROUPS = { secp256r1: 0x17, secp384r1: 0x18, x25519: 0x1d, X25519MLKEM768: 0x11ec };

export interface Hello {
  readonly from: 'client' | 'server';
  /** That the server asks for another hello. */
  readonly isRetry: boolean;
  /** Of the keys that it offers, or the one that it has chosen. */
  readonly groups: number[];
}

/** The hellos in the bytes of one side, of which the last may be cut off. */
export function hellosIn(bytes: Buffer): Hello[] {
  const found: Hello[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = bytes.readUIntBE(at + 1, 3);
    const body = bytes.subarray(at + 4, at + 4 + length);
    const type = bytes[at];
    at += 4 + length;
    if (body.length < length) break;
    if (type === CLIENT_HELLO || type === SERVER_HELLO) found.push(helloOf(type, body));
  }
  return found;
}

function helloOf(type: number, body: Buffer): Hello {
  const isRetry = body.subarray(2, 34).toString('hex') === ASKS_AGAIN;
  let at = 34;
  at += 1 + (body[at] ?? 0);
  if (type === CLIENT_HELLO) {
    at += 2 + body.readUInt16BE(at);
    at += 1 + (body[at] ?? 0);
  } else {
    at += 3;
  }
  const share = extensionIn(body.subarray(at + 2), KEY_SHARE);
  if (type === SERVER_HELLO) return { from: 'server', isRetry, groups: [share.readUInt16BE(0)] };
  const groups: number[] = [];
  for (let of = 2; of < share.length; of += 4 + share.readUInt16BE(of + 2))
    groups.push(share.readUInt16BE(of));
  return { from: 'client', isRetry: false, groups };
}

function extensionIn(bytes: Buffer, type: number): Buffer {
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt16BE(at + 2);
    if (bytes.readUInt16BE(at) === type) return bytes.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  throw new Error(`no extension ${type} in the hello`);
}
