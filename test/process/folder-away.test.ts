/** A synced folder that is gone: nothing is made in its place, and a flush says so instead of waiting. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops(async ({ a, b }) => {
  writeFileSync(join(a.folder, 'doc'), 'first');
  await bench.flush(a, b);
});
const { a, b } = bench;
const away = `${a.folder}.away`;

const flush = () => bench.godwit(['flush', '--wait', '--data', a.data]);
const SAYS = /^godwit: [^\n]*Godwit is not where it was; [^\n]*`godwit config folder DIR`/m;

async function back(): Promise<void> {
  renameSync(away, a.folder);
  await bench.until(a.data, ({ errors }) => errors.length === 0);
}

it('a folder that went while no daemon ran is not made anew, and goes on when it is back', async () => {
  await bench.json(['down', '--data', a.data]);
  renameSync(a.folder, away);
  const up = await bench.godwit(['up', '--data', a.data]);
  expect(up.stdout + up.stderr).toContain('Godwit is not where it was');
  expect(await flush()).toMatchObject({ code: 1, stderr: expect.stringMatching(SAYS) });
  expect(existsSync(a.folder)).toBe(false);
  await back();
  writeFileSync(join(a.folder, 'doc'), 'second');
  await bench.flush(a, b);
  expect(readFileSync(join(b.folder, 'doc'), 'utf8')).toBe('second');
});

it('a folder that goes while the daemon runs ends a flush with the reason', async () => {
  renameSync(a.folder, away);
  expect(await flush()).toMatchObject({ code: 1, stderr: expect.stringMatching(SAYS) });
  await back();
});
