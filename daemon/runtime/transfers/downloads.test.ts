import { describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../app/lab/simulator/disk/content-digest.ts';
import { dataVersion } from '../../../shared/model/vnode.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import {
  contentsOf,
  edited,
  FID,
  refused,
  TransferBench,
  type ReceivedRequest,
} from '../../../test/support/transfer-bench.ts';
import type { Ending } from './conversation.ts';

const OLD = contentsOf(4000);
const NEW = edited(OLD);
const [ONE, TWO] = [dataVersion(1), dataVersion(2)];

const fetchOf = (asked: ReceivedRequest | undefined): RequestOf<'Fetch'> =>
  asked?.message.body as RequestOf<'Fetch'>;

/** What the core gets: all the bytes, or why not. */
function got(bench: TransferBench, ending: Ending): Uint8Array | string {
  if (ending.kind === 'aborted') return ending.reason;
  if (!ending.reply.ok) return ending.reply.code;
  if (ending.content === null) return 'no contents';
  const bytes = bench.disk.read(ending.content.path);
  expect(ending.content).toMatchObject({ length: bytes.length, digest: digestOf(bytes) });
  bench.disk.remove(ending.content.path);
  return bytes;
}

const whole = { digest: digestOf(NEW), length: NEW.length };

describe('a download of contents', () => {
  it('comes whole without a base, and its chunk list is kept', async () => {
    const bench = new TransferBench();
    const ending = await bench.fetch(4000, null, () => bench.fetched(NEW, NEW));
    expect(fetchOf(bench.asked[0])).toEqual({ fid: FID, version: TWO, begun: [] });
    expect(got(bench, ending)).toEqual(NEW);
    expect(bench.chunkLists.count).toBe(1);
    expect(bench.left).toEqual([]);
  });

  it('comes as a delta against an earlier version', async () => {
    const bench = new TransferBench();
    const { bytes, digest } = await bench.deltaOf(OLD, NEW);
    const stream = { digest, length: bytes.length, offset: 0, base: ONE };
    const server = () => bench.fetched(NEW, bytes, stream);
    const ending = await bench.fetch(4000, bench.held('c1', OLD), server);
    expect(fetchOf(bench.asked[0])).toMatchObject({ base: ONE, begun: [] });
    expect(got(bench, ending)).toEqual(NEW);
    expect(bench.asked).toHaveLength(1);
    expect(bench.left).toEqual([]);
  });

  it('is repeated whole when the delta was against other bytes', async () => {
    const bench = new TransferBench();
    const { bytes, digest } = await bench.deltaOf(OLD, NEW);
    const stream = { digest, length: bytes.length, offset: 0, base: ONE };
    const server = ({ message }: ReceivedRequest) =>
      (message.body as RequestOf<'Fetch'>).base === ONE
        ? bench.fetched(NEW, bytes, stream)
        : bench.fetched(NEW, NEW, { ...whole, offset: 0, base: null });
    const ending = await bench.fetch(4000, bench.held('c1', contentsOf(4000, 9)), server);
    expect(got(bench, ending)).toEqual(NEW);
    expect(bench.asked).toHaveLength(2);
    expect(fetchOf(bench.asked[1])).toEqual({ fid: FID, version: TWO, begun: [] });
    expect(bench.left).toEqual([]);
  });

  it('is repeated whole when its base has gone meanwhile', async () => {
    const bench = new TransferBench();
    const { bytes, digest } = await bench.deltaOf(OLD, NEW);
    const stream = { digest, length: bytes.length, offset: 0, base: ONE };
    const held = bench.held('c1', OLD);
    bench.disk.remove('/store/contents/c1');
    const server = () =>
      bench.asked.length === 1 ? bench.fetched(NEW, bytes, stream) : bench.fetched(NEW, NEW);
    expect(got(bench, await bench.fetch(4000, held, server))).toEqual(NEW);
    expect(bench.left).toEqual([]);
  });

  it('fails when it has wrong contents twice', async () => {
    const bench = new TransferBench();
    const stream = { ...whole, offset: 0, base: null };
    const ending = await bench.fetch(4000, null, () => bench.fetched(NEW, OLD, stream));
    expect(got(bench, ending)).toBe('protocol');
    expect(bench.asked).toHaveLength(2);
    expect(bench.left).toEqual([]);
  });

  it('is tried again later on a full disk, and parts are removed for it', async () => {
    const bench = new TransferBench();
    await bench.fetch(4000, null, () => bench.broken(OLD, OLD.slice(0, 900), 4000));
    expect(bench.parts).toHaveLength(1);
    expect(bench.transfers.partBytes).toBe(900);
    bench.delta.apply = () => Promise.reject(new GodwitError('disk-full', 'no'));
    const { bytes, digest } = await bench.deltaOf(OLD, NEW);
    const stream = { digest, length: bytes.length, offset: 0, base: ONE };
    const server = () => bench.fetched(NEW, bytes, stream);
    const ending = await bench.fetch(4000, bench.held('c1', OLD), server);
    expect(got(bench, ending)).toBe('spool');
    bench.transfers.diskFull();
    await bench.transfers.settled();
    expect([...bench.parts, ...bench.left]).toEqual([]);
    expect(bench.transfers.partBytes).toBe(0);
  });

  it('passes on a refusal of the server', async () => {
    const bench = new TransferBench();
    const ending = await bench.fetch(4000, null, () => refused('version-gone'));
    expect(got(bench, ending)).toBe('version-gone');
    expect(bench.asked).toHaveLength(1);
  });
});

describe('a download that is interrupted', () => {
  const rest = (bench: TransferBench, offset: number) => () =>
    bench.fetched(NEW, NEW.slice(offset), { ...whole, offset, base: null });

  it('resumes each of three times, over restarts, and no byte comes twice', async () => {
    const bench = new TransferBench();
    for (const [from, to] of [
      [0, 1000],
      [1000, 1700],
      [1700, 3999],
    ] as const) {
      const stream = { ...whole, offset: from, base: null };
      const came = NEW.slice(from, to);
      await bench.fetch(4000, null, () => bench.broken(NEW, came, 4000 - from, stream));
      expect(fetchOf(bench.asked.at(-1)).begun).toEqual(
        from === 0 ? [] : [{ digest: digestOf(NEW), length: from }],
      );
      bench.restart();
    }
    expect(got(bench, await bench.fetch(4000, null, rest(bench, 3999)))).toEqual(NEW);
    expect([...bench.parts, ...bench.left]).toEqual([]);
  });

  it('resumes also within a delta', async () => {
    const bench = new TransferBench();
    const target = new Uint8Array([...OLD, ...contentsOf(3000, 4)]);
    const { bytes, digest } = await bench.deltaOf(OLD, target);
    const stream = { digest, length: bytes.length, offset: 0, base: ONE };
    const held = bench.held('c1', OLD);
    const half = bytes.slice(0, 2000);
    await bench.fetch(7000, held, () => bench.broken(target, half, bytes.length, stream));
    const server = () => bench.fetched(target, bytes.slice(2000), { ...stream, offset: 2000 });
    expect(got(bench, await bench.fetch(7000, held, server))).toEqual(target);
    expect(fetchOf(bench.asked[1]).begun).toEqual([{ digest, length: 2000 }]);
    expect([...bench.parts, ...bench.left]).toEqual([]);
  });

  it('needs nothing more when everything has arrived', async () => {
    const bench = new TransferBench();
    const effect = {
      kind: 'request',
      request: 1,
      message: { rpc: 'Fetch', body: { fid: FID, version: TWO } },
      priorityClass: 'FETCH',
      content: null,
      wanted: { fid: FID, size: 4000, held: null },
    } as const;
    const path = bench.spool(NEW);
    bench.transfers.unclaimed(effect, { path, ...whole });
    await Promise.resolve();
    const ending = await bench.fetch(4000, null, rest(bench, 4000));
    expect(fetchOf(bench.asked[0]).begun).toEqual([{ digest: digestOf(NEW), length: 4000 }]);
    expect(got(bench, ending)).toEqual(NEW);
    expect([...bench.parts, ...bench.left]).toEqual([]);
  });

  it('is repeated whole when its part is torn, and the part is removed', async () => {
    const bench = new TransferBench();
    await bench.fetch(4000, null, () => bench.broken(NEW, NEW.slice(0, 1000), 4000));
    bench.disk.write(bench.parts[0] ?? '', new Uint8Array(1000));
    const server = () => (bench.asked.length === 2 ? rest(bench, 1000)() : bench.fetched(NEW, NEW));
    expect(got(bench, await bench.fetch(4000, null, server))).toEqual(NEW);
    expect(fetchOf(bench.asked[2]).begun).toEqual([]);
    expect([...bench.parts, ...bench.left]).toEqual([]);
  });

  it('keeps its part when the server starts from the beginning', async () => {
    const bench = new TransferBench();
    await bench.fetch(4000, null, () => bench.broken(NEW, NEW.slice(0, 1000), 4000));
    expect(got(bench, await bench.fetch(4000, null, () => bench.fetched(NEW, NEW)))).toEqual(NEW);
    expect(bench.parts).toHaveLength(1);
  });

  it.each([
    [
      'before the answer',
      (bench: TransferBench) => ({ ...bench.broken(NEW, NEW, 4000), begun: null }),
    ],
    [
      'of short contents',
      (bench: TransferBench) => bench.broken(NEW.slice(0, 300), NEW.slice(0, 200), 300),
    ],
    ['with nothing here', (bench: TransferBench) => bench.broken(NEW, new Uint8Array(0), 4000)],
  ])('leaves nothing when it ends %s', async (_, answer) => {
    const bench = new TransferBench();
    await bench.fetch(4000, null, () => answer(bench));
    expect([...bench.parts, ...bench.left]).toEqual([]);
  });
});

describe('the parts of downloads', () => {
  const broken = async (bench: TransferBench, seed: number): Promise<void> => {
    const contents = contentsOf(4000, seed);
    await bench.fetch(4000, null, () => bench.broken(contents, contents.slice(0, 500), 4000));
  };

  it('are removed after seven days', async () => {
    const bench = new TransferBench();
    await broken(bench, 1);
    bench.days += 6;
    await broken(bench, 2);
    expect(bench.parts).toHaveLength(2);
    bench.days += 2;
    bench.restart();
    await bench.fetch(4000, null, () => refused('version-gone'));
    expect(bench.parts).toHaveLength(1);
  });

  it('are limited in number, and the oldest go', async () => {
    const bench = new TransferBench();
    for (let seed = 1; seed <= 70; seed++) await broken(bench, seed);
    expect(bench.parts).toHaveLength(64);
  });

  it('are removed at the start with a log entry when they are invalid', async () => {
    const bench = new TransferBench();
    await broken(bench, 1);
    bench.disk.write(bench.parts[0] ?? '', new Uint8Array(0));
    bench.restart();
    await bench.fetch(4000, null, () => refused('version-gone'));
    expect(bench.parts).toEqual([]);
    expect(bench.logged).toContain('a part of a download goes');
  });
});
