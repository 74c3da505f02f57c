/** Attributes may be large, and a message has an end: an answer about many vnodes says as much as it holds, and is asked for again. */
import { beforeEach, expect, it } from '@jest/globals';
import { CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import { create, VOLUME } from '../../../test/support/core-updates.ts';
import { LARGE_XATTRS } from '../../../test/support/large-xattrs.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import { encodeReply } from '../../../shared/wire/codec.ts';
import { MAX_HEADER_BYTES } from '../../../shared/wire/limits.ts';
import type { AnyReply } from '../events.ts';

const COUNT = 6;

let server: CoreServer;
let a: TestDevice;
let b: TestDevice;
let fids: Fid[];

beforeEach(async () => {
  server = await CoreServer.start();
  [a, b] = [await server.join(), await server.join()];
  fids = Array.from({ length: COUNT }, (_, n) => a.fid(n));
  for (const [n, fid] of fids.entries()) {
    await a.apply({ ...create(fid, `f${n}`), xattrs: [...LARGE_XATTRS] });
  }
});

const lengthOf = (reply: AnyReply): number => encodeReply(reply.rpc, reply.body).length;

it.each(['FetchStatus', 'Validate'] as const)(
  'an answer to %s ends before a message grows too long, and the rest is asked for again',
  async (rpc) => {
    const told: Fid[] = [];
    while (told.length < COUNT) {
      const left = fids.slice(told.length);
      const items = left.map((fid) => ({ fid, commit: 0 as CommitNumber }));
      const body = await (rpc === 'Validate'
        ? b.ask('Validate', { items })
        : b.ask('FetchStatus', { fids: left }));
      expect(lengthOf({ rpc, body } as AnyReply)).toBeLessThan(MAX_HEADER_BYTES);
      expect(body.items.map(({ fid }) => fid)).toEqual(left.slice(0, body.items.length));
      expect(body.items[0]).toMatchObject({ status: { links: 1 } });
      told.push(...body.items.map(({ fid }) => fid));
    }
    expect(told).toEqual(fids);
  },
);

it('an answer that was cut short gives no promise for the vnodes left out', async () => {
  const { items } = await b.ask('FetchStatus', { fids });
  expect(items.length).toBeLessThan(COUNT);
  const [last, next] = [fids[items.length - 1], fids[items.length]] as [Fid, Fid];
  const broken: unknown[] = [];
  server.watch = (what) => {
    if (what.kind === 'break') broken.push(...what.items.map(({ subject }) => subject.fid));
  };
  for (const fid of [last, next]) {
    await a.apply({ op: 'setattr', fid, mode: 0o600, mtime: null, xattrs: null });
  }
  expect(broken).toContain(last);
  expect(broken).not.toContain(next);
});

it('an answer to Validate has room for all vnodes that are current', async () => {
  const items = [];
  for (const fid of fids) {
    const [one] = (await b.ask('FetchStatus', { fids: [fid] })).items;
    items.push({ fid, commit: one?.status?.commit as CommitNumber });
  }
  const told = (await b.ask('Validate', { items })).items;
  expect(told.map(({ current }) => current)).toEqual(fids.map(() => true));
});

it('an answer to Apply that was cut short has the other results when they are asked for again', async () => {
  const updates = fids.map((_, n) => ({
    seq: (50 + n) as UpdateSeq,
    after: [],
    update: create(b.fid(n), `f${n}`),
  }));
  const told: UpdateSeq[] = [];
  while (told.length < COUNT) {
    const left = updates.slice(told.length);
    const body = await b.ask('Apply', { volume: VOLUME, lowWater: 1 as UpdateSeq, updates: left });
    expect(lengthOf({ rpc: 'Apply', body })).toBeLessThan(MAX_HEADER_BYTES);
    expect(body.results[0]).toMatchObject({ ok: false, refusal: 'name-taken' });
    told.push(...body.results.map(({ seq }) => seq));
  }
  expect(told).toEqual(updates.map(({ seq }) => seq));
});
