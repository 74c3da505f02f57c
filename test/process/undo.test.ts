/** A removed folder and an older version, with the commands and real processes. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops(async ({ a, b }) => {
  mkdirSync(join(a.folder, 'd'));
  for (let i = 0; i < 20; i++) writeFileSync(join(a.folder, 'd', `file ${i}`), `contents ${i}`);
  // These are so many other files that a removal of the folder is not held back.
  for (let i = 0; i < 400; i++) writeFileSync(join(a.folder, `other ${i}`), `${i}`);
  writeFileSync(join(a.folder, 'doc'), 'first');
  await bench.flush(a, b);
});
const { a, b } = bench;

const read = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8');

it('`undo` brings back a removed folder on both laptops', async () => {
  rmSync(join(a.folder, 'd'), { recursive: true });
  await bench.flush(a, b);
  expect(existsSync(join(b.folder, 'd'))).toBe(false);
  const removed = await bench.json(['versions', '--removed', '/', '--data', b.data]);
  expect(removed).toMatchObject({ removed: [{ path: '/d', kind: 'directory', by: 'ann' }] });
  const dry = await bench.json(['undo', '--dry-run', '--data', a.data]);
  expect(dry['done']).toHaveLength(21);
  const done = await bench.json(['undo', '--data', a.data]);
  expect(done).toMatchObject({ failed: [] });
  await bench.flush(a, b);
  for (const { folder } of [a, b]) {
    for (let i = 0; i < 20; i++) expect(read(folder, `d/file ${i}`)).toBe(`contents ${i}`);
  }
});

it('`versions` lists the versions of a file, and `restore` brings one back', async () => {
  writeFileSync(join(b.folder, 'doc'), 'second, longer');
  await bench.flush(b, a);
  const told = await bench.godwit(['versions', '/doc', '--data', a.data]);
  expect(told.stdout).toMatch(/^version .*\n.* bob .* 14 B +as it is now\n.* ann .* 5 B\n$/);
  const restored = await bench.godwit(['restore', '/doc', '--data', a.data]);
  expect(restored).toMatchObject({ code: 0, stdout: '/doc has its older contents again\n' });
  await bench.flush(a, b);
  expect([read(a.folder, 'doc'), read(b.folder, 'doc')]).toEqual(['first', 'first']);
});

it('`undo` leaves alone what another device has changed since and exits with a code for it', async () => {
  writeFileSync(join(a.folder, 'doc'), 'by ann');
  await bench.flush(a, b);
  writeFileSync(join(b.folder, 'doc'), 'by bob');
  await bench.flush(b, a);
  const undone = await bench.godwit(['undo', '--data', a.data]);
  expect(undone.code).toBe(1);
  expect(undone.stderr).toMatch(/^godwit: \/doc is left as it is: another device[^\n]*\n$/);
  expect(read(a.folder, 'doc')).toBe('by bob');
});
