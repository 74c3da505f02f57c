/** Messages of a peer, by RPC: the result is a message that keeps its meaning when it is sent again, or `bad-message`. */
import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { Packr } from 'msgpackr';
import {
  decodeReply,
  decodeRequest,
  encodeFailure,
  encodeReply,
  encodeRequest,
} from '../../../../shared/wire/codec.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { RPCS, type RpcName } from '../../../../shared/wire/rpcs.ts';
import { hostile, spoilt } from '../../damage.ts';
import { fromSchema } from '../../from-schema.ts';
import { bytes, ERA, text, type Parser, type ParserRow } from '../parser.ts';

const packr = new Packr({ useRecords: false });
const SAMPLES = 120;

/** Heads of MessagePack: empty, huge, deep, extensions, records of the package, numbers at their edges. */
const TOKENS = [
  ...bytes(
    'c0',
    'c1',
    'c2',
    'c3',
    '80',
    '90',
    'a0',
    '81a0',
    '91',
    'dcffff',
    'ddffffffff',
    'deffff',
  ),
  ...bytes('dfffffffff', 'd9ff', 'daffff', 'dbffffffff', 'c4ff', 'c5ffff', 'c6ffffffff', 'c70000'),
  ...bytes(
    'd4727f',
    'd47240',
    'd57200',
    'd6ff00000000',
    'd7ff ffffffffffffffff',
    'c70cff',
    'd46500',
  ),
  ...bytes(
    'c7ff00',
    'd47300',
    'd57400',
    'd469 00',
    'd670 00000001',
    'd66e',
    'c80000 01',
    'd477',
    'd442',
  ),
  ...bytes('cb7ff8000000000000', 'cbfff0000000000000', 'cb8000000000000000', 'ca7f800000'),
  ...bytes(
    'cfffffffffffffffff',
    'd38000000000000000',
    'cf0020000000000000',
    'ceffffffff',
    'd2ffffffff',
  ),
  ...bytes(
    'a95f5f70726f746f5f5f',
    'ab636f6e7374727563746f72',
    'a3eda080',
    'a3efbfbd',
    'a100',
    'a12f',
  ),
  ...text('0.0.0', '1.1.1', '4294967296.1.1', '..', '/', '__proto__', 'toString'),
];

function allows(error: unknown): boolean {
  return error instanceof GodwitError && error.code === 'bad-message';
}

/**
 * A field that is `undefined` is one that is left out: MessagePack can say both, and we write the second. A zero with a sign is written
 * without it.
 */
function written(value: unknown): unknown {
  if (value === 0) return 0;
  if (Array.isArray(value)) return value.map(written);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, written(field)]));
}

/** Throws `bad-message` when the bytes are a request neither of a client nor of a server. */
function checkRequest(message: Uint8Array): void {
  let from: 'client' | 'server' = 'client';
  let request;
  try {
    request = decodeRequest(message, from);
  } catch (error) {
    if (!allows(error)) throw error;
    from = 'server';
    request = decodeRequest(message, from);
  }
  const again = encodeRequest(request.rpc, written(request.body) as never);
  deepStrictEqual(written(decodeRequest(again, from)), written(request));
}

/** Throws `bad-message` when the bytes are no reply. */
function checkReply(rpc: RpcName, message: Uint8Array): void {
  const reply = decodeReply(rpc, message);
  const again = reply.ok
    ? encodeReply(rpc, written(reply.body) as never, reply.afterBreak)
    : encodeFailure(reply.code, reply.detail, reply.afterBreak);
  deepStrictEqual(written(decodeReply(rpc, again)), written(reply));
}

function packed(message: unknown): Uint8Array[] {
  try {
    return [new Uint8Array(packr.pack(message))];
  } catch {
    return []; // What can't be packed can't arrive either.
  }
}

/** Half of the corpus is well-formed, half has one field that may not be. */
function corpusOf(body: fc.Arbitrary<unknown>, head: number, seed: number): Uint8Array[] {
  const places = fc.tuple(body, fc.nat(), hostile);
  return fc.sample(places, { numRuns: SAMPLES, seed }).flatMap(([value, at, by], index) => {
    const after = head === 0 && index % 5 === 0 ? [1 + (at % 300)] : [];
    return packed([head, index % 2 === 0 ? value : spoilt(value, at, by), ...after]);
  });
}

function requests(rpc: RpcName): Parser {
  const body = fromSchema(RPCS[rpc].request);
  return {
    tokens: TOKENS,
    allows,
    corpus: (seed) => corpusOf(body, RPCS[rpc].ordinal, seed),
    check: (message) => {
      checkRequest(message);
      return true;
    },
  };
}

function replies(rpc: RpcName): Parser {
  const body = fromSchema(RPCS[rpc].reply);
  const failures = [encodeFailure('not-found', 'gone'), encodeFailure('internal', '', 7)];
  return {
    tokens: TOKENS,
    allows,
    corpus: (seed) => [...corpusOf(body, 0, seed), ...failures],
    check: (message) => {
      checkReply(rpc, message);
      return true;
    },
  };
}

export const WIRE: readonly ParserRow[] = (Object.keys(RPCS) as RpcName[]).flatMap((rpc) => [
  { name: `request ${rpc}`, weight: 1, era: ERA, open: () => requests(rpc) },
  { name: `reply ${rpc}`, weight: 1, era: ERA, open: () => replies(rpc) },
]);
