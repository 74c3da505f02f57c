/** A quota with a real server and real laptops: set and lifted while they run. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { textOf } from '../support/bench.ts';
import { twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops();
const { a, b } = bench;

const quota = (size: string) =>
  bench.json(['server', 'quota', 'home', size, '--data', bench.home.data]);
const isHeld = ({ errors }: { errors: ReadonlyArray<{ code: string }> }): boolean =>
  errors.some(({ code }) => code === 'over-quota');

it('a quota holds back what does not fit in a folder, refuses it to programs, and recovers', async () => {
  writeFileSync(join(a.folder, 'first'), 'f'.repeat(600_000));
  await bench.flush(a, b);
  expect(await quota('1MB')).toMatchObject({
    volumes: [{ volume: 'home', limit: 1_000_000, used: 600_000 }],
  });
  await bench.until(b.data, ({ volumes }) => volumes[0]?.quota?.limit === 1_000_000);
  writeFileSync(join(b.folder, 'large'), 'l'.repeat(700_000));
  const held = await bench.until(b.data, isHeld);
  expect(held.errors).toMatchObject([{ code: 'over-quota', path: 'large' }]);
  writeFileSync(join(b.folder, 'small'), 'it fits');
  const flush = ['flush', '--wait', '--timeout', '60', '--data', b.data];
  expect(await bench.godwit(flush)).toMatchObject({ code: 1 });
  await bench.flush(a);
  await bench.until(a.data, () => existsSync(join(a.folder, 'small')));
  expect(existsSync(join(a.folder, 'large'))).toBe(false);
  const put = await bench.godwit(['put', join(b.folder, 'large'), '/again', '--data', b.data]);
  expect(put).toMatchObject({ code: 5 });
  expect(put.stderr).toMatch(/quota/);

  // The removal makes space.
  rmSync(join(a.folder, 'first'));
  await bench.until(b.data, (status) => !isHeld(status));
  await bench.flush(b, a);
  expect(textOf(join(a.folder, 'large'))).toBe('l'.repeat(700_000));
  await quota('none');
  await bench.until(b.data, ({ volumes }) => volumes[0]?.quota === null);
  expect(await bench.json(['server', 'check', '--data', bench.home.data])).toMatchObject({
    fine: true,
  });
});
