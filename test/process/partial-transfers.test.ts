/** Real processes: what an edit of a large file costs on the line, and that nothing of the way is left behind. */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { twoLaptops } from '../support/two-laptops.ts';

const SIZE = 10 * 1024 * 1024;
/** What the two edits below may cost each way, with all that keeps a connection alive meanwhile. */
const MOST_BYTES = 8 * 1024;

const bench = twoLaptops();
const { a, b } = bench;

/** A hundred bytes in the middle, in place, as a database would. */
function edit(folder: string): void {
  const file = openSync(join(folder, 'big'), 'r+');
  writeSync(file, randomBytes(100), 0, 100, SIZE / 2);
  closeSync(file);
}

const contentsOf = ({ folder }: { folder: string }): Buffer => readFileSync(join(folder, 'big'));

/** What is on the line; the second flush has the daemon hear of what the first one moved. */
async function moved(): Promise<{ up: number; down: number }> {
  await bench.flush(a, b);
  await bench.flush(a, b);
  const [first, second] = [await bench.status(a.data), await bench.status(b.data)];
  return { up: first.link.sentBytes, down: second.link.receivedBytes };
}

it('a hundred bytes in the middle of ten megabytes move little, up and down', async () => {
  writeFileSync(join(a.folder, 'big'), randomBytes(SIZE));
  const whole = await moved();
  expect(whole.up).toBeGreaterThan(SIZE);
  expect(whole.down).toBeGreaterThan(SIZE);
  edit(a.folder);
  const edited = await moved();
  expect(contentsOf(b).equals(contentsOf(a))).toBe(true);
  expect(edited.up - whole.up).toBeLessThan(MOST_BYTES);
  expect(edited.down - whole.down).toBeLessThan(MOST_BYTES);
  expect(edited.up).toBeGreaterThan(whole.up);
  for (const { data } of [a, b]) expect(readdirSync(join(data, 'transfers', 'made'))).toEqual([]);
});

it('one that was made where the contents came from another laptop does, too', async () => {
  const sent = async (): Promise<number> => (await bench.status(b.data)).link.sentBytes;
  const before = await sent();
  edit(b.folder);
  await bench.flush(b, a);
  await bench.flush(b, a);
  expect(contentsOf(b).equals(contentsOf(a))).toBe(true);
  expect((await sent()) - before).toBeLessThan(MOST_BYTES);
});
