/**
 * Which names a directory entry may have. A name comes from a peer as often as from the disk, so this is
 * the guard against `..`, separators, NUL, over-long and ill-formed names (promise 6).
 */
export const MAX_NAME_BYTES = 255;
export const MAX_TARGET_BYTES = 4095;

/** Why a name can't be one, or null where it can. */
export function nameFault(name: string): string | null {
  if (name === '') return 'it is empty';
  if (name === '.' || name === '..') return 'it is reserved';
  if (name.includes('/')) return 'it holds a slash';
  if (name.includes('\0')) return 'it holds a NUL character';
  if (!name.isWellFormed()) return 'it is not valid Unicode';
  if (utf8Length(name) > MAX_NAME_BYTES) return `it is longer than ${MAX_NAME_BYTES} bytes`;
  return null;
}

/** What stands in a text for bytes that are none; a name may hold it all the same. Peers of protocol 1 take no such name. */
const REPLACEMENT = '\ufffd';

export function needsProtocol2(name: string): boolean {
  return name.includes(REPLACEMENT);
}

export function isName(name: unknown): name is string {
  return typeof name === 'string' && nameFault(name) === null;
}

/** Bytes of a well-formed text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Order by code units: the one order of names in the product, on every machine. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** So begins the name through which one of several goes that change names with each other. Nothing is to keep it. */
export const SWAP_PREFIX = '.godwit-swap-';

/** Tells whether something has such a name on its way to another one. */
export function isSwapName(name: string): boolean {
  return name.startsWith(SWAP_PREFIX);
}

/** Gives the longest beginning of a text that has so many bytes as UTF-8, whole characters only. */
export function cutToBytes(text: string, bytes: number): string {
  let used = 0;
  let kept = '';
  for (const character of text) {
    used += utf8Length(character);
    if (used > bytes) break;
    kept += character;
  }
  return kept;
}
