import { beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { seconds } from '../../shared/model/time.ts';
import type { DataVersion, Digest } from '../../shared/model/vnode.ts';
import { encodeRequest } from '../../shared/wire/codec.ts';
import type { RequestOf } from '../../shared/wire/rpcs.ts';
import { bytesOf, NEW, OLD, StreamsBench, TOLD } from '../../test/support/streams-bench.ts';

let bench: StreamsBench;

beforeEach(async () => {
  bench = await StreamsBench.start();
});

describe('a fetch of contents in part', () => {
  const STREAM = 'reply.body.stream';

  beforeEach(async () => {
    await bench.store(2, OLD);
    await bench.store(3, NEW, { base: 1 });
  });

  const told = async (change: Partial<RequestOf<'Fetch'>>) => {
    const { reply, content } = await bench.fetch(change);
    if (reply === 'aborted' || !reply.ok) throw new Error('no answer');
    return { stream: reply.body.stream ?? null, content };
  };

  const BASE = 1 as DataVersion;

  it('gets whole contents when it does not ask for parts', async () => {
    const answer = await bench.fetch();
    expect(answer).not.toHaveProperty(STREAM);
    expect(answer.content).toEqual(NEW);
  });

  it('gets a delta against the base that it names', async () => {
    const { stream, content } = await told({ base: BASE });
    expect(stream).toMatchObject({ offset: 0, base: 1, length: content?.length });
    expect(stream?.length).toBeLessThan(NEW.length / 2);
    expect(await bench.applied(content)).toEqual(NEW);
  });

  it('resumes the same stream where it was cut off', async () => {
    const whole = await told({ base: BASE });
    const { digest, length } = whole.stream ?? { digest: '' as Digest, length: 0 };
    const rest = await told({ base: BASE, begun: [{ digest, length: 100 }] });
    expect(rest.stream).toEqual({ digest, length, offset: 100, base: 1 });
    expect(rest.content).toEqual(whole.content?.subarray(100));
    const none = await told({ base: BASE, begun: [{ digest, length }] });
    expect(none).toMatchObject({ stream: { offset: length }, content: null });
  });

  it.each([
    ['nothing', [], 0],
    ['some', [{ digest: digestOf(NEW), length: 5_000 }], 5_000],
    ['all', [{ digest: digestOf(NEW), length: NEW.length }], NEW.length],
    ['more than there is', [{ digest: digestOf(NEW), length: NEW.length + 1 }], 0],
    ['something else', [{ digest: digestOf(OLD), length: 5_000 }], 0],
  ])('gets the rest when %s of it has arrived already', async (_, parts, offset) => {
    const { stream, content } = await told({ begun: parts });
    expect(stream).toEqual({ digest: digestOf(NEW), length: NEW.length, offset, base: null });
    expect(content).toEqual(offset === NEW.length ? null : NEW.subarray(offset));
    await bench.server.world.settle();
    expect(await bench.fetch()).toMatchObject({ content: NEW });
  });

  it('gets the rest of the whole contents when that is shorter than the delta', async () => {
    const parts = [{ digest: digestOf(NEW), length: NEW.length - 10 }];
    expect((await told({ base: BASE, begun: parts })).stream).toMatchObject({ base: null });
  });

  it.each([
    ['that is unknown', 9],
    ['that has nothing in common', 3],
  ])('gets whole contents when it names a base %s', async (_, base) => {
    await bench.store(4, bytesOf(20_000), { base: 2 });
    await bench.store(5, NEW, { base: 3 });
    const { stream, content } = await told({ base: base as DataVersion });
    expect(stream).toMatchObject({ base: null, offset: 0 });
    expect(content).toEqual(NEW);
  });

  it('gets short contents whole', async () => {
    const short = bytesOf(TOLD - 1);
    await bench.store(4, short, { base: 2 });
    expect(await told({ base: BASE, begun: [] })).toEqual({ stream: null, content: short });
  });

  it.each(['ENOSPC', 'EIO'] as const)(
    'gets whole contents when the delta meets %s',
    async (code) => {
      const end = bench.spoil(code, 'write');
      expect(await told({ base: BASE })).toMatchObject({ stream: { base: null }, content: NEW });
      end();
      expect(await told({ base: BASE })).toMatchObject({ stream: { base: 1 } });
    },
  );

  it('gets a good delta after a damaged one, and the contents stay', async () => {
    await told({ base: BASE });
    const [path = ''] = bench.server.disk.list('/data/streams');
    bench.server.disk.rot(path, 8 * 200);
    await told({ base: BASE });
    await bench.server.world.settle();
    const { content } = await told({ base: BASE });
    expect(await bench.applied(content)).toEqual(NEW);
    expect(await bench.fetch()).toMatchObject({ content: NEW });
  });

  it('leaves nothing in use when it is cancelled while its delta is made', async () => {
    const held = Promise.withResolvers<void>();
    const list = bench.server.delta.list.bind(bench.server.delta);
    bench.server.delta.list = (...given) => held.promise.then(() => list(...given));
    const call = bench.client.send(
      encodeRequest('Fetch', { fid: bench.file, version: null, base: BASE }),
    );
    await bench.server.world.pass(seconds(0.1));
    expect(await bench.fetch()).toMatchObject({ content: NEW });
    bench.client.abort(call);
    await bench.server.world.pass(seconds(0.1));
    held.resolve();
    await bench.server.world.pass(seconds(0.1));
    expect(bench.server.runtime?.streamsLeft?.busy).toBe(0);
  });

  it('leaves no delta behind when the server closes', async () => {
    await told({ base: BASE });
    expect(bench.server.streamFiles).toHaveLength(1);
    await bench.server.close();
    expect(bench.server.streamFiles).toEqual([]);
  });
});
