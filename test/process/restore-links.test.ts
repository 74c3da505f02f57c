/** `godwit restore` of a removed folder whose files have names elsewhere too, with real processes. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops(async ({ a, b }) => {
  mkdirSync(join(a.folder, 'hl'));
  writeFileSync(join(a.folder, 'hl/x'), 'one');
  linkSync(join(a.folder, 'hl/x'), join(a.folder, 'keep-x'));
  writeFileSync(join(a.folder, 'hl/y'), 'two');
  await bench.flush(a, b);
});
const { a, b } = bench;

it('`restore` of a folder brings back each name that was in it, on both laptops', async () => {
  rmSync(join(a.folder, 'hl'), { recursive: true });
  await bench.flush(a, b);
  expect(existsSync(join(b.folder, 'hl'))).toBe(false);
  const removed = await bench.json(['versions', '--removed', '/hl', '--data', b.data]);
  const rows = removed['removed'] as ReadonlyArray<{ readonly path: string }>;
  expect(rows.map(({ path }) => path).sort()).toEqual(['/hl/x', '/hl/y']);
  const restored = await bench.godwit(['restore', '/hl', '--data', b.data]);
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(restored.stdout).toContain('/hl/x has that name again\n');
  await bench.flush(b, a);
  for (const { folder } of [a, b]) {
    expect(readFileSync(join(folder, 'hl/y'), 'utf8')).toBe('two');
    expect(statSync(join(folder, 'hl/x')).ino).toBe(statSync(join(folder, 'keep-x')).ino);
  }
});

it('`versions` and `restore` know what was in a folder that was made again since', async () => {
  rmSync(join(a.folder, 'hl'), { recursive: true });
  await bench.flush(a, b);
  mkdirSync(join(a.folder, 'hl'));
  await bench.flush(a, b);
  const told = await bench.godwit(['versions', '/hl/y', '--data', a.data]);
  expect(told).toMatchObject({ code: 0, stdout: expect.stringMatching(/^removed .* by ann\n/) });
  for (const path of ['/hl/x', '/hl/y']) {
    expect(await bench.godwit(['restore', path, '--data', a.data])).toMatchObject({ code: 0 });
  }
  await bench.flush(a, b);
  for (const { folder } of [a, b]) {
    expect(readFileSync(join(folder, 'hl/y'), 'utf8')).toBe('two');
    expect(statSync(join(folder, 'hl/x')).ino).toBe(statSync(join(folder, 'keep-x')).ino);
  }
});
