import { describe, expect, it } from '@jest/globals';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import { decodeRequest, encodeRequest } from '../../../shared/wire/codec.ts';
import {
  MAX_EPOCHS,
  MAX_HELLO_BYTES,
  MAX_LABEL_BYTES,
  MAX_VOLUMES,
} from '../../../shared/wire/limits.ts';
import { RPCS, type RequestOf } from '../../../shared/wire/rpcs.ts';
import { headsTold, REST_OF_HELLO_BYTES, type Head } from './heads-told.ts';

const LARGEST = Number.MAX_SAFE_INTEGER;
const token = 'f'.repeat(32);

function heads(count: number, lastVolume: number, head: number): Head[] {
  return Array.from({ length: count }, (_, n) => ({
    volume: (lastVolume - n) as VolumeId,
    head: (head - n) as CommitNumber,
  }));
}

/** Every field there is, as long as it may be. */
function largest(told: Head[]): Required<RequestOf<'Hello'>> {
  return {
    protocol: { min: 0xffff, max: 0xffff },
    software: 'é'.repeat(MAX_LABEL_BYTES / 2),
    deviceName: 'é'.repeat(MAX_LABEL_BYTES / 2),
    incarnation: { previous: token, next: token },
    epoch: token,
    epochsBefore: Array.from({ length: MAX_EPOCHS }, () => token),
    heads: told,
    lowWater: LARGEST as UpdateSeq,
    lastSeq: LARGEST as UpdateSeq,
    run: token.slice(0, 16),
    endedRun: token.slice(0, 16),
    ordersAnswers: true,
    announces: true,
    takesPulls: true,
    takesUnshared: true,
    takesOrders: true,
    invitation: { id: token, secret: token },
  };
}

describe('the heads of volumes in a Hello', () => {
  it('are all included when numbers have their usual size', () => {
    const all = heads(MAX_VOLUMES, 60_000, 4_000_000_000);
    expect(headsTold(all)).toHaveLength(MAX_VOLUMES);
    const bytes = encodeRequest('Hello', largest(headsTold(all)));
    expect(bytes.length).toBeLessThanOrEqual(MAX_HELLO_BYTES);
  });

  it('are the highest ones when not all fit, and the longest possible Hello fits', () => {
    const all = heads(MAX_VOLUMES, 0xffff_ffff, LARGEST);
    const told = headsTold([...all].reverse());
    expect(told.length).toBeGreaterThan(MAX_VOLUMES / 2);
    expect(told).toEqual(all.slice(0, told.length));
    const body = largest(told);
    const bytes = encodeRequest('Hello', body);
    expect(bytes.length).toBeLessThanOrEqual(MAX_HELLO_BYTES);
    expect(decodeRequest(bytes, 'client')).toEqual({ rpc: 'Hello', body });
  });

  it('leave enough space for the other fields of Hello', () => {
    expect(Object.keys(largest([])).sort()).toEqual(Object.keys(RPCS.Hello.request.shape).sort());
    expect(encodeRequest('Hello', largest([])).length).toBeLessThanOrEqual(REST_OF_HELLO_BYTES);
  });
});
