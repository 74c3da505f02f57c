/**
 * Messages to bytes and back. Decoding is the border to an untrusted peer: from any bytes comes a message that passed its schema, or a GodwitError
 * `bad-message`. What no schema has room for is refused while the bytes are read: nothing is built of it.
 *
 * A request is the MessagePack array [ordinal, body]; a reply [0, body], or [1, code, detail] for an error. A reply to a client that said so in its
 * Hello ends with the number of the last break that was sent to it before, where there was one (rule P2).
 */
import { Packr } from 'msgpackr';
import * as limits from './limits.ts';
import { GodwitError, isErrorCode, type ErrorCode } from './error-codes.ts';
import { formOf, PLAIN, type Form } from './form.ts';
import { RPCS, type AnyRequest, type ReplyOf, type RequestOf, type RpcName } from './rpcs.ts';
import { Scanner, ScanError } from './scan.ts';

const packr = new Packr({ useRecords: false, mapsAsObjects: true, encodeUndefinedAsNil: true });

const NAMES = Object.keys(RPCS) as RpcName[];
const BY_ORDINAL = new Map<number, RpcName>(NAMES.map((name) => [RPCS[name].ordinal, name]));

/** Each is made when its first message comes. */
const FORMS = { request: new Map<RpcName, Form>(), reply: new Map<RpcName, Form>() };

/** The head of a pair and an ordinal, however they are written. */
const MAX_ORDINAL_BYTES = 8;

/** Fields of a map whose head is one byte. */
const MOST_SHORT_MAP = 15;

/** Items of a long list that are encoded at one go: some 100 us. */
const ITEMS_OF_PART = 32;

export type Reply<N extends RpcName> =
  | { readonly ok: true; readonly body: ReplyOf<N>; readonly afterBreak?: number }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly detail: string;
      readonly afterBreak?: number;
    };

export function encodeRequest<N extends RpcName>(rpc: N, body: RequestOf<N>): Uint8Array {
  return packr.pack([RPCS[rpc].ordinal, body]);
}

/** `afterBreak` 0: none was sent. */
export function encodeReply<N extends RpcName>(
  rpc: N,
  body: ReplyOf<N>,
  afterBreak = 0,
): Uint8Array {
  void rpc;
  return packr.pack([0, body, ...named(afterBreak)]);
}

/**
 * The same, a few items at a time, for a reply whose longest list is long; null: it is short. A generator that ends with the bytes: the caller can do
 * other work in between.
 */
export function replyInParts<N extends RpcName>(
  rpc: N,
  body: ReplyOf<N>,
  afterBreak = 0,
): Generator<void, Uint8Array> | null {
  void rpc;
  const fields = Object.entries(body);
  const isLong = fields.some(([, value]) => Array.isArray(value) && value.length > ITEMS_OF_PART);
  return isLong && fields.length <= MOST_SHORT_MAP
    ? packedInParts(fields, named(afterBreak))
    : null;
}

function* packedInParts(
  fields: ReadonlyArray<[string, unknown]>,
  rest: readonly unknown[],
): Generator<void, Uint8Array> {
  const parts = [headOf(0x90, 2 + rest.length), packr.pack(0), headOf(0x80, fields.length)];
  for (const [name, value] of fields) {
    parts.push(packr.pack(name));
    if (!Array.isArray(value) || value.length <= ITEMS_OF_PART) {
      parts.push(packr.pack(value));
      continue;
    }
    parts.push(longListHead(value.length));
    for (let from = 0; from < value.length; from += ITEMS_OF_PART) {
      parts.push(itemsOf(value.slice(from, from + ITEMS_OF_PART)));
      if (from + ITEMS_OF_PART <= value.length) yield;
    }
  }
  for (const value of rest) parts.push(packr.pack(value));
  return Buffer.concat(parts);
}

/** A list without its head. One buffer for all: one for each item costs the collector more than the items. */
function itemsOf(list: readonly unknown[]): Uint8Array {
  return packr.pack(list).subarray(list.length <= MOST_SHORT_MAP ? 1 : 3);
}

/** Of a list or map of up to fifteen. */
function headOf(kind: number, size: number): Uint8Array {
  return Uint8Array.of(kind | size);
}

function longListHead(length: number): Uint8Array {
  const head = new DataView(new ArrayBuffer(5));
  head.setUint8(0, 0xdd);
  head.setUint32(1, length);
  return new Uint8Array(head.buffer);
}

/** `detail` is for people and is cut to its limit. It must not hold a secret. */
export function encodeFailure(code: ErrorCode, detail = '', afterBreak = 0): Uint8Array {
  return packr.pack([1, code, detail.slice(0, limits.MAX_DETAIL_BYTES), ...named(afterBreak)]);
}

const named = (afterBreak: number): number[] => (afterBreak === 0 ? [] : [afterBreak]);

/** Which request it is, by its first bytes alone; null: none. */
export function rpcOf(bytes: Uint8Array): RpcName | null {
  try {
    const scanner = new Scanner(bytes.subarray(0, MAX_ORDINAL_BYTES));
    return scanner.list() === 2 ? (BY_ORDINAL.get(scanner.smallNumber()) ?? null) : null;
  } catch (error) {
    if (error instanceof ScanError) return null;
    throw error;
  }
}

/** `from` is who sent it: a client may not send what only a server may begin, and the other way round. */
export function decodeRequest(bytes: Uint8Array, from: 'client' | 'server'): AnyRequest {
  if (bytes.length > limits.MAX_HEADER_BYTES) throw bad('longer than a message may be');
  const rpc = rpcOf(bytes);
  if (rpc === null) throw bad('unknown kind of request');
  if (RPCS[rpc].from !== from) throw bad(`${rpc} does not come from a ${from}`);
  const [, body] = unpack(bytes, (scanner) => {
    scanner.list();
    scanner.smallNumber();
    scanner.value(formIn(rpc, 'request'));
  });
  return { rpc, body: checked(rpc, 'request', body) } as AnyRequest;
}

/**
 * Decodes and validates the reply to `rpc`. Throws GodwitError `bad-message` for everything that is
 * not one.
 */
export function decodeReply<N extends RpcName>(rpc: N, bytes: Uint8Array): Reply<N> {
  if (bytes.length > limits.MAX_HEADER_BYTES) throw bad('longer than a message may be');
  const message = unpack(bytes, (scanner) => {
    const length = scanner.list();
    if (length < 2 || length > 4) throw new ScanError('a reply is a list of two to four');
    const form = scanner.smallNumber() === 0 ? formIn(rpc, 'reply') : PLAIN;
    for (let at = 1; at < length; at++) scanner.value(at === 1 ? form : PLAIN);
  });
  if (message[0] === 0 && (message.length === 2 || message.length === 3)) {
    const [, body, last] = message;
    return { ok: true, body: checked(rpc, 'reply', body) as ReplyOf<N>, ...breakOf(last) };
  }
  if (message[0] === 1 && (message.length === 3 || message.length === 4)) {
    const [, code, detail, last] = message;
    if (typeof detail !== 'string' || detail.length > limits.MAX_DETAIL_BYTES) {
      throw bad('an error without its detail');
    }
    // A newer peer may know more codes than we do.
    const known = isErrorCode(code) ? code : 'internal';
    return { ok: false, code: known, detail, ...breakOf(last) };
  }
  throw bad('neither a reply nor an error');
}

function breakOf(last: unknown): { afterBreak?: number } {
  if (last === undefined) return {};
  if (!Number.isSafeInteger(last) || Number(last) < 1) throw bad('no number of a break');
  return { afterBreak: Number(last) };
}

/** The list that a message is. `scan` refuses what has not its form, before anything of it is built. */
function unpack(bytes: Uint8Array, scan: (scanner: Scanner) => void): unknown[] {
  const scanner = new Scanner(bytes);
  try {
    scan(scanner);
    scanner.end();
  } catch (error) {
    if (error instanceof ScanError) throw bad(error.message);
    throw error;
  }
  try {
    return packr.unpack(bytes) as unknown[];
  } catch {
    throw bad('not MessagePack');
  }
}

function formIn(rpc: RpcName, part: 'request' | 'reply'): Form {
  const known = FORMS[part].get(rpc);
  if (known !== undefined) return known;
  const form = formOf(RPCS[rpc][part]);
  FORMS[part].set(rpc, form);
  return form;
}

function checked(rpc: RpcName, part: 'request' | 'reply', body: unknown): unknown {
  let result;
  try {
    result = RPCS[rpc][part].safeParse(body);
  } catch {
    throw bad(`${rpc} ${part}: not checkable`);
  }
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const where = issue === undefined ? '' : ` (${issue.path.map(String).join('.').slice(0, 80)})`;
  throw bad(`${rpc} ${part} has a field that may not be so${where}`);
}

function bad(why: string): GodwitError {
  return new GodwitError('bad-message', why.slice(0, limits.MAX_DETAIL_BYTES));
}
