/** What a device may mark by headers of stores that never come: what is in its volume, and so much. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { bodyOf, CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import { create } from '../../../test/support/core-updates.ts';
import { MemoryMetaStore } from '../../../app/lab/simulator/store/memory-meta-store.ts';
import { makeFid, type Fid } from '../../../shared/model/fid.ts';
import { MAX_DEVICE_MARKS } from '../../limits.ts';

let server: CoreServer;
let device: TestDevice;
let reader: TestDevice;

beforeEach(async () => {
  server = await CoreServer.start();
  [device, reader] = [await server.join(), await server.join()];
});

const foreign = makeFid(2, 70_000, 2);

describe('a store for a file of another volume', () => {
  it('sets no mark and is refused before its contents arrive', async () => {
    const call = device.sendStore(foreign, 1);
    await server.settle();
    expect(server.state.volumes.find(foreign)?.marks.get(device.id, foreign) ?? null).toBeNull();
    expect(bodyOf<'Store'>(server.outcome(call)).result).toMatchObject({
      ok: false,
      refusal: 'no-such-vnode',
    });
    // What comes nevertheless is thrown away.
    device.sendContent(call);
    await server.settle();
    expect(server.discarded).toHaveLength(1);
    expect((await CoreServer.start(server.meta)).state.volumes.limits.marks.owners()).toEqual([]);
  });

  it('gets the same answer when it is sent again', async () => {
    const first = device.sendStore(foreign, 1, { seq: 5 });
    await server.settle();
    const again = device.sendStore(foreign, 1, { seq: 5 });
    await server.settle();
    expect(server.outcome(again)).toEqual(server.outcome(first));
  });

  it.each([
    ['for a volume that its device may not see', 2],
    ['for a volume that does not exist', 1],
  ])('sets no mark %s when the end of a mark is announced meanwhile', async (_, volumes) => {
    const meta = new MemoryMetaStore();
    meta.beginWith(volumes);
    const other = await CoreServer.start(meta);
    const writer = await other.join();
    await writer.hello({ announces: true });
    other.hold.loads = true;
    writer.sendStore(foreign, 1);
    await other.settle();
    const message = { number: 1, marks: [], ends: [foreign], complete: false };
    writer.send('ForwardInvalidate', message);
    await other.settle();
    expect(other.state.volumes.limits.marks.owners()).toEqual([]);
    await other.release('loads');
    expect((await CoreServer.start(meta)).state.volumes.limits.marks.owners()).toEqual([]);
  });

  it('sets no mark through the updates it has overtaken', async () => {
    const overtaken = [{ fid: foreign, seq: 90 as never }];
    const update = create(device.fid(0), 'x');
    await device.ask('Apply', {
      ...{ volume: 1 as never, lowWater: 0 as never, overtaken },
      updates: [{ seq: 100 as never, after: [], update }],
    });
    expect(server.state.volumes.find(foreign)?.marks.get(device.id, foreign) ?? null).toBeNull();
  });
});

describe('the headers of stores', () => {
  const cutOff = async (fids: readonly Fid[]): Promise<void> => {
    for (const fid of fids) device.sendStore(fid, 1);
    await server.settle();
    device.disconnect();
    await device.hello();
  };

  it('set no more marks than a device may have', async () => {
    for (let n = 0; n < MAX_DEVICE_MARKS + 1000; n += 1000) {
      await cutOff(Array.from({ length: 1000 }, (_, k) => makeFid(1, 70_000_000 + n + k, 2)));
    }
    expect(server.state.volumes.limits.marks.total(device.id)).toBe(MAX_DEVICE_MARKS);
    const { limits } = (await CoreServer.start(server.meta)).state.volumes;
    expect(limits.marks.total(device.id)).toBe(MAX_DEVICE_MARKS);
  });

  it('set no more marks together with announcements than a device may have', async () => {
    await device.hello({ announces: true });
    for (let n = 0; n * 256 < MAX_DEVICE_MARKS + 512; n++) {
      if (n * 256 === MAX_DEVICE_MARKS - 256) device.sendStore(makeFid(1, 90_000_000, 2), 1);
      const marks = Array.from({ length: 256 }, (_, k) => {
        return { fid: makeFid(1, 70_000_000 + n * 256 + k, 2), seq: null };
      });
      const told = { number: n + 1, marks, ends: [], complete: false };
      await device.ask('ForwardInvalidate', told);
    }
    expect(server.state.volumes.limits.marks.total(device.id)).toBe(MAX_DEVICE_MARKS);
  });

  it('break promises beyond the limit, too, and their stores can be committed', async () => {
    for (let n = 0; n < MAX_DEVICE_MARKS; n += 1000) {
      await cutOff(Array.from({ length: 1000 }, (_, k) => makeFid(1, 70_000_000 + n + k, 2)));
    }
    await cutOff(Array.from({ length: 1000 }, (_, k) => makeFid(1, 80_000_000 + k, 2)));
    const file = reader.fid(0);
    await reader.applyOne(create(file, 'file'));
    await reader.ask('FetchStatus', { fids: [file] });
    server.hold.breaks = true;
    const call = device.sendStore(file, 0);
    await server.settle();
    expect(server.breaks).toHaveLength(1);
    // Promised anew while the contents are on their way: that is broken with the commit.
    await server.release('breaks');
    const [item] = (await reader.ask('FetchStatus', { fids: [file] })).items;
    expect(item?.grant).not.toBeNull();
    server.hold.breaks = true;
    device.sendContent(call);
    await server.settle();
    expect(server.breaks).toHaveLength(1);
    expect(server.outcome(call)).toBeUndefined();
    await server.release('breaks');
    expect(bodyOf<'Store'>(server.outcome(call)).result.ok).toBe(true);
  });
});
