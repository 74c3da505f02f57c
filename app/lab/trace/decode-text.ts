/**
 * Bytes of a text file as lines, in any of these encodings: UTF-8 with or without a mark, UTF-16 with one. Bytes that are no UTF-8 are taken for
 * windows-1252, line by line: so do spreadsheets write, and two different names stay different.
 */
import { MAX_LINE_BYTES } from './trace-limits.ts';
import type { BadLines } from './bad-lines.ts';

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const western = new TextDecoder('windows-1252');

/** One text of bytes. */
export function textOf(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return western.decode(bytes);
  }
}

/** The text that these code units up to 255 are the bytes of. */
export function textOfLatin1(text: string): string {
  // eslint-disable-next-line no-control-regex -- plain ASCII is what it is
  return /^[\u0000-\u007f]*$/.test(text) ? text : textOf(Buffer.from(text, 'latin1'));
}

/** The same bytes in UTF-8 (or what is none), without a mark. */
export async function* asUtf8(chunks: Chunks): AsyncGenerator<Buffer> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of chunks) {
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (head !== null) {
      head = Buffer.concat([head, bytes]);
      if (head.length < 3) continue;
      const mark = markOf(head);
      decoder = mark.encoding === null ? null : new TextDecoder(mark.encoding);
      bytes = head.subarray(mark.length);
      head = null;
    }
    yield decoder === null ? bytes : Buffer.from(decoder.decode(bytes, { stream: true }));
  }
  if (head !== null) {
    const mark = markOf(head);
    const rest = head.subarray(mark.length);
    yield mark.encoding === null ? rest : Buffer.from(new TextDecoder(mark.encoding).decode(rest));
  } else if (decoder !== null) yield Buffer.from(decoder.decode());
}

function markOf(head: Buffer): { readonly encoding: string | null; readonly length: number } {
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', length: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', length: 2 };
  const isUtf8 = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
  return { encoding: null, length: isUtf8 ? 3 : 0 };
}

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** Lines of them, without their ends. One that is too long is bad, and its bytes are not kept. */
export async function* linesOf(chunks: Chunks, bad: BadLines): AsyncGenerator<Line> {
  let number = 1;
  let begun: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer): void => {
    length += part.length;
    if (length > MAX_LINE_BYTES) begun = [];
    else if (part.length > 0) begun.push(part);
  };
  const end = (): Line | null => {
    if (length > MAX_LINE_BYTES)
      bad.add(number, `expected lines of ${MAX_LINE_BYTES} bytes at most`);
    const line = length > MAX_LINE_BYTES ? null : { number, text: lineText(begun) };
    number += 1;
    begun = [];
    length = 0;
    return line;
  };
  for await (const chunk of asUtf8(chunks)) {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      take(chunk.subarray(from, at));
      from = at + 1;
      const line = end();
      if (line !== null) yield line;
    }
    take(chunk.subarray(from));
  }
  if (length === 0) return;
  const last = end();
  if (last !== null) yield last;
}

function lineText(parts: readonly Buffer[]): string {
  const [only = Buffer.alloc(0)] = parts;
  const text = textOf(parts.length <= 1 ? only : Buffer.concat(parts));
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
