/**
 * Every disk call of the packs fails once, alone or with the next one, or is the last of its process, with and without the power.
 * Whatever was answered is there afterwards; what was not, is either as before or as it was to be.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../app/lab/simulator/disk/content-digest.ts';
import type { Digest } from '../../../shared/model/vnode.ts';
import type { FaultyPackFiles } from '../../../test/support/faulty-pack-files.ts';
import { PacksBench } from '../../../test/support/packs-bench.ts';
import type { PackedContentStore } from './content-packs.ts';

const CONTENTS = ['a', 'b', 'c', 'd', 'e'].map((letter) => Buffer.from(letter.repeat(300)));
const [A, B, C, D, E] = CONTENTS.map(digestOf) as [Digest, Digest, Digest, Digest, Digest];
const DAMAGED = Buffer.from('something else');
/** Two contents a pack, so that the script goes through several. */
const PACK_BYTES = 500;

/** What each content may be, as far as answers tell. */
class Expected {
  /** After the end of the process nobody asks for anything. */
  readonly #isOver: () => boolean;
  readonly #may = new Map<Digest, Set<string | null>>();

  constructor(isOver: () => boolean) {
    this.#isOver = isOver;
  }

  /** Runs one operation, after which the content is `after`; its failure leaves open whether it was done. */
  async run(digest: Digest, after: Buffer | null, work: () => Promise<unknown>): Promise<void> {
    if (this.#isOver()) return;
    const text = after?.toString() ?? null;
    const may = this.of(digest);
    may.add(text);
    try {
      await work();
      this.#may.set(digest, new Set([text]));
    } catch {
      this.#may.set(digest, may);
    }
  }

  of(digest: Digest): Set<string | null> {
    return this.#may.get(digest) ?? new Set([null]);
  }
}

let bench: PacksBench;
beforeEach(() => {
  bench = new PacksBench();
});
afterEach(() => bench.end());

async function script(store: PackedContentStore, expected: Expected): Promise<void> {
  const put = (digest: Digest, bytes: Buffer): Promise<void> =>
    expected.run(digest, bytes, () => bench.put(store, bytes, digest));
  const [a, b, c, d, e] = CONTENTS as [Buffer, Buffer, Buffer, Buffer, Buffer];
  await Promise.all([put(A, a), put(B, DAMAGED), put(C, c)]);
  await put(D, d);
  await expected.run(B, null, () => store.quarantine(B));
  await put(B, b);
  await expected.run(C, null, () => store.remove(C));
  await put(E, e);
  await expected.run(A, null, () => store.remove(A));
  await put(C, c);
  await store.compact(0.9).catch(() => undefined);
  await put(A, a);
  await store.compact(0.9).catch(() => undefined);
}

/** What goes on while packs are written anew: puts, removals and repeats of what is just being copied. */
async function besideCompaction(store: PackedContentStore, expected: Expected): Promise<void> {
  const put = (digest: Digest, bytes: Buffer): Promise<void> =>
    expected.run(digest, bytes, () => bench.put(store, bytes, digest));
  const [a, b, c, d, e] = CONTENTS as [Buffer, Buffer, Buffer, Buffer, Buffer];
  for (const [digest, bytes] of [
    [A, a],
    [B, b],
    [C, c],
    [D, d],
  ] as const) {
    await put(digest, bytes);
  }
  await expected.run(B, null, () => store.remove(B));
  const compacting = store.compact(0.9).catch(() => undefined);
  await Promise.all([
    expected.run(A, null, () => store.remove(A)),
    put(B, b),
    put(E, e),
    expected.run(C, null, () => store.removeOld(C, Infinity)).then(() => put(C, c)),
    expected.run(D, null, () => store.quarantine(D)),
  ]);
  await compacting;
  await store.compact(0.9).catch(() => undefined);
}

async function check(store: PackedContentStore, expected: Expected, what: string): Promise<void> {
  for (const digest of [A, B, C, D, E]) {
    const there = (await bench.read(store, digest))?.toString() ?? null;
    const may = [...expected.of(digest)];
    if (!may.includes(there)) expect({ what, digest, there, may }).toBeNull();
  }
}

/** Runs the script with some fault; gives how many disk calls there were. */
async function runOnce(
  story: typeof script,
  prepare: (files: FaultyPackFiles) => void,
  after: (files: FaultyPackFiles) => void = () => undefined,
): Promise<number> {
  const one = new PacksBench();
  const outer = bench;
  bench = one;
  try {
    const first = await bench.open({ packBytes: PACK_BYTES });
    const { files } = bench;
    prepare(files);
    const expected = new Expected(() => files.isOver);
    await story(first, expected);
    const what = `${files.calls.length} calls, the last: ${files.calls.at(-1)}`;
    if (!files.isOver) await check(first, expected, `${what}, the same process`);
    await first.close().catch(() => undefined);
    after(files);
    const next = await bench.open({ packBytes: PACK_BYTES });
    await check(next, expected, `${what}, the next process`);
    await next.close();
    const rebuilt = await bench.open({ packBytes: PACK_BYTES, rebuild: true });
    await check(rebuilt, expected, `${what}, from the packs alone`);
    return files.calls.length;
  } finally {
    await one.end();
    bench = outer;
  }
}

describe.each([
  ['one after the other', script, [1, 2], ['zeros', 'half']],
  ['beside a compaction', besideCompaction, [1], ['half']],
] as const)('the disk calls of the packs (%s)', (_story, story, rows, remains) => {
  let total = 0;
  beforeEach(async () => {
    total = await runOnce(story, () => undefined);
  });

  it('are as many as the faults of this test cover', () => {
    expect(total).toBeGreaterThan(50);
  });

  it.each(rows)('may fail, %d in a row', async (many) => {
    for (let call = 1; call <= total; call++) {
      const failing = new Set(Array.from({ length: many }, (__, more) => call + more));
      await runOnce(story, (files) => (files.failing = failing));
    }
  });

  it('may end with the process at any call', async () => {
    for (let call = 1; call <= total; call++)
      await runOnce(story, (files) => (files.lastCall = call));
  });

  it.each(remains)(
    'may end with a loss of power at any call, after which the disk has %s of what was not synced',
    async (kept) => {
      for (let call = 1; call <= total; call++) {
        await runOnce(
          story,
          (files) => (files.lastCall = call),
          (files) => files.loseUnsynced(kept),
        );
      }
    },
  );
});
