import { expect, it } from '@jest/globals';
import { encodeFailure, encodeReply, encodeRequest, rpcOf } from './codec.ts';
import { isFailure, ordinalIn } from './first-bytes.ts';
import { RPCS, type RpcName } from './rpcs.ts';

it('the first bytes of a request have its ordinal', () => {
  const request = encodeRequest('GetTime', {});
  expect(ordinalIn(request)).toBe(RPCS.GetTime.ordinal);
});

it.each(Object.keys(RPCS) as RpcName[])(
  'the first bytes of %s give the ordinal that the codec reads',
  (rpc) => {
    const bytes = encodeRequest(rpc, {});
    expect([ordinalIn(bytes), rpcOf(bytes)]).toEqual([RPCS[rpc].ordinal, rpc]);
  },
);

it.each([[[]], [[0x92]], [[0x91, 1]], [[0x92, 0xcd, 1, 1]], [[0x92, 0xcc]], [[0xff, 0xff, 0xff]]])(
  'bytes %j are the beginning of no request',
  (bytes) => {
    expect(ordinalIn(Uint8Array.from(bytes))).toBe(0);
  },
);

it('the first bytes of a reply show whether it is an error', () => {
  const fine = encodeReply('GiveUpCallbacks', {});
  const late = encodeReply('GiveUpCallbacks', {}, 7);
  const failures = [encodeFailure('no-right', 'd'), encodeFailure('no-right', 'd', 7)];
  expect([fine, late, ...failures].map(isFailure)).toEqual([false, false, true, true]);
});
