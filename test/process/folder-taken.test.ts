/** A folder has one daemon: starting another one for it is refused with a reason, also on a device that was paired before. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops();
const { a, b } = bench;

it('`up` for a paired device refuses the folder of another daemon with the reason', async () => {
  await bench.json(['down', '--data', b.data]);
  const file = join(b.data, 'config.json');
  const settings = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify({ ...settings, folder: a.folder }));
  const up = await bench.godwit(['up', '--data', b.data]);
  expect([up.code === 0, up.stderr]).toEqual([
    false,
    expect.stringContaining(`another daemon keeps ${a.folder} in sync`),
  ]);
  writeFileSync(file, JSON.stringify(settings));
  await bench.json(['up', '--data', b.data]);
  await bench.flush(a, b);
});
