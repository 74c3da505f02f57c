/** Files that can't be placed on a laptop are reported by its flush and its status, and are placed when there is space. */
import { existsSync, mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops(async ({ a, b }) => {
  writeFileSync(join(a.folder, '.godwitignore'), '*.o\n');
  mkdirSync(join(a.folder, 'proj'));
  writeFileSync(join(a.folder, 'proj', 'a.c'), 'c');
  await bench.flush(a, b);
  writeFileSync(join(b.folder, 'proj', 'a.o'), 'object');
});
const { a, b } = bench;

it('a file that replaces a folder with an ignored file is reported by flush and placed later', async () => {
  rmSync(join(a.folder, 'proj'), { recursive: true });
  writeFileSync(join(a.folder, 'proj'), 'a file now');
  await bench.flush(a);
  const flush = await bench.godwit(['flush', '--wait', '--data', b.data]);
  expect(flush.code).toBe(1);
  expect(flush.stderr).toMatch(/godwit: \/proj: a folder that holds .*proj\/a\.o.*; move it away/);
  expect(existsSync(join(b.folder, 'proj', 'a.o'))).toBe(true);
  const status = await bench.godwit(['status', '--data', b.data]);
  expect(status.stdout).toMatch(/^✗ \/proj: a folder that holds/m);
  const path = await bench.godwit(['status', '/proj', '--data', b.data]);
  expect(path.stdout).toMatch(/not as here: a folder that holds/);
  unlinkSync(join(b.folder, 'proj', 'a.o'));
  await bench.until(b.data, ({ state }) => state === 'idle');
  await bench.flush(b);
  expect(readFileSync(join(b.folder, 'proj'), 'utf8')).toBe('a file now');
});

it('an ignored file is reported with the rule that ignores it', async () => {
  writeFileSync(join(a.folder, 'x.o'), 'object');
  writeFileSync(join(a.folder, 'chapter.part'), 'text');
  await bench.flush(a, b);
  const ignored = await bench.godwit(['status', '/x.o', '--data', a.data]);
  expect(ignored.stdout).toBe('/x.o: not synced: ignored by /.godwitignore line 1: *.o\n');
  expect(readFileSync(join(b.folder, 'chapter.part'), 'utf8')).toBe('text');
});
