/**
 * SHA-256 (FIPS 180-4) of a short text, for rooms that can't reach Node's own: secrets of invitations and their
 * check digits. Not for contents, those are BLAKE3 and never pass through JavaScript.
 */
const K = Uint32Array.from([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
const START = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
const BLOCK_BYTES = 64;

/** Lower-case hex SHA-256 of a text of ASCII characters. Throws RangeError on any other character. */
export function sha256OfAscii(text: string): string {
  const state = Uint32Array.from(START);
  const bytes = padded(text);
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) compress(state, bytes, at);
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
}

/** The text, a 1 bit, zeros, and the length in bits as 64 bits. */
function padded(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((text.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) throw new RangeError('not a text of ASCII characters');
    bytes[i] = code;
  }
  bytes[text.length] = 0x80;
  new DataView(bytes.buffer).setUint32(bytes.length - 4, text.length * 8);
  return bytes;
}

function compress(state: Uint32Array, bytes: Uint8Array, offset: number): void {
  const words = schedule(bytes, offset);
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight;
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(K, i) + at(words, i)) >>> 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) >>> 0, c, b, a, (t1 + t2) >>> 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = at(state, i) + word));
}

function schedule(bytes: Uint8Array, offset: number): Uint32Array {
  const words = new Uint32Array(64);
  const view = new DataView(bytes.buffer, offset, BLOCK_BYTES);
  for (let i = 0; i < 16; i++) words[i] = view.getUint32(i * 4);
  for (let i = 16; i < 64; i++) {
    const [x, y] = [at(words, i - 15), at(words, i - 2)];
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    words[i] = at(words, i - 16) + s0 + at(words, i - 7) + s1;
  }
  return words;
}

type Eight = [number, number, number, number, number, number, number, number];
const at = (words: Uint32Array, index: number): number => words[index] as number;
const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));
