import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Packr } from 'msgpackr';
import * as any from '../../test/support/wire-arbitraries.ts';
import { makeFid } from '../model/fid.ts';
import { updateSeq } from '../model/update.ts';
import { commitNumber } from '../model/vnode.ts';
import { present } from '../util/assert.ts';
import {
  decodeReply,
  decodeRequest,
  encodeFailure,
  encodeReply,
  encodeRequest,
  replyInParts,
} from './codec.ts';
import { GodwitError } from './error-codes.ts';
import { MAX_FIDS, MAX_HEADER_BYTES, MAX_PAGE_COMMITS } from './limits.ts';
import { RPCS, type ReplyOf, type RpcName } from './rpcs.ts';

const packr = new Packr({ useRecords: false });
const names = Object.keys(RPCS) as RpcName[];

/** The code of the error that `run` throws; an error of any other kind is a failure of the decoder. */
function codeOf(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof GodwitError) return error.code;
    throw error;
  }
}

describe('a message on the wire', () => {
  it('is decoded as it was sent', () => {
    fc.assert(
      fc.property(any.status, fc.boolean(), any.counter, (status, behind, grant) => {
        const body = { status, behind, grant: grant as never };
        expect(decodeReply('Fetch', encodeReply('Fetch', body))).toEqual({ ok: true, body });
      }),
    );
  });

  it('carries an error with its code', () => {
    expect(decodeReply('Hello', encodeFailure('not-paired', 'who?'))).toEqual({
      ok: false,
      code: 'not-paired',
      detail: 'who?',
    });
  });

  it('names the break that was sent before it, if there was one', () => {
    const answers = [
      encodeReply('GiveUpCallbacks', {}, 7),
      encodeReply('GiveUpCallbacks', {}),
      encodeFailure('try-again', 'later', 7),
    ];
    expect(answers.map((bytes) => decodeReply('GiveUpCallbacks', bytes))).toEqual([
      { ok: true, body: {}, afterBreak: 7 },
      { ok: true, body: {} },
      { ok: false, code: 'try-again', detail: 'later', afterBreak: 7 },
    ]);
    for (const number of [0, -1, 1.5, 'x', null]) {
      const bytes = packr.pack([0, {}, number]);
      expect(() => decodeReply('GiveUpCallbacks', bytes)).toThrow('no number of a break');
    }
  });

  it('replaces an unknown error code of a newer peer by one it knows', () => {
    const reply = decodeReply('Hello', packr.pack([1, 'from-the-future', '']));
    expect(reply).toMatchObject({ ok: false, code: 'internal' });
  });
});

describe('the decoder of messages', () => {
  const fid = makeFid(1, 2, 3);
  const cases: Array<[string, unknown]> = [
    ['an unknown ordinal', [9999, {}]],
    ['a request that only a server may begin', [RPCS.BreakCallback.ordinal, { items: [] }]],
    ['a field too many', [RPCS.GetTime.ordinal, { more: 1 }]],
    ['a field too few', [RPCS.Fetch.ordinal, { fid }]],
    ['a fid that is none', [RPCS.Fetch.ordinal, { fid: '1.2', version: null }]],
    ['a fid part over 32 bits', [RPCS.Fetch.ordinal, { fid: '1.2.4294967296', version: null }]],
    ['a list over its limit', [RPCS.FetchStatus.ordinal, { fids: Array(MAX_FIDS + 1).fill(fid) }]],
    ['a negative number', [RPCS.Fetch.ordinal, { fid, version: -1 }]],
    ['a fraction', [RPCS.Fetch.ordinal, { fid, version: 1.5 }]],
    ['not a number', [RPCS.Fetch.ordinal, { fid, version: NaN }]],
    ['something that is no pair', { a: 1 }],
    ['a path for a name', [RPCS.FetchDir.ordinal, { fid, at: null, after: '../x', limit: 1 }]],
  ];
  it.each(cases)('refuses a message with %s', (_what, message) => {
    expect(codeOf(() => decodeRequest(packr.pack(message), 'client'))).toBe('bad-message');
  });

  it.each(['AB==', '/AN='])('refuses an attribute in non-canonical base64, %s', (value) => {
    const change = {
      op: 'setattr',
      fid,
      mode: null,
      mtime: null,
      xattrs: [{ name: 'user.x', value }],
    };
    const body = { volume: 1, lowWater: 0, updates: [{ seq: 1, after: [], update: change }] };
    const bytes = packr.pack([RPCS.Apply.ordinal, body]);
    expect(codeOf(() => decodeRequest(bytes, 'client'))).toBe('bad-message');
  });

  it('refuses a message over the limit before it looks at it', () => {
    const long = new Uint8Array(MAX_HEADER_BYTES + 1);
    expect(codeOf(() => decodeRequest(long, 'client'))).toBe('bad-message');
  });

  it.each(['..', '.', '', 'a/b', 'a\0b', 'x'.repeat(256), 'é'.repeat(128)])(
    'refuses the name %j',
    (name) => {
      const at = '0';
      const update = { op: 'mkdir', fid, dir: fid, name, at, mode: 0o755, mtime: at, xattrs: [] };
      const body = { volume: 1, lowWater: 0, updates: [{ seq: 1, after: [], update }] };
      const bytes = packr.pack([RPCS.Apply.ordinal, body]);
      expect(codeOf(() => decodeRequest(bytes, 'client'))).toBe('bad-message');
    },
  );
});

describe('the decoder of hostile bytes', () => {
  const decodeAll = (bytes: Uint8Array) => {
    const requests = (['client', 'server'] as const).map((from) =>
      codeOf(() => decodeRequest(bytes, from)),
    );
    const replies = names.map((rpc) => codeOf(() => decodeReply(rpc, bytes)));
    // Looked at together: a matcher takes longer than a message.
    const codes = new Set([...requests, ...replies]);
    expect([...codes].filter((code) => code !== null && code !== 'bad-message')).toEqual([]);
  };

  it('reports only coded errors for random bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), decodeAll), { numRuns: 3000 });
  });

  it('reports only coded errors for random MessagePack under every ordinal', () => {
    const ordinals = names.map((rpc) => RPCS[rpc].ordinal);
    const message = fc.tuple(fc.constantFrom(0, 1, ...ordinals), fc.anything({ maxDepth: 4 }));
    const packed = message.map((value) => {
      try {
        return new Uint8Array(packr.pack(value));
      } catch {
        return new Uint8Array(); // What can't be packed (a cyclic or symbol value) can't arrive either.
      }
    });
    fc.assert(fc.property(packed, decodeAll), { numRuns: 3000 });
  });

  it('reports only coded errors for real messages that were changed, cut or repeated', () => {
    const update = {
      op: 'create' as const,
      fid: makeFid(1, 70_000, 4),
      dir: makeFid(1, 1, 1),
      name: 'grüße.txt',
      mode: 0o644,
      mtime: '1700000000123456789' as never,
      xattrs: [],
      at: '1700000000123456789' as never,
    };
    const whole = new Uint8Array(
      encodeRequest('Apply', {
        volume: 1 as never,
        lowWater: 1 as never,
        updates: [{ seq: 2 as never, after: [1 as never], update }],
      }),
    );
    const mutation = fc.record({
      at: fc.nat(whole.length - 1),
      byte: fc.nat(255),
      cut: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 6 }), (mutations) => {
        let bytes = Uint8Array.from(whole);
        for (const { at, byte, cut } of mutations) {
          bytes[at % Math.max(1, bytes.length)] = byte;
          if (cut === 0) bytes = bytes.slice(0, at);
          if (cut === 1) bytes = Uint8Array.from([...bytes, ...bytes.slice(at)]);
        }
        decodeAll(bytes);
      }),
      { numRuns: 3000 },
    );
  });

  it('reports only coded errors for endless nesting and false lengths', () => {
    decodeAll(new Uint8Array(200_000).fill(0x91)); // arrays in arrays
    decodeAll(Uint8Array.from([0x92, 3, 0xdd, 0xff, 0xff, 0xff, 0xff])); // an array of 4 billion
    decodeAll(Uint8Array.from([0x92, 3, 0xdf, 0xff, 0xff, 0xff, 0xff])); // a map of 4 billion
    decodeAll(Uint8Array.from([0x92, 3, 0xdb, 0xff, 0xff, 0xff, 0xff])); // a string of 4 GB
    decodeAll(Uint8Array.from([0x92, 3, 0xc6, 0xff, 0xff, 0xff, 0xff])); // 4 GB of bytes
  });

  it('lets no message reach the prototype of objects', () => {
    const bytes = packr.pack([RPCS.GetTime.ordinal, JSON.parse('{"__proto__": {"polluted": 1}}')]);
    codeOf(() => decodeRequest(bytes, 'client'));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('the table of RPCs', () => {
  it('uses each ordinal once', () => {
    const ordinals = names.map((rpc) => RPCS[rpc].ordinal);
    expect(new Set(ordinals).size).toBe(names.length);
  });

  it('accepts a feed page as the server sends it', () => {
    const body = { commits: [], upTo: commitNumber(4), head: commitNumber(4), grant: null };
    expect(decodeReply('Changes', encodeReply('Changes', body))).toEqual({ ok: true, body });
  });
});

describe('a long reply in parts', () => {
  const changes = (count: number): ReplyOf<'Changes'> => ({
    commits: Array.from({ length: count }, (_, n) => ({
      commit: commitNumber(n + 1),
      device: 3,
      seq: updateSeq(n + 1),
      vnodes: [],
      entries: [
        { dir: makeFid(1, 1, 1), name: `naïve ${n}`, fid: n % 2 ? null : makeFid(1, n, 2) },
      ],
    })),
    upTo: commitNumber(count),
    head: commitNumber(count + 5),
    grant: null,
  });

  it.each([33, 47, 48, 64, 65, 500])(
    'decodes %i items to what was encoded, with a pause after each few',
    (count) => {
      const body = changes(count);
      const parts = present(replyInParts('Changes', body, 7), 'it is long');
      let pauses = 0;
      let made = parts.next();
      for (; made.done !== true; made = parts.next()) pauses++;
      expect(pauses).toBe(Math.floor(count / 32));
      expect(decodeReply('Changes', made.value)).toEqual({ ok: true, body, afterBreak: 7 });
    },
  );

  it('makes no parts of a short reply', () => {
    expect(replyInParts('Changes', changes(32))).toBeNull();
    expect(replyInParts('GiveUpCallbacks', {})).toBeNull();
  });
});

describe('the messages about history', () => {
  const moment = fc.record({
    commit: any.counter,
    when: any.counter,
    device: any.counter,
    deviceName: fc.constantFrom('laptop', null),
  });
  const bodies = {
    PastVersions: fc.record({
      versions: fc.array(fc.record({ status: any.status, since: moment, kept: fc.boolean() }), {
        maxLength: 4,
      }),
      more: fc.boolean(),
    }),
    PastNames: fc.record({
      names: fc.array(
        fc.record({
          name: any.name,
          fid: any.fid,
          since: moment,
          until: fc.option(moment),
          status: any.status,
          ended: fc.boolean(),
        }),
        { maxLength: 4 },
      ),
      more: fc.boolean(),
    }),
    OwnCommits: fc.record({
      commits: fc.array(
        fc.record({
          commit: any.counter,
          when: any.counter,
          names: fc.array(
            fc.record({
              dir: any.fid,
              name: any.name,
              was: fc.option(any.fid),
              now: fc.option(any.fid),
            }),
            { maxLength: 2 },
          ),
          vnodes: fc.array(fc.record({ before: fc.option(any.status), after: any.status }), {
            maxLength: 3,
          }),
        }),
        { maxLength: 3 },
      ),
      more: fc.boolean(),
    }),
  } as const;

  it.each(['PastVersions', 'PastNames', 'OwnCommits'] as const)(
    'are decoded as sent (%s), and when damaged as a coded error or another message',
    (rpc) => {
      const mutation = fc.record({ at: fc.nat(5000), byte: fc.nat(255) });
      fc.assert(
        fc.property(
          bodies[rpc],
          fc.array(mutation, { minLength: 1, maxLength: 4 }),
          (body, changes) => {
            const bytes = Uint8Array.from(encodeReply(rpc, body as never));
            expect(decodeReply(rpc, bytes)).toEqual({ ok: true, body });
            for (const { at, byte } of changes) bytes[at % bytes.length] = byte;
            expect([null, 'bad-message']).toContain(codeOf(() => decodeReply(rpc, bytes)));
          },
        ),
        { numRuns: 100 },
      );
    },
  );

  const fid = makeFid(1, 2, 3);
  const refused: Array<[string, RpcName, unknown]> = [
    ['a page without end', 'PastVersions', { fid, before: null, limit: MAX_PAGE_COMMITS + 1 }],
    ['a page of nothing', 'OwnCommits', { volume: 1, before: null, limit: 0 }],
    ['a path for a name', 'PastNames', { dir: fid, name: 'a/b', after: null, limit: 1 }],
    ['a commit that is none', 'PastDir', { fid, at: -1, after: null, limit: 1 }],
    ['a name of a snapshot', 'NamedSnapshots', { volume: 1, name: 'yesterday' }],
    ['somebody else', 'OwnCommits', { volume: 1, device: 2, before: null, limit: 1 }],
    ['contents by digest', 'PastVersions', { digest: 'a'.repeat(64), before: null, limit: 1 }],
  ];
  it.each(refused)('are refused with %s', (_what, rpc, body) => {
    const bytes = packr.pack([RPCS[rpc].ordinal, body]);
    expect(codeOf(() => decodeRequest(bytes, 'client'))).toBe('bad-message');
  });
});
