/** Packs in which something is damaged: nothing of it is thrown away, and it is said, once. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../app/lab/simulator/disk/content-digest.ts';
import { present } from '../../../shared/util/assert.ts';
import { PacksBench } from '../../../test/support/packs-bench.ts';
import { indexFile, type PackedContentStore } from './content-packs.ts';
import { HEADER_BYTES } from './record.ts';

const [FIRST, SECOND, THIRD] = ['first', 'second', 'third'].map((text) =>
  Buffer.from(text.repeat(100)),
) as [Buffer, Buffer, Buffer];

let bench: PacksBench;
beforeEach(() => {
  bench = new PacksBench();
});
afterEach(() => bench.end());

const packs = (): string[] => readdirSync(join(bench.folder, 'packs')).sort();
const packFile = (at = -1): string =>
  join(bench.folder, 'packs', present(packs().at(at), 'a pack'));

function spoil(at: number, file = packFile()): void {
  const bytes = readFileSync(file);
  bytes[at] = 255 - (bytes[at] ?? 0);
  writeFileSync(file, bytes);
}

/** Three contents in one pack, and where their bodies begin. */
async function three(): Promise<{ store: PackedContentStore; offsets: number[] }> {
  const store = await bench.open();
  const offsets: number[] = [];
  for (const bytes of [FIRST, SECOND, THIRD]) {
    const digest = await bench.put(store, bytes);
    offsets.push(present(await store.locate(digest), 'it is there').offset);
  }
  return { store, offsets };
}

const damageLines = () =>
  bench.log.lines.filter(({ message }) => message === 'a pack has damaged records');

describe('a damaged record that an index rebuild finds', () => {
  it('stays in place and is reported once with its name', async () => {
    const { store, offsets } = await three();
    await store.close();
    spoil(offsets[1] ?? 0);
    rmSync(indexFile(bench.folder));
    const again = await bench.open();
    expect(await again.locate(digestOf(SECOND))).toBeNull();
    expect(await bench.read(again, digestOf(THIRD))).toEqual(THIRD);
    await again.close();
    await bench.open();
    expect(damageLines().map(({ fields }) => fields)).toEqual([
      expect.objectContaining({
        pack: 1,
        bytes: HEADER_BYTES + SECOND.length,
        contents: digestOf(SECOND),
      }),
    ]);
    expect(statSync(packFile()).size).toBe(3 * HEADER_BYTES + 1600);
  });

  it('is not taken for an unfinished write at the end of the last pack', async () => {
    const { store, offsets } = await three();
    await store.close();
    const { size } = statSync(packFile());
    spoil(offsets[2] ?? 0);
    const again = await bench.open({ rebuild: true });
    expect(statSync(packFile()).size).toBe(size);
    const digest = await bench.put(again, Buffer.from('later'));
    expect(packs()).toHaveLength(2);
    await again.close();
    const last = await bench.open({ rebuild: true });
    expect(await bench.read(last, digest)).toEqual(Buffer.from('later'));
  });

  it.each([
    ['body', 0],
    ['header', 10 - HEADER_BYTES],
  ])('goes with its pack when that is compacted: damaged in its %s', async (_, at) => {
    const { store, offsets } = await three();
    await store.close();
    spoil((offsets[1] ?? 0) + at);
    const [name = ''] = packs();
    const again = await bench.open({ rebuild: true });
    await again.remove(digestOf(FIRST));
    expect(await again.compact(0.9)).toMatchObject({ packs: 1, aside: 1 });
    expect(packs()).not.toContain(name);
    const aside = readFileSync(join(bench.folder, 'quarantine', name));
    expect(aside.includes(SECOND.subarray(1))).toBe(true);
    for (const from of [again, await bench.open({ rebuild: true })]) {
      expect(await bench.read(from, digestOf(THIRD))).toEqual(THIRD);
      expect(await from.locate(digestOf(FIRST))).toBeNull();
    }
  });
});

describe('a compacted pack with damage', () => {
  it('is deleted when the damaged contents had been removed', async () => {
    const { store, offsets } = await three();
    for (const bytes of [FIRST, SECOND]) await store.remove(digestOf(bytes));
    spoil(offsets[1] ?? 0);
    expect(await store.compact(0.9)).toMatchObject({ packs: 1, aside: 0 });
    expect(existsSync(join(bench.folder, 'quarantine'))).toBe(false);
  });

  it('is deleted when the damaged contents had been put again', async () => {
    const { store, offsets } = await three();
    spoil(offsets[1] ?? 0);
    await bench.put(store, SECOND);
    for (const bytes of [FIRST, THIRD]) await store.remove(digestOf(bytes));
    expect(await store.compact(0.9)).toMatchObject({ packs: 1, aside: 0 });
    expect(await bench.read(store, digestOf(SECOND))).toEqual(SECOND);
  });

  it('is not delayed by an unacknowledged write', async () => {
    const { store } = await three();
    appendFileSync(packFile(), Buffer.alloc(70, 1));
    await store.remove(digestOf(FIRST));
    await store.remove(digestOf(SECOND));
    expect(await store.compact(0.9)).toMatchObject({ packs: 1, aside: 0 });
  });

  it('stays when it cannot be quarantined', async () => {
    const { store, offsets } = await three();
    await store.close();
    spoil(offsets[1] ?? 0);
    const again = await bench.open({ rebuild: true });
    mkdirSync(join(bench.folder, 'quarantine', packs()[0] ?? ''), { recursive: true });
    await again.remove(digestOf(FIRST));
    await expect(again.compact(0.9)).rejects.toMatchObject({ code: expect.any(String) });
    expect(packs()).toHaveLength(2);
    expect(await bench.read(again, digestOf(THIRD))).toEqual(THIRD);
  });
});
