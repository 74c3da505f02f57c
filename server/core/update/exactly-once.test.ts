import { describe, expect, it } from '@jest/globals';
import { bodyOf, CoreServer, seqs } from '../../../test/support/core-server.ts';
import { chmod, create, mkdir, ROOT, VOLUME } from '../../../test/support/core-updates.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { MAX_DEVICE_WAITING, MAX_SENT_AGAIN_BYTES } from '../../limits.ts';

const [ADA, COPY] = ['a'.repeat(16), 'c'.repeat(16)];
const REFUSED = { code: 'incarnation-reused' };

describe('an update number that a copy of the data folder has also used (rules I2, W4)', () => {
  it('gives the copy no answer and stops its updates', async () => {
    const device = await (await CoreServer.start()).join();
    const { server } = device;
    const sent = (seq: number, name: string, file: string): number =>
      device.sendUpdates([{ seq, name, update: create(device.fid(seq), file) }]);
    const calls = [sent(1, ADA, 'x'), sent(2, ADA, 'y')];
    await server.settle();
    await device.hello();
    calls.push(sent(1, ADA, 'x'), sent(2, COPY, 'z'), sent(3, COPY, 'w'));
    await server.settle();
    const answers = calls.map((call) => server.outcome(call));
    expect(answers[2]).toEqual(answers[0]);
    expect(answers.slice(3)).toEqual([REFUSED, REFUSED]);
    // Its next session begins anew, and ends at the same number.
    await device.hello();
    calls.push(sent(1, ADA, 'x'));
    await server.settle();
    expect(server.outcome(calls.at(-1) as number)).toEqual(answers[0]);
  });

  it("gives the copy no answer while the other's update is under way", async () => {
    const server = await CoreServer.start();
    const [device, holder] = [await server.join(), await server.join()];
    await holder.ask('FetchStatus', { fids: [ROOT] });
    server.hold.breaks = true;
    device.sendUpdates([{ seq: 1, name: ADA, update: create(device.fid(0), 'x') }]);
    await server.settle();
    await device.hello();
    const call = device.sendUpdates([{ seq: 1, name: COPY, update: create(device.fid(0), 'y') }]);
    await server.settle();
    expect(server.outcome(call)).toEqual(REFUSED);
    await server.release('breaks');
    const listing = { fid: ROOT, at: null, after: null, limit: 9 };
    const { entries } = await device.ask('FetchDir', listing);
    expect(entries.map(({ name }) => name)).toEqual(['x']);
  });

  it('stops a later update of the copy with a number of its own', async () => {
    const device = await (await CoreServer.start()).join();
    const { server } = device;
    const item = (seq: number, file: string) => ({ seq, update: create(device.fid(seq), file) });
    device.sendUpdates([{ ...item(1, 'x'), name: ADA }]);
    await server.settle();
    // The first was ada's, before she was cut off; the second overtook the copy's own first.
    const after = { after: [1], name: COPY };
    const good = device.sendUpdates([{ ...item(2, 'y'), ...after, afterNames: [ADA] }]);
    await server.settle();
    const bad = device.sendUpdates([{ ...item(3, 'z'), ...after }]);
    await server.settle();
    expect(server.outcome(good)).toMatchObject({ body: { results: [{ ok: true }] } });
    expect(server.outcome(bad)).toEqual(REFUSED);
  });

  it('delays nobody with a store of the copy', async () => {
    const device = await (await CoreServer.start()).join();
    const { server } = device;
    await device.apply(create(device.fid(0), 'x'));
    await device.store(device.fid(0), 0, { seq: 5, name: ADA });
    const call = device.sendStore(device.fid(0), 0, { seq: 5, name: COPY });
    await server.settle();
    expect(server.outcome(call)).toEqual(REFUSED);
    expect(server.state.volumes.limits.marks.owners()).toEqual([]);
  });

  it('is accepted without a name when the update is older than names', async () => {
    const device = await (await CoreServer.start()).join();
    const update = create(device.fid(0), 'x');
    const calls = [
      { seq: 1, update },
      { seq: 1, name: ADA, update },
    ].map((item) => device.sendUpdates([item]));
    await device.server.settle();
    const answers = calls.map((call) => bodyOf<'Apply'>(device.server.outcome(call)).results[0]);
    expect(answers.map((each) => each?.ok && each.commit)).toEqual([2, 2]);
  });

  it('belongs to nobody below the low water', async () => {
    const device = await (await CoreServer.start()).join();
    device.lowWater = 4;
    const call = device.sendUpdates([{ seq: 3, update: create(device.fid(0), 'x') }]);
    await device.server.settle();
    expect(device.server.outcome(call)).toEqual(REFUSED);
  });
});

describe('an update with a number', () => {
  it('is not applied when the low water passes it while it waits', async () => {
    const device = await (await CoreServer.start()).join();
    const { server } = device;
    const late = { seq: 3, after: [2], update: create(device.fid(0), 'x') };
    const call = device.sendUpdates([late]);
    await server.settle();
    device.lowWater = 5;
    device.sendUpdates([{ seq: 6, update: create(device.fid(1), 'y') }]);
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'try-again' });
    // Nothing was made: the name is free.
    const again = device.sendUpdates([{ seq: 7, update: create(device.fid(0), 'x') }]);
    await server.settle();
    expect(server.outcome(again)).toMatchObject({ body: { results: [{ ok: true }] } });
  });

  it('gets the same answer when it is sent again', async () => {
    const device = await (await CoreServer.start()).join();
    const update = create(device.fid(0), 'x');
    const calls = [device.sendUpdates([{ seq: 1, update }])];
    await device.server.settle();
    calls.push(device.sendUpdates([{ seq: 1, update }]));
    await device.server.settle();
    const [first, again] = calls.map((call) => bodyOf<'Apply'>(device.server.outcome(call)));
    expect(first?.results[0]).toMatchObject({ ok: true, commit: 2 });
    expect(again).toEqual(first);
  });

  it('is applied once when it is sent again while it is under way', async () => {
    const device = await (await CoreServer.start()).join();
    device.server.hold.commits = true;
    const update = create(device.fid(0), 'x');
    const calls = [1, 2].map(() => device.sendUpdates([{ seq: 1, update }]));
    await device.server.settle();
    calls.push(device.sendUpdates([{ seq: 1, update }]));
    await device.server.release('commits');
    const results = calls.map((call) => bodyOf<'Apply'>(device.server.outcome(call)).results[0]);
    expect(results.map((each) => each?.ok && each.commit)).toEqual([2, 2, 2]);
  });

  it('gets the same answer after a restart, also a refusal', async () => {
    const before = await CoreServer.start();
    const device = await before.join();
    const update = create(device.fid(0), 'x');
    await device.apply(update, { ...update, fid: device.fid(1) });
    const server = await CoreServer.start(before.meta);
    Object.assign(device, { server });
    await device.hello();
    const call = device.sendUpdates([
      { seq: 1, update },
      { seq: 2, update },
    ]);
    await server.settle();
    expect(bodyOf<'Apply'>(server.outcome(call)).results).toMatchObject([
      { ok: true, commit: 2 },
      { ok: false, refusal: 'name-taken', existing: { commit: 2 } },
    ]);
  });

  it('is not applied when its device has renumbered it', async () => {
    const device = await (await CoreServer.start()).join();
    const fid = device.fid(0);
    // Parked: the update it names has not come yet.
    const call = device.sendStore(fid, 0, { seq: 2, after: [1] });
    device.sendContent(call);
    await device.server.settle();
    device.disconnect();
    // Meanwhile 1 was refused, and 2 became 4; the device says so.
    device.lowWater = 3;
    await device.hello();
    const made = device.sendUpdates([{ seq: 3, update: create(fid, 'x') }]);
    await device.server.settle();
    expect(bodyOf<'Apply'>(device.server.outcome(made)).results).toMatchObject([{ ok: true }]);
    const { items } = await device.ask('FetchStatus', { fids: [fid] });
    expect(items[0]?.status).toMatchObject({ version: 0, digest: null });
  });

  it('a store that was answered needs no contents again', async () => {
    const device = await (await CoreServer.start()).join();
    await device.apply(create(device.fid(0), 'x'));
    await device.store(device.fid(0), 0, { seq: 5 });
    const call = device.sendStore(device.fid(0), 0, { seq: 5 });
    await device.server.settle();
    expect(bodyOf<'Store'>(device.server.outcome(call)).result).toMatchObject({
      ok: true,
      commit: 3,
    });
    expect(device.server.state.volumes.limits.marks.owners()).toEqual([]);
  });

  it('the second call of a store replaces the first', async () => {
    const device = await (await CoreServer.start()).join();
    await device.apply(create(device.fid(0), 'x'));
    const [first, second] = [1, 2].map(() => device.sendStore(device.fid(0), 0, { seq: 5 }));
    device.sendContent(first as number);
    device.sendContent(second as number);
    await device.server.settle();
    expect(bodyOf<'Store'>(device.server.outcome(second as number)).result).toMatchObject({
      commit: 3,
    });
  });

  it('many contents are not received twice while the answer has to wait (rule P3)', async () => {
    const server = await CoreServer.start();
    const [device, holder] = [await server.join(), await server.join()];
    await device.apply(create(device.fid(0), 'x'));
    await holder.ask('FetchStatus', { fids: [device.fid(0)] });
    server.hold.breaks = true;
    const large = { seq: 5, length: MAX_SENT_AGAIN_BYTES + 1 };
    const first = device.sendStore(device.fid(0), 0, large);
    device.sendContent(first, large);
    await server.settle();
    await device.hello();
    const again = device.sendStore(device.fid(0), 0, large);
    await server.settle();
    expect(server.outcome(again)).toEqual({ code: 'try-again' });
    await server.release('breaks');
    const last = device.sendStore(device.fid(0), 0, large);
    await server.settle();
    expect(bodyOf<'Store'>(server.outcome(last)).result).toMatchObject({ ok: true });
  });

  it.each([
    [
      'numbers out of order',
      [
        { seq: 6, after: [] },
        { seq: 5, after: [] },
      ],
    ],
    ['a dependency on a later one', [{ seq: 5, after: [6] }]],
  ])('a message with %s violates the protocol', async (_, items) => {
    const device = await (await CoreServer.start()).join();
    const updates = items.map(({ seq, after }) => ({
      seq: seq as UpdateSeq,
      after: seqs(...after),
      update: create(device.fid(seq), 'x'),
    }));
    const body = { volume: VOLUME, lowWater: 0 as UpdateSeq, updates };
    expect(await device.try('Apply', body)).toEqual({ code: 'bad-message' });
  });
});

describe('an update with dependencies', () => {
  it('waits for the create of its file, also in a later batch', async () => {
    const device = await (await CoreServer.start()).join();
    const call = device.sendStore(device.fid(0), 0, { seq: 2, after: [1] });
    device.sendContent(call);
    await device.server.settle();
    expect(device.server.outcome(call)).toBeUndefined();
    device.sendUpdates([{ seq: 1, update: create(device.fid(0), 'x') }]);
    await device.server.settle();
    expect(bodyOf<'Store'>(device.server.outcome(call)).result).toMatchObject({ commit: 3 });
  });

  it('delays the answer of its batch and not the other updates', async () => {
    const device = await (await CoreServer.start()).join();
    const call = device.sendUpdates([
      { seq: 2, after: [1], update: create(device.fid(2), 'y') },
      { seq: 3, update: create(device.fid(3), 'z') },
    ]);
    await device.server.settle();
    expect(device.server.outcome(call)).toBeUndefined();
    const other = device.sendUpdates([{ seq: 1, update: create(device.fid(1), 'x') }]);
    await device.server.settle();
    const commits = [other, call].flatMap((each) =>
      bodyOf<'Apply'>(device.server.outcome(each)).results.map((r) => r.ok && r.commit),
    );
    expect(commits).toEqual([3, 4, 2]);
  });

  it('is applied when the other one turns out to be applied long ago', async () => {
    const device = await (await CoreServer.start()).join();
    const { server } = device;
    const first = { seq: 1, update: create(device.fid(0), 'x') };
    device.sendUpdates([first]);
    await server.settle();
    server.hold.loads = true;
    device.sendUpdates([first]);
    const second = device.sendUpdates([{ seq: 2, after: [1], update: chmod(device.fid(0), 0) }]);
    await server.settle();
    await server.releaseAt('loads', 1);
    await server.release('loads');
    expect(bodyOf<'Apply'>(server.outcome(second)).results[0]).toMatchObject({
      ok: true,
      commit: 3,
    });
  });

  it('fails together with the other one, and so do its own dependents', async () => {
    const device = await (await CoreServer.start()).join();
    const calls = [
      device.sendUpdates([{ seq: 3, after: [2], update: chmod(device.fid(0), 1) }]),
      device.sendUpdates([{ seq: 2, after: [1], update: chmod(device.fid(0), 0) }]),
      device.sendUpdates([{ seq: 1, update: chmod(device.fid(9), 0) }]),
    ];
    await device.server.settle();
    const refusals = calls.map((call) => {
      const [result] = bodyOf<'Apply'>(device.server.outcome(call)).results;
      return result?.ok === false && result.refusal;
    });
    expect(refusals).toEqual(['dependency-failed', 'dependency-failed', 'no-such-vnode']);
  });

  it('treats updates below the low water as applied', async () => {
    const device = await (await CoreServer.start()).join();
    const call = device.sendUpdates([
      { seq: 9, after: [1, 2], update: create(device.fid(0), 'x') },
    ]);
    await device.server.settle();
    expect(device.server.outcome(call)).toBeUndefined();
    device.lowWater = 3;
    device.sendUpdates([{ seq: 10, update: mkdir(device.fid(1), 'd') }]);
    await device.server.settle();
    expect(bodyOf<'Apply'>(device.server.outcome(call)).results[0]?.ok).toBe(true);
  });

  it('is sent again later when too many wait', async () => {
    const device = await (await CoreServer.start()).join();
    const calls = Array.from({ length: MAX_DEVICE_WAITING / 256 + 1 }, (_, batch) =>
      device.sendUpdates(
        Array.from({ length: 256 }, (__, n) => ({
          seq: batch * 256 + n + 2,
          after: [1],
          update: chmod(device.fid(0), 0),
        })),
      ),
    );
    await device.server.settle();
    const outcomes = calls.map((call) => device.server.outcome(call));
    expect(outcomes.filter((each) => each !== undefined)).toEqual([{ code: 'try-again' }]);
    device.sendUpdates([{ seq: 1, update: create(device.fid(0), 'x') }]);
    await device.server.settle();
    expect(calls.every((call) => device.server.outcome(call) !== undefined)).toBe(true);
  });

  it('is not committed when its contents differ from the announced ones', async () => {
    const device = await (await CoreServer.start()).join();
    await device.apply(create(device.fid(0), 'x'));
    const call = device.sendStore(device.fid(0), 0, { seq: 5 });
    device.sendContent(call, { length: 2 });
    await device.server.settle();
    expect(device.server.outcome(call)).toEqual({ code: 'length-mismatch' });
    expect(await device.store(device.fid(0), 0, { seq: 5 })).toMatchObject({ ok: true });
  });
});
