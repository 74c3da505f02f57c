/** A volume that is mounted in another, in the folders of two real laptops. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Bench, textOf } from '../support/bench.ts';
import type { Laptop } from '../support/two-laptops.ts';

const bench = new Bench();
let ann: Laptop;
let bob: Laptop;

/** Two laptops of one person, who has the volume team besides. */
beforeAll(async () => {
  const server = await bench.server();
  ann = await bench.laptop('ann', await bench.invite(server, 'ann'));
  await bench.json(['server', 'volume', 'create', 'team', '--owner', 'ann', '--data', server.data]);
  bob = await bench.laptop('bob', await bench.invite(server, 'ann'));
  for (const { data } of [ann, bob]) await bench.until(data, ({ volumes }) => volumes.length === 2);
});
afterAll(() => bench.close());

const godwit = (laptop: Laptop, ...args: string[]) =>
  bench.godwit([...args, '--data', laptop.data], {});
const shows = (laptop: Laptop, path: string): boolean => existsSync(join(laptop.folder, path));

it('a mounted volume is followed in the folder, both ways, and leaves with its mount point', async () => {
  expect(await godwit(ann, 'volume', 'mount', 'team', '/team')).toMatchObject({ code: 0 });
  await bench.until(ann.data, () => shows(ann, 'team'));
  mkdirSync(join(ann.folder, 'team', 'dir'));
  writeFileSync(join(ann.folder, 'team', 'dir', 'plan'), 'the plan');
  await bench.flush(ann);
  await bench.until(bob.data, () => shows(bob, 'team/dir/plan'));
  writeFileSync(join(bob.folder, 'team', 'dir', 'plan'), 'another plan');
  await bench.flush(bob);
  await bench.flush(ann);
  expect(textOf(join(ann.folder, 'team', 'dir', 'plan'))).toBe('another plan');
  expect((await godwit(ann, 'cat', '/team/dir/plan')).stdout).toBe('another plan');

  rmSync(join(bob.folder, 'team'), { recursive: true });
  await bench.until(bob.data, ({ errors }) => errors.some(({ code }) => code === 'removals-held'));
  expect(await godwit(bob, 'reject', '/team')).toMatchObject({ code: 0 });
  await bench.until(bob.data, () => shows(bob, 'team/dir/plan'));

  expect(await godwit(ann, 'volume', 'unmount', '/team')).toMatchObject({ code: 0 });
  for (const laptop of [ann, bob]) await bench.until(laptop.data, () => !shows(laptop, 'team'));
  await bench.flush(bob);
  expect(readdirSync(bob.folder).filter((name) => name !== '.godwit')).toEqual([]);
  expect((await godwit(bob, 'cat', '/dir/plan', '--volume', 'team')).stdout).toBe('another plan');
});
