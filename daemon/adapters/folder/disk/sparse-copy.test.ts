import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { sparseCopy } from './sparse-copy.ts';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'godwit-sparse-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

async function copied(bytes: Buffer): Promise<Buffer | null> {
  writeFileSync(join(dir, 'from'), bytes);
  if (!(await sparseCopy(join(dir, 'from'), join(dir, 'to')))) {
    expect(readdirSync(dir)).toEqual(['from']);
    return null;
  }
  return readFileSync(join(dir, 'to'));
}

it('a file without long runs of zeros, a small one or a sparse one is not copied', async () => {
  expect(await copied(Buffer.alloc(MEGABYTE - 1))).toBeNull();
  expect(await copied(Buffer.alloc(3 * MEGABYTE, 'data'))).toBeNull();
  // Many zeros, but none for long.
  expect(
    await copied(Buffer.alloc(3 * MEGABYTE, Buffer.alloc(60 * KILOBYTE).fill('x', 1, 2))),
  ).toBeNull();
  const sparse = Buffer.alloc(4 * MEGABYTE);
  expect(await copied(sparse)).toEqual(sparse);
  expect(await sparseCopy(join(dir, 'to'), join(dir, 'again'))).toBe(
    statSync(join(dir, 'to')).blocks * 512 > 3 * MEGABYTE,
  );
});

it.each([1, 2, 3, 4, 5, 6])(
  'a sparse copy has the same bytes wherever the zeros are: seed %d',
  async (seed) => {
    const random = new SeededRandom(`sparse ${seed}`);
    const bytes = Buffer.alloc(2 * MEGABYTE + random.below(MEGABYTE));
    for (let island = 0; island < 6; island++) {
      const [at, length] = [random.below(bytes.length), random.below(200 * KILOBYTE)];
      bytes.fill('land', at, Math.min(bytes.length, at + length));
    }
    const copy = await copied(bytes);
    expect(copy === null || copy.equals(bytes)).toBe(true);
    if (copy !== null) expect(statSync(join(dir, 'to')).size).toBe(bytes.length);
  },
);

it('a sparse copy that failed leaves nothing behind', async () => {
  writeFileSync(join(dir, 'from'), Buffer.alloc(2 * MEGABYTE));
  await expect(sparseCopy(join(dir, 'from'), join(dir, 'none', 'to'))).rejects.toThrow('ENOENT');
  writeFileSync(join(dir, 'to'), 'taken');
  await expect(sparseCopy(join(dir, 'from'), join(dir, 'to'))).rejects.toThrow('EEXIST');
  expect(readFileSync(join(dir, 'to'), 'utf8')).toBe('taken');
});
