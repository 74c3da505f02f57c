/** Messages of a peer: any bytes give a message that keeps its meaning when it is sent again, or `bad-message`. */
import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { decodeReply, decodeRequest, encodeReply, encodeRequest } from '../../shared/wire/codec.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { RPCS, type RpcName } from '../../shared/wire/rpcs.ts';
import { damage, damaged, hostile, spoilt } from './damage.ts';
import { fromSchema } from './from-schema.ts';
import { fuzz } from './runs.ts';

const packr = new Packr({ useRecords: false });
const names = Object.keys(RPCS) as RpcName[];

/** The value, or null for `bad-message`; any other error is a bug of the decoder. */
function decoded<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch (error) {
    if (error instanceof GodwitError && error.code === 'bad-message') return null;
    throw error;
  }
}

/** A field that is `undefined` is one that is left out: MessagePack can say both, and we write the second. */
function written(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(written);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, written(field)]));
}

function checkRequest(bytes: Uint8Array): boolean {
  for (const from of ['client', 'server'] as const) {
    const request = decoded(() => decodeRequest(bytes, from));
    if (request === null) continue;
    const again = encodeRequest(request.rpc, written(request.body) as never);
    expect(decodeRequest(again, from)).toEqual(request);
    return true;
  }
  return false;
}

function checkReply(rpc: RpcName, bytes: Uint8Array): boolean {
  const reply = decoded(() => decodeReply(rpc, bytes));
  if (reply?.ok === true) {
    const again = encodeReply(rpc, written(reply.body) as never, reply.afterBreak);
    expect(decodeReply(rpc, again)).toEqual(reply);
  }
  return reply !== null;
}

function pack(message: unknown): Uint8Array {
  try {
    return new Uint8Array(packr.pack(message));
  } catch {
    return new Uint8Array(); // What can't be packed can't arrive either.
  }
}

describe.each(names)('the message %s', (rpc) => {
  const { request, reply, ordinal } = RPCS[rpc];
  const wrong = fc.record({ steps: damage, at: fc.nat(), by: hostile });

  fuzz(
    `requests (${rpc})`,
    fc.tuple(fromSchema(request), wrong),
    ([body, { steps, at, by }]) => {
      const bytes = packr.pack([ordinal, body]);
      expect(checkRequest(bytes)).toBe(true);
      checkRequest(damaged(bytes, steps));
      checkRequest(pack([ordinal, spoilt(body, at, by)]));
    },
    { usual: 30, share: 0.2 },
  );

  fuzz(
    `replies (${rpc})`,
    fc.tuple(fromSchema(reply), wrong),
    ([body, { steps, at, by }]) => {
      const bytes = packr.pack([0, body]);
      expect(checkReply(rpc, bytes)).toBe(true);
      checkReply(rpc, damaged(bytes, steps));
      checkReply(rpc, pack([0, spoilt(body, at, by)]));
    },
    { usual: 30, share: 0.2 },
  );
});
