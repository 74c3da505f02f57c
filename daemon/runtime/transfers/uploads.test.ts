import { describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../app/lab/simulator/disk/content-digest.ts';
import { makeFid } from '../../../shared/model/fid.ts';
import { dataVersion } from '../../../shared/model/vnode.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import {
  begunSoFar,
  contentsOf,
  edited,
  refused,
  stored,
  TransferBench,
  type ReceivedRequest,
} from '../../../test/support/transfer-bench.ts';
import type { Answer } from './conversation.ts';

const SMALL = contentsOf(300);
const LARGE = contentsOf(4000);
const closed: Answer = { kind: 'aborted', reason: 'closed', begun: null, partial: null };

const rpcs = ({ asked }: TransferBench): string[] => asked.map(({ message }) => message.rpc);
const streamOf = (asked: ReceivedRequest | undefined): RequestOf<'Store'>['stream'] =>
  (asked?.message.body as RequestOf<'Store'> | undefined)?.stream;
const bytesAt = (bench: TransferBench, at: number): number => bench.asked[at]?.bytes?.length ?? 0;

/** Their chunk list is known, as if they had been sent before. */
async function known(bench: TransferBench, bytes: Uint8Array): Promise<void> {
  await bench.store(bytes, () => stored);
  while (bench.chunkLists.count === 0) await Promise.resolve();
  bench.asked.length = 0;
}

describe('an upload of contents', () => {
  it('goes whole without a base, and its chunk list is kept', async () => {
    const bench = new TransferBench();
    await bench.store(SMALL, () => stored);
    expect(bench.asked).toEqual([{ message: expect.anything() as unknown, bytes: SMALL }]);
    expect(streamOf(bench.asked[0])).toBeUndefined();
    await known(bench, SMALL);
    expect(bench.chunkLists.count).toBe(1);
  });

  it('gets its chunk list when the server has the contents, which may be gone by then', async () => {
    const bench = new TransferBench();
    const list = bench.delta.list.bind(bench.delta);
    const order: string[] = [];
    bench.delta.list = (...args) => {
      order.push('list');
      return list(...args);
    };
    await bench.store(LARGE, () => {
      order.push('answer');
      return stored;
    });
    bench.disk.remove('/store/contents/c9');
    await bench.transfers.settled();
    expect(order).toEqual(['answer', 'list']);
    expect(await bench.chunkLists.get(digestOf(LARGE))).not.toBeNull();
    expect(bench.left).toEqual([]);
  });

  it('gets its chunk list from the contents themselves when a file can have only one name', async () => {
    const bench = new TransferBench();
    bench.files.link = () => Promise.reject(new GodwitError('disk-failing'));
    await bench.store(LARGE, () => stored);
    await bench.transfers.settled();
    expect(await bench.chunkLists.get(digestOf(LARGE))).not.toBeNull();
  });

  it('gets no chunk list when the server did not accept it', async () => {
    const bench = new TransferBench();
    await bench.store(LARGE, () => closed);
    await bench.store(LARGE, () => refused('over-quota'));
    await bench.transfers.settled();
    expect(bench.chunkLists.count).toBe(0);
    expect(bench.left).toEqual([]);
  });

  it('waits, for an edit, for the chunk list of the previous upload', async () => {
    const bench = new TransferBench();
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const list = bench.delta.list.bind(bench.delta);
    bench.delta.list = async (...args) => {
      await begun;
      return list(...args);
    };
    await bench.store(LARGE, () => stored);
    const edit = bench.store(edited(LARGE), () => stored, { base: LARGE });
    begin();
    await edit;
    expect(streamOf(bench.asked[1])).toMatchObject({ delta: true });
  });

  it('goes as a delta against another file that has the same, and whole where that is refused', async () => {
    const from = { fid: makeFid(2, 3, 4), version: dataVersion(5) };
    const bench = new TransferBench();
    expect(await bench.store(LARGE, () => stored, { from })).toEqual(stored);
    expect(streamOf(bench.asked[0])).toMatchObject({ delta: true, from });
    expect(bench.asked[0]?.bytes?.length).toBeLessThan(LARGE.length / 4);
    const other = new TransferBench();
    const answers = [refused('unknown-base'), stored];
    await other.store(LARGE, () => answers.shift() ?? stored, { from });
    expect(streamOf(other.asked[1]) ?? null).not.toMatchObject({ from });
    expect(other.asked[1]?.bytes).toEqual(LARGE);
    expect(other.left).toEqual([]);
  });

  it('goes as a delta for an edit, and no file of it is left', async () => {
    const bench = new TransferBench();
    await known(bench, LARGE);
    const ending = await bench.store(edited(LARGE), () => stored, { base: LARGE });
    expect(ending).toEqual(stored);
    const { bytes, digest } = await bench.deltaOf(LARGE, edited(LARGE));
    expect(bench.asked.map((asked) => asked.bytes)).toEqual([bytes]);
    expect(streamOf(bench.asked[0])).toEqual({
      digest,
      length: bytes.length,
      offset: 0,
      delta: true,
    });
    expect(bytes.length).toBeLessThan(LARGE.length / 4);
    expect(bench.left).toEqual([]);
    expect(bench.chunkLists.count).toBe(2);
  });

  it.each(['unknown-base', 'damaged-delta', 'length-mismatch'] as const)(
    'is repeated whole under the same request when it is refused with %s',
    async (code) => {
      const bench = new TransferBench();
      await known(bench, LARGE);
      const server = ({ message }: ReceivedRequest): Answer =>
        (message.body as RequestOf<'Store'>).stream?.delta === true ? refused(code) : stored;
      expect(await bench.store(edited(LARGE), server, { base: LARGE })).toEqual(stored);
      expect(bench.asked.at(-1)?.bytes).toEqual(edited(LARGE));
      expect(bench.left).toEqual([]);
      const list = await bench.chunkLists.get(digestOf(LARGE));
      expect(list === null).toBe(code !== 'unknown-base');
    },
  );

  it('passes length-mismatch on to the core when it was sent whole', async () => {
    const bench = new TransferBench();
    const answer = refused('length-mismatch');
    expect(await bench.store(LARGE, () => answer)).toEqual(answer);
    expect(bench.asked).toHaveLength(1);
  });

  it.each(['disk-full', 'damaged-delta', 'not-found'] as const)(
    'goes whole when its delta cannot be made (%s)',
    async (code) => {
      const bench = new TransferBench();
      await known(bench, LARGE);
      bench.delta.make = () => Promise.reject(new GodwitError(code, 'no'));
      await bench.store(edited(LARGE), () => stored, { base: LARGE });
      expect(bench.asked.map(({ bytes }) => bytes)).toEqual([edited(LARGE)]);
      expect((await bench.chunkLists.get(digestOf(LARGE))) === null).toBe(code === 'damaged-delta');
    },
  );

  it('asks for received parts only after a first attempt', async () => {
    const bench = new TransferBench();
    await bench.store(LARGE, () => stored);
    expect(rpcs(bench)).toEqual(['Store']);
    expect(streamOf(bench.asked[0])).toMatchObject({ offset: 0, delta: false });
  });

  it('resumes where it was interrupted', async () => {
    const bench = new TransferBench();
    expect(await bench.store(LARGE, () => closed)).toEqual({ kind: 'aborted', reason: 'closed' });
    const server = ({ message }: ReceivedRequest): Answer =>
      message.rpc === 'Begun' ? begunSoFar(1500) : stored;
    await bench.store(LARGE, server);
    expect(rpcs(bench)).toEqual(['Store', 'Begun', 'Store']);
    expect(streamOf(bench.asked[2])).toEqual({
      digest: digestOf(LARGE),
      length: 4000,
      offset: 1500,
      delta: false,
    });
    expect(bench.asked[2]?.bytes).toEqual(LARGE.slice(1500));
  });

  it('resumes also when an earlier run of the daemon began it', async () => {
    const bench = new TransferBench();
    const server = ({ message }: ReceivedRequest): Answer =>
      message.rpc === 'Begun' ? begunSoFar(4000) : stored;
    await bench.store(LARGE, server, { again: true });
    expect(rpcs(bench)).toEqual(['Begun', 'Store']);
    expect(bench.asked[1]?.bytes).toBeNull();
    expect(streamOf(bench.asked[1])).toMatchObject({ offset: 4000, length: 4000 });
  });

  it('chooses the way with the least to send', async () => {
    const bench = new TransferBench();
    await known(bench, LARGE);
    const { bytes } = await bench.deltaOf(LARGE, edited(LARGE));
    const server =
      (whole: number) =>
      ({ message }: ReceivedRequest): Answer => {
        if (message.rpc !== 'Begun') return stored;
        return message.body.streams.length === 2 ? begunSoFar(0, whole) : begunSoFar(whole);
      };
    const how = { base: LARGE, again: true };
    await bench.store(edited(LARGE), server(4000 - bytes.length + 1), how);
    expect(bytesAt(bench, 1)).toBe(bytes.length - 1);
    await bench.store(edited(LARGE), server(4000 - bytes.length - 1), how);
    expect(bytesAt(bench, 3)).toBe(bytes.length);
  });

  it('starts from the beginning when the server has more than there is', async () => {
    const bench = new TransferBench();
    const server = ({ message }: ReceivedRequest): Answer =>
      message.rpc === 'Begun' ? begunSoFar(4001) : stored;
    await bench.store(LARGE, server, { again: true });
    expect(bytesAt(bench, 1)).toBe(4000);
  });

  it('starts from the beginning when the part on the server is wrong', async () => {
    const bench = new TransferBench();
    const server = ({ message }: ReceivedRequest): Answer => {
      if (message.rpc === 'Begun') return begunSoFar(1500);
      return bytesAt(bench, bench.asked.length - 1) < 4000 ? refused('damaged-delta') : stored;
    };
    expect(await bench.store(LARGE, server, { again: true })).toEqual(stored);
    expect(bench.asked.map(({ bytes }) => bytes?.length ?? 0)).toEqual([0, 2500, 4000]);
  });
});
