/** What the first bytes of a message tell, without decoding it and without making anything: for who counts messages. */

/** A list of two in MessagePack, and the head of a number that takes a byte more. */
const PAIR = 0x92;
const BYTE_FOLLOWS = 0xcc;
const FIRST_LONG_NUMBER = 0x80;

/** The ordinal of a request; 0: it is no request that this program would write. */
export function ordinalIn(header: Uint8Array): number {
  if (header.length < 2 || header[0] !== PAIR) return 0;
  const second = header[1] ?? 0;
  if (second < FIRST_LONG_NUMBER) return second;
  return second === BYTE_FOLLOWS ? (header[2] ?? 0) : 0;
}

/** Whether a reply is an error. A list of any length begins with 0 where it is none. */
export function isFailure(header: Uint8Array): boolean {
  return header[1] === 1;
}
