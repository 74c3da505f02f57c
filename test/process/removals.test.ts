/** A folder that lost much while nobody looked: nothing goes elsewhere before a person says so (rule W8). */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Bench } from '../support/bench.ts';

let bench: Bench;
let a: { data: string; folder: string };
let b: { data: string; folder: string };

beforeAll(async () => {
  bench = new Bench();
  const server = await bench.server();
  a = await bench.laptop('ann', await bench.invite(server));
  b = await bench.laptop('bob', await bench.invite(server));
  for (let i = 0; i < 100; i++) writeFileSync(join(a.folder, `file ${i}`), `${i}`);
  await bench.flush(a, b);
});
afterAll(() => bench.close());

const files = (folder: string): number =>
  readdirSync(folder).filter((name) => name.startsWith('file ')).length;

async function loseSixty(): Promise<void> {
  await bench.json(['down', '--data', a.data]);
  for (let i = 0; i < 60; i++) rmSync(join(a.folder, `file ${i}`));
  await bench.json(['up', '--data', a.data]);
  await bench.until(a.data, ({ errors }) => errors.some(({ code }) => code === 'removals-held'));
}

it('flush says that removals wait, and `reject` brings the files back', async () => {
  await loseSixty();
  const flush = await bench.godwit(['flush', '--wait', '--data', a.data]);
  expect(flush.code).toBe(5);
  expect(flush.stderr).toMatch(/60 removals wait.*godwit confirm.*godwit reject/s);
  await bench.flush(b);
  expect(files(b.folder)).toBe(100);
  expect(await bench.json(['reject', '--data', a.data])).toEqual({ rejected: 60 });
  await bench.flush(a);
  expect(files(a.folder)).toBe(100);
});

it('`confirm` removes them everywhere', async () => {
  await loseSixty();
  expect(await bench.json(['confirm', '--data', a.data])).toEqual({ confirmed: 60 });
  await bench.flush(a, b);
  expect(files(b.folder)).toBe(40);
});
