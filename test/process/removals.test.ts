/** A folder that lost many files while no daemon ran: no removal is sent before a person confirms it (rule W8). */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops(async ({ a, b }) => {
  for (let i = 0; i < 100; i++) writeFileSync(join(a.folder, `file ${i}`), `${i}`);
  await bench.flush(a, b);
});
const { a, b } = bench;

const files = (folder: string): number =>
  readdirSync(folder).filter((name) => name.startsWith('file ')).length;

async function loseSixty(): Promise<void> {
  await bench.json(['down', '--data', a.data]);
  for (let i = 0; i < 60; i++) rmSync(join(a.folder, `file ${i}`));
  await bench.json(['up', '--data', a.data]);
  await bench.until(a.data, ({ errors }) => errors.some(({ code }) => code === 'removals-held'));
}

it('`flush` reports held-back removals, and `reject` brings the files back', async () => {
  await loseSixty();
  const flush = await bench.godwit(['flush', '--wait', '--data', a.data]);
  expect(flush.code).toBe(1);
  expect(flush.stderr).toMatch(/60 removals wait.*godwit confirm.*godwit reject/s);
  await bench.flush(b);
  expect(files(b.folder)).toBe(100);
  expect(await bench.json(['reject', '--data', a.data])).toEqual({ rejected: 60 });
  await bench.flush(a);
  expect(files(a.folder)).toBe(100);
});

it('`confirm` removes held-back files on all laptops', async () => {
  await loseSixty();
  expect(await bench.json(['confirm', '--data', a.data])).toEqual({ confirmed: 60 });
  await bench.flush(a, b);
  expect(files(b.folder)).toBe(40);
});
