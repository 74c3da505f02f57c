/** The bytes that a replay writes: nothing makes them smaller, and nothing of one stamp is in another. */
import type { Edit } from './replay-world.ts';

/** `length` bytes of the write of this stamp at this offset; the same each time. xorshift32 (Marsaglia, "Xorshift RNGs", 2003). */
export function filler(stamp: number, offset: number, length: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4));
  let state = (Math.imul(stamp, 0x9e3779b1) ^ Math.imul(offset + 1, 0x85ebca6b)) >>> 0 || 1;
  for (let at = 0; at < words.length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[at] = state;
  }
  return new Uint8Array(words.buffer, 0, length);
}

/** Contents after edits, in their order. */
export function edited(
  before: Uint8Array,
  edits: readonly Edit[],
  stamp: number,
): Uint8Array<ArrayBuffer> {
  let size = before.length;
  let most = size;
  for (const edit of edits) {
    if (edit.kind === 'truncate') size = edit.size;
    else size = Math.max(size, edit.offset + edit.length);
    most = Math.max(most, size);
  }
  const bytes = new Uint8Array(most);
  bytes.set(before);
  let length = before.length;
  for (const edit of edits) {
    if (edit.kind === 'truncate') {
      bytes.fill(0, Math.min(edit.size, length), length);
      length = edit.size;
    } else {
      bytes.set(filler(stamp, edit.offset, edit.length), edit.offset);
      length = Math.max(length, edit.offset + edit.length);
    }
  }
  return bytes.subarray(0, length);
}
