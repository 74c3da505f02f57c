/**
 * Names as the simulated kernel keeps them: texts in which a byte that is no UTF-8 is a lone surrogate, U+DC00 and the byte. So every name of bytes
 * has one text, and those that are UTF-8 have the text that they are.
 */
import type { Path } from './program-calls.ts';

const encoder = new TextEncoder();
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const LONE = 0xdc00;

/** A path as the kernel takes it. A text with lone surrogates is what Node makes of it: U+FFFD stands for each. */
export function takenPath(path: Path): string {
  if (typeof path !== 'string') return decodeName(path);
  return path.isWellFormed() ? path : path.toWellFormed();
}

export function decodeName(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeBroken(bytes);
  }
}

function decodeBroken(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = sequenceAt(bytes, at);
    text +=
      length === 0
        ? String.fromCharCode(LONE + (bytes[at] ?? 0))
        : strict.decode(bytes.subarray(at, at + length));
    at += Math.max(length, 1);
  }
  return text;
}

/** How many bytes from there on are one character; 0: none are. */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  try {
    strict.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0;
  }
}

export function encodeName(name: string): Uint8Array {
  if (name.isWellFormed()) return encoder.encode(name);
  const bytes: number[] = [];
  for (const character of name) {
    const point = character.codePointAt(0) ?? 0;
    if (point >= LONE && point <= LONE + 0xff) bytes.push(point - LONE);
    else bytes.push(...encoder.encode(character));
  }
  return Uint8Array.from(bytes);
}

/** As Node lists it: U+FFFD for what is no UTF-8. */
export function shownName(name: string): string {
  return name.isWellFormed() ? name : lenient.decode(encodeName(name));
}

/** As the addon tells a name that no call takes: each byte that is no UTF-8 as a backslash, an x and two digits. */
export function escapedName(name: string): string {
  if (name.isWellFormed()) return name;
  return [...name].map((each) => (each.isWellFormed() ? each : escapedByte(each))).join('');
}

function escapedByte(lone: string): string {
  const byte = (lone.codePointAt(0) ?? 0) - LONE;
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** In bytes. */
export function byteLength(name: string): number {
  let bytes = 0;
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00) {
      bytes += 4;
      at += 1;
    } else bytes += unit >= LONE && unit <= LONE + 0xff ? 1 : 3;
  }
  return bytes;
}
