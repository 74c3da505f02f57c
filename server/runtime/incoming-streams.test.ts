import { beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { seconds, wallTime } from '../../shared/model/time.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import type { DataVersion } from '../../shared/model/vnode.ts';
import {
  bytesOf,
  NEW,
  OLD,
  STORED,
  streamOf,
  StreamsBench,
} from '../../test/support/streams-bench.ts';
import { PART_LIFETIME } from '../limits.ts';

let bench: StreamsBench;

beforeEach(async () => {
  bench = await StreamsBench.start();
});

describe('an upload in part', () => {
  it('resumes where it was cut off', async () => {
    await bench.cut(2, OLD);
    const offset = await bench.lengthBegun(OLD);
    expect(await bench.store(2, OLD, { offset })).toMatchObject(STORED);
    expect((await bench.fetch()).content).toEqual(OLD);
    expect(bench.server.streamFiles).toEqual([]);
  });

  it('completes after repeated interruptions', async () => {
    await bench.cut(2, OLD);
    const first = await bench.lengthBegun(OLD);
    await bench.cut(2, OLD, { offset: first });
    const second = await bench.lengthBegun(OLD);
    expect(second).toBeGreaterThan(first);
    expect(await bench.store(2, OLD, { offset: second })).toMatchObject(STORED);
    expect((await bench.fetch()).content).toEqual(OLD);
  });

  it('resumes after a restart of the server', async () => {
    await bench.cut(2, OLD);
    bench.server.kill();
    bench.server.disk.crash();
    await bench.server.start(bench.meta);
    await bench.back();
    const offset = await bench.lengthBegun(OLD);
    expect(await bench.store(2, OLD, { offset })).toMatchObject(STORED);
    expect(bench.server.streamFiles).toEqual([]);
  });

  it('resumes when the server closed during it', async () => {
    bench.begin(2, OLD);
    await bench.server.world.pass(seconds(0.2));
    await bench.server.close();
    await bench.server.start(bench.meta);
    await bench.back();
    expect(await bench.store(2, OLD, { offset: await bench.lengthBegun(OLD) })).toMatchObject(
      STORED,
    );
  });

  it('is offered again when the device returns after a lost connection', async () => {
    bench.begin(2, OLD);
    await bench.server.world.pass(seconds(0.2));
    await bench.back();
    expect(await bench.store(2, OLD, { offset: await bench.lengthBegun(OLD) })).toMatchObject(
      STORED,
    );
  });

  it('is refused when the rest does not match, and then comes whole', async () => {
    await bench.cut(2, OLD);
    const offset = await bench.lengthBegun(OLD);
    const rest = bytesOf(OLD.length - offset);
    expect(await bench.store(2, OLD, { offset, rest })).toMatchObject({
      reply: { code: 'damaged-delta' },
    });
    expect(bench.server.streamFiles).toEqual([]);
    expect(await bench.begun(OLD)).toEqual([0]);
    expect(await bench.store(2, OLD)).toMatchObject(STORED);
  });

  it.each([1, 5_000, 19_999])(
    'is refused from offset %d on when nothing was received',
    async (offset) => {
      expect(await bench.store(2, OLD, { offset })).toMatchObject({
        reply: { code: 'unknown-base' },
      });
      await bench.server.world.settle();
      expect(bench.server.streamFiles).toEqual([]);
    },
  );

  it('needs no more bytes when everything had arrived', async () => {
    bench.server.kill();
    bench.putPart('laptop', OLD, OLD);
    await bench.server.start(bench.meta);
    await bench.back();
    expect(await bench.begun(OLD)).toEqual([OLD.length]);
    expect(await bench.store(2, OLD, { offset: OLD.length })).toMatchObject(STORED);
    expect((await bench.fetch()).content).toEqual(OLD);
    expect(bench.server.streamFiles).toEqual([]);
  });

  it('leaves no part when it comes whole in the end', async () => {
    await bench.cut(2, OLD);
    expect(await bench.store(2, OLD)).toMatchObject(STORED);
    await bench.server.world.settle();
    expect(bench.server.streamFiles).toEqual([]);
  });

  it('is hidden from other devices and before Hello', async () => {
    await bench.cut(2, OLD);
    const own = bench.client;
    bench.client = await bench.joined('other', 3);
    expect(await bench.begun(OLD)).toEqual([0]);
    expect(await bench.store(1, OLD, { offset: 5_000 })).toMatchObject({
      reply: { code: 'unknown-base' },
    });
    bench.client = own;
    await bench.client.connect();
    expect(await bench.client.ask('Begun', { streams: [digestOf(OLD)] })).toMatchObject({
      reply: { code: 'hello-first' },
    });
  });

  it('is not offered to a second call with the same bytes while it resumes', async () => {
    await bench.cut(2, OLD);
    const offset = await bench.lengthBegun(OLD);
    const first = bench.begin(2, OLD, { offset });
    await bench.server.world.pass(seconds(0.05));
    expect(await bench.begun(OLD)).toEqual([0]);
    const other = await bench.client.makeFile(3);
    const told = { stream: streamOf(OLD), rest: OLD };
    const second = bench.client.sendStore(other, 4, 0, OLD, told);
    expect(await bench.client.wait('Store', first)).toMatchObject(STORED);
    expect(await bench.client.wait('Store', second)).toMatchObject(STORED);
    expect(bench.server.streamFiles).toEqual([]);
  });

  it('is taken from the second call when it is begun twice under one number', async () => {
    await bench.cut(2, OLD);
    const offset = await bench.lengthBegun(OLD);
    const first = bench.begin(2, OLD, { offset });
    await bench.server.world.pass(seconds(0.05));
    const second = bench.begin(2, OLD);
    expect(await bench.client.wait('Store', second)).toMatchObject(STORED);
    expect(await bench.client.wait('Store', first)).toMatchObject(STORED);
    await bench.server.world.pass(seconds(1));
    expect(bench.server.streamFiles).toEqual([]);
    expect(bench.server.runtime?.streamsLeft?.busy).toBe(0);
  });

  it.each([
    ['after its end', { offset: Number.MAX_SAFE_INTEGER, rest: OLD }],
    ['before its end with too many bytes', { offset: 10, rest: OLD }],
  ])('is refused when it continues %s', async (_, how) => {
    expect(await bench.store(2, OLD, how)).toMatchObject({ reply: { code: 'bad-message' } });
    await bench.server.world.settle();
    expect(bench.server.streamFiles).toEqual([]);
  });

  it('keeps the longer of two parts that were cut off', async () => {
    await bench.cut(2, OLD);
    const longer = await bench.lengthBegun(OLD);
    const call = bench.begin(2, OLD);
    await bench.server.world.pass(seconds(0.1));
    bench.client.abort(call);
    await bench.server.world.settle();
    expect(await bench.begun(OLD)).toEqual([longer]);
    expect(bench.server.streamFiles).toHaveLength(1);
  });

  it('keeps its part when the call that resumed it is refused', async () => {
    await bench.cut(2, OLD);
    const offset = await bench.lengthBegun(OLD);
    const update = { told: OLD, offset, delta: true };
    expect(await bench.store(3, NEW, update)).toMatchObject({ reply: { code: 'bad-message' } });
    await bench.server.world.settle();
    expect(await bench.begun(OLD)).toEqual([offset]);
  });
});

describe('an upload by delta', () => {
  beforeEach(async () => {
    await bench.store(2, OLD);
  });

  it('makes the contents from the base version', async () => {
    const told = await bench.deltaOf(OLD, NEW);
    expect(told.length).toBeLessThan(NEW.length / 2);
    expect(await bench.store(3, NEW, { told, base: 1, delta: true })).toMatchObject(STORED);
    expect((await bench.fetch()).content).toEqual(NEW);
    // The delta is for who has the version before.
    expect(bench.server.streamFiles).toHaveLength(1);
  });

  it('resumes where it was cut off', async () => {
    const other = bytesOf(40_000);
    const told = await bench.deltaOf(OLD, Uint8Array.from([...OLD, ...other]));
    const contents = Uint8Array.from([...OLD, ...other]);
    await bench.cut(3, contents, { told, base: 1, delta: true });
    const offset = await bench.lengthBegun(told);
    expect(await bench.store(3, contents, { told, base: 1, delta: true, offset })).toMatchObject(
      STORED,
    );
    expect((await bench.fetch()).content).toEqual(contents);
    expect(bench.server.streamFiles).toHaveLength(1);
  });

  it.each([
    ['no delta', () => Promise.resolve(bytesOf(500)), 'damaged-delta'],
    ['a delta of another file', () => bench.deltaOf(NEW, OLD), 'damaged-delta'],
    ['a delta that makes something else', () => bench.deltaOf(OLD, OLD), 'damaged-delta'],
  ])('is refused when it is %s, and nothing is left', async (_, make, code) => {
    const told = await make();
    expect(await bench.store(3, NEW, { told, base: 1, delta: true })).toMatchObject({
      reply: { code },
    });
    await bench.server.world.settle();
    expect(bench.server.streamFiles).toEqual([]);
    expect(await bench.store(3, NEW, { base: 1 })).toMatchObject(STORED);
  });

  it('is refused when the contents of the base are gone, and nothing is left', async () => {
    for (const path of bench.server.disk.list('/data/contents')) bench.server.disk.remove(path);
    const told = await bench.deltaOf(OLD, NEW);
    expect(await bench.store(3, NEW, { told, base: 1, delta: true })).toMatchObject({
      reply: { code: 'unknown-base' },
    });
    await bench.server.world.settle();
    expect(bench.server.streamFiles).toEqual([]);
  });

  it('is refused like any store when there is no space, and may be repeated', async () => {
    const told = await bench.deltaOf(OLD, NEW);
    const end = bench.spoil('ENOSPC', 'write');
    const how = { told, base: 1, delta: true };
    expect(await bench.store(3, NEW, how)).toMatchObject({ reply: { code: 'server-full' } });
    end();
    await bench.server.world.settle();
    expect(bench.server.streamFiles).toEqual([]);
    expect(await bench.store(3, NEW, how)).toMatchObject(STORED);
  });
});

describe('a file in the stream folder at a start', () => {
  const begunWith = async (put: () => void): Promise<number[]> => {
    await bench.restart(put);
    return bench.begun(OLD);
  };

  it('is resumed when it is a part', async () => {
    expect(await begunWith(() => bench.putPart('laptop', OLD, OLD.subarray(0, 99)))).toEqual([99]);
  });

  it.each([
    ['torn', () => bench.putPart('laptop', OLD, OLD.subarray(0, 99), { kept: 100 })],
    [
      'longer than its stream',
      () => bench.putPart('laptop', OLD.subarray(0, 9), OLD.subarray(0, 10)),
    ],
    ['nameless', () => bench.server.disk.putByHand('/data/streams/what-is-this', OLD)],
  ])('is removed with a log entry when it is %s', async (_, put) => {
    expect(await begunWith(() => void put())).toEqual([0]);
    expect(bench.server.streamFiles).toEqual([]);
    expect(bench.server.log.lines.some(({ message }) => message.includes('damaged'))).toBe(true);
  });

  it('is removed when it is too old', async () => {
    const when = wallTime(bench.server.wall() - PART_LIFETIME - 1);
    const put = () => bench.putPart('laptop', OLD, OLD.subarray(0, 99), { when });
    expect(await begunWith(put)).toEqual([0]);
    expect(bench.server.streamFiles).toEqual([]);
  });

  it('is removed when it was under way', async () => {
    const put = () => bench.server.disk.putByHand('/data/streams/made-7', OLD);
    expect(await begunWith(put)).toEqual([0]);
    expect(bench.server.streamFiles).toEqual([]);
  });

  it('does not prevent the start when it cannot be read', async () => {
    const end = bench.spoil('EIO', 'remove');
    expect(await begunWith(() => bench.server.disk.putByHand('/data/streams/x', OLD))).toEqual([0]);
    end();
  });
});

describe('the received parts of uploads', () => {
  it('are limited in number per device, and the oldest go', async () => {
    const streams = [bytesOf(15_000), bytesOf(15_000), bytesOf(15_000)];
    for (const [index, bytes] of streams.entries()) await bench.cut(index + 2, bytes);
    const lengths = await bench.begun(...streams);
    expect(lengths.map((length) => length > 0)).toEqual([false, true, true]);
    expect(bench.server.streamFiles).toHaveLength(2);
  });

  it('go first when the disk is full', async () => {
    await bench.cut(2, OLD);
    bench.server.contents.failNextPut('server-full');
    expect(await bench.store(3, NEW)).toMatchObject(STORED);
    expect(await bench.begun(OLD)).toEqual([0]);
    expect(bench.server.streamFiles).toEqual([]);
  });

  it('are unchanged when there is no space for the rest', async () => {
    await bench.cut(2, OLD);
    const offset = await bench.lengthBegun(OLD);
    const end = bench.spoil('ENOSPC', 'write');
    expect(await bench.store(2, OLD, { offset })).toMatchObject({ reply: { code: 'server-full' } });
    end();
    expect(await bench.begun(OLD)).toEqual([offset]);
    expect(await bench.store(2, OLD, { offset })).toMatchObject(STORED);
  });

  it('are lost when they cannot be kept', async () => {
    const end = bench.spoil('EIO', 'rename');
    await bench.cut(2, OLD);
    end();
    expect(await bench.begun(OLD)).toEqual([0]);
    expect(bench.server.streamFiles).toEqual([]);
  });
});

describe('a server that moves contents only whole', () => {
  it('keeps no part, knows no base, and accepts complete streams', async () => {
    bench = await StreamsBench.start(false);
    await bench.cut(2, OLD);
    expect(await bench.begun(OLD)).toEqual([0]);
    expect(await bench.store(2, OLD)).toMatchObject(STORED);
    const told = await bench.deltaOf(OLD, NEW);
    expect(await bench.store(3, NEW, { told, base: 1, delta: true })).toMatchObject({
      reply: { code: 'unknown-base' },
    });
    expect(await bench.store(3, NEW, { base: 1 })).toMatchObject(STORED);
    const answer = await bench.fetch({ base: 1 as DataVersion, begun: [] });
    expect(answer).not.toHaveProperty('reply.body.stream');
    expect(answer.content).toEqual(NEW);
    expect(bench.server.streamFiles).toEqual([]);
  });
});

describe('the quota space of uploads', () => {
  beforeEach(async () => {
    bench.meta.limit(1 as VolumeId, 30_000);
    await bench.server.world.pass(seconds(2));
  });

  it('includes the future growth and received parts, also after a restart', async () => {
    const call = bench.begin(2, OLD);
    await bench.server.world.pass(seconds(0.2));
    expect(bench.counted).toEqual({ begun: 0, kept: OLD.length });
    bench.client.abort(call);
    await bench.server.world.pass(seconds(0.1));
    const begun = await bench.lengthBegun(OLD);
    expect(bench.counted).toEqual({ begun, kept: 0 });
    await bench.restart();
    expect(bench.counted).toEqual({ begun, kept: 0 });
    bench.begin(2, OLD, { offset: begun });
    await bench.server.world.pass(seconds(0.1));
    expect(bench.counted).toEqual({ begun: 0, kept: OLD.length });
    await bench.server.world.pass(seconds(60));
    expect(bench.counted).toEqual({ begun: 0, kept: 0 });
  });

  it('is freed from parts when another upload needs it', async () => {
    await bench.cut(2, OLD);
    await bench.lengthBegun(OLD);
    expect(await bench.store(3, bytesOf(29_000))).toMatchObject(STORED);
    expect(bench.counted).toEqual({ begun: 0, kept: 0 });
    expect(bench.server.streamFiles).toEqual([]);
    expect(await bench.begun(OLD)).toEqual([0]);
  });
});
