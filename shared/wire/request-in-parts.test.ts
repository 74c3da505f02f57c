import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { makeFid } from '../model/fid.ts';
import type { AnyRequest } from './rpcs.ts';
import { decodeRequest, encodeRequest } from './codec.ts';
import { GodwitError } from './error-codes.ts';
import { MAX_BATCH_UPDATES } from './limits.ts';
import { requestInParts, UPDATES_OF_PART } from './request-in-parts.ts';

const packr = new Packr({ useRecords: false, mapsAsObjects: true });
const dir = makeFid(1, 1, 1);

const updates = (count: number): unknown[] =>
  Array.from({ length: count }, (_, n) => ({
    seq: n + 1,
    after: n % 3 === 1 ? [n] : [],
    update: {
      ...{ op: 'create', fid: makeFid(1, n + 2, 1), dir, name: `file ${n}` },
      ...{ mode: 0o644, mtime: '5', xattrs: [], at: '5' },
    },
  }));

const batch = (count: number, more: object = {}): Uint8Array =>
  encodeRequest('Apply', {
    ...{ volume: 1, lowWater: 1, updates: updates(count), overtaken: [] },
    ...more,
  } as never);

/** What came of it, and how many pieces of work that was; null: it is no batch. */
function inParts(bytes: Uint8Array): { request: AnyRequest | string; pieces: number } | null {
  const parts = requestInParts(bytes);
  if (parts === null) return null;
  for (let pieces = 1; ; pieces++) {
    try {
      const { done, value } = parts.next();
      if (done === true) return { request: value, pieces };
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
      return { request: error.code, pieces };
    }
  }
}

function atOnce(bytes: Uint8Array): AnyRequest | string {
  try {
    return decodeRequest(bytes, 'client');
  } catch (error) {
    if (!(error instanceof GodwitError)) throw error;
    return error.code;
  }
}

describe('a batch that is decoded in parts', () => {
  it.each([1, UPDATES_OF_PART, UPDATES_OF_PART + 1, 100, MAX_BATCH_UPDATES])(
    'is the same request, for %i updates',
    (count) => {
      const bytes = batch(count);
      const found = inParts(bytes);
      expect(found?.request).toEqual(atOnce(bytes));
      expect(found?.request).not.toBe('bad-message');
    },
  );

  it('takes a piece of work for each few updates', () => {
    const found = inParts(batch(MAX_BATCH_UPDATES));
    expect(found?.pieces).toBeGreaterThanOrEqual(MAX_BATCH_UPDATES / UPDATES_OF_PART);
  });

  it('keeps what the whole batch says', () => {
    const overtaken = [{ fid: dir, seq: 3 }];
    const bytes = batch(40, { overtaken });
    const before = atOnce(bytes);
    expect(inParts(bytes)?.request).toEqual(before);
    expect(before).toMatchObject({ body: { overtaken } });
  });

  it.each([
    ['too many updates', { updates: updates(MAX_BATCH_UPDATES + 1) }],
    ['an update that is none', { updates: [...updates(60), { seq: 'x' }] }],
    ['a field that is unknown', { other: 1 }],
    ['a volume that is none', { volume: 'home' }],
    ['updates that are no list', { updates: 7 }],
  ])('is refused for %s', (_, more) => {
    const bytes = packr.pack([
      11,
      { volume: 1, lowWater: 1, updates: updates(60), overtaken: [], ...more },
    ]);
    expect(atOnce(bytes)).toBe('bad-message');
    expect(inParts(bytes)?.request).toBe('bad-message');
  });

  it('is decoded alike whatever its bytes are', () => {
    const bytes = batch(50);
    const change = fc.record({ at: fc.nat(bytes.length - 1), to: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), fc.nat(3), (changes, cut) => {
        const altered = Uint8Array.from(bytes.subarray(0, bytes.length - cut));
        for (const { at, to } of changes) if (at < altered.length) altered[at] = to;
        const found = inParts(altered);
        if (found !== null) expect(found.request).toEqual(atOnce(altered));
      }),
      { numRuns: 2000 },
    );
  });

  it('is no batch where it is something else', () => {
    expect(inParts(encodeRequest('GetTime', {}))).toBeNull();
    expect(inParts(new Uint8Array())).toBeNull();
  });
});
