/** Arguments as strace prints them, taken apart: strings with escapes, structures, descriptors with their paths (`-y`). */
import { textOf } from '../decode-text.ts';

const OPENING = '([{';
const CLOSING = ')]}';

export interface Arguments {
  readonly list: readonly string[];
  /** Behind the closing parenthesis. */
  readonly end: number;
}

/** Of a call, from behind its opening parenthesis. null: they do not end. */
export function splitArguments(text: string, from: number): Arguments | null {
  const list: string[] = [];
  let depth = 0;
  let begun = from;
  for (let at = from; at < text.length; at++) {
    const sign = text[at] as string;
    if (sign === '"') at = endOfString(text, at);
    else if (sign === '<' && isAnnotation(text, at)) at = endOfAnnotation(text, at);
    else if (OPENING.includes(sign)) depth += 1;
    else if (CLOSING.includes(sign)) {
      depth -= 1;
      if (depth < 0) {
        const last = text.slice(begun, at).trim();
        if (last !== '' || list.length > 0) list.push(last);
        return { list, end: at + 1 };
      }
    } else if (sign === ',' && depth === 0) {
      list.push(text.slice(begun, at).trim());
      begun = at + 1;
    }
  }
  return null;
}

/** The place of the closing quote, or the end. */
function endOfString(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** `3</etc/passwd>`, `AT_FDCWD</home>`; not `1<<21`. */
const isAnnotation = (text: string, at: number): boolean =>
  text[at + 1] !== '<' && /[\dD]/.test(text[at - 1] ?? '');

/** A `>` of a path is escaped; between the addresses of a socket it is not. */
function endOfAnnotation(text: string, opening: number): number {
  const isSocket = /^<[A-Za-z\d]+:\[/.test(text.slice(opening, opening + 16));
  const end = isSocket ? text.indexOf(']>', opening) + 1 : text.indexOf('>', opening);
  return end <= 0 ? text.length : end;
}

const ESCAPES: Readonly<Record<string, number>> = {
  ...{ n: 10, t: 9, r: 13, v: 11, f: 12, a: 7, b: 8, e: 27, '0': 0 },
};

/** The text of a string argument; null: it is none, or was cut (`-s`). */
export function stringOf(argument: string | undefined): string | null {
  if (argument === undefined || !argument.startsWith('"') || !argument.endsWith('"')) return null;
  if (argument.length < 2) return null;
  return unescaped(argument.slice(1, -1));
}

/** With bytes as octal or hexadecimal numbers. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const parts: Buffer[] = [];
  const pattern = /\\(?:x([\da-fA-F]{2})|([0-7]{1,3})|([\s\S]))|[^\\]+/g;
  for (const [whole, hex, octal, sign] of text.matchAll(pattern)) {
    if (hex !== undefined) parts.push(Buffer.of(parseInt(hex, 16)));
    else if (octal !== undefined) parts.push(Buffer.of(parseInt(octal, 8) & 0xff));
    else if (sign === undefined) parts.push(Buffer.from(whole));
    else parts.push(ESCAPES[sign] === undefined ? Buffer.from(sign) : Buffer.of(ESCAPES[sign]));
  }
  return textOf(Buffer.concat(parts));
}

/** A number, decimal, octal or hexadecimal; null: it is none. */
export function numberOf(argument: string | undefined): number | null {
  if (argument === undefined) return null;
  const number = /^(?:-?\d+|0x[\da-f]+)$/.test(argument)
    ? Number(/^0\d/.test(argument) ? `0o${argument.slice(1)}` : argument)
    : NaN;
  return Number.isSafeInteger(number) ? number : null;
}

export interface DescriptorArgument {
  /** null: the working directory (AT_FDCWD). */
  readonly fd: number | null;
  /** What `-y` says that it is. */
  readonly path: string | null;
}

/**
 * Reads a descriptor and, with `-y`, its path out of an argument. Null: the argument is none. `fd`
 * null: it is `AT_FDCWD`.
 */
export function descriptorOf(argument: string | undefined): DescriptorArgument | null {
  const match = /^(AT_FDCWD|-?\d+)(?:<(.*)>)?$/s.exec(argument ?? '');
  if (match === null) return null;
  const path = match[2] === undefined ? null : unescaped(match[2]).replace(/ ?\(deleted\)$/, '');
  return { fd: match[1] === 'AT_FDCWD' ? null : Number(match[1]), path };
}
