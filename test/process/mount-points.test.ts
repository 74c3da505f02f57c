/** A mount point with a real server and the laptops of two people, by commands; the folder of a laptop shows it as an empty one. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Bench, textOf } from '../support/bench.ts';
import type { Laptop } from '../support/two-laptops.ts';

const bench = new Bench();
let ann: Laptop;
let bob: Laptop;

/** ann has the volume team beside her own, which bob sees as a guest. */
beforeAll(async () => {
  const server = await bench.server();
  ann = await bench.laptop('ann', await bench.invite(server, 'ann'));
  await bench.json(['server', 'volume', 'create', 'team', '--owner', 'ann', '--data', server.data]);
  await bench.until(ann.data, ({ volumes }) => volumes.length === 2);
  const rights = ['bob', '--volume', 'ann', '--rights', 'write'];
  bob = await bench.laptop('bob', await bench.invite(server, ...rights));
});
afterAll(() => bench.close());

const ofAnn = (args: readonly string[], stdin = '') =>
  bench.godwit([...args, '--data', ann.data], { stdin });
const there = (laptop: Laptop, ...names: string[]): boolean =>
  existsSync(join(laptop.folder, ...names));
const places = ({ errors }: { errors: ReadonlyArray<{ path: string | null }> }): unknown[] =>
  errors.map(({ path }) => path);

it('a volume is reached through a folder of another by every command', async () => {
  mkdirSync(join(ann.folder, 'desk'));
  await bench.flush(ann);
  expect(await ofAnn(['volume', 'mount', 'team', '/desk/team'])).toMatchObject({ code: 0 });
  expect(await ofAnn(['put', '-', '/desk/team/plan'], 'the plan')).toMatchObject({ code: 0 });
  expect((await ofAnn(['ls', '/desk'])).stdout).toBe('team/\n');
  expect((await ofAnn(['ls', '-l', '/desk'])).stdout).toMatch(/team -> volume team\n/);
  expect((await ofAnn(['cat', '/desk/team/plan'])).stdout).toBe('the plan');
  expect((await ofAnn(['cat', '/plan', '--volume', 'team'])).stdout).toBe('the plan');
  await bench.flush(ann);
  expect((await ofAnn(['versions', '/desk/team/plan'])).stdout).toMatch(/8 bytes|8 B/);
  expect((await ofAnn(['lock', '/desk/team/plan'])).stdout).toMatch(/locked/);
  expect((await ofAnn(['volume', 'ls'])).stdout).toMatch(/^team +read and write/m);
});

it('a person who may not see the volume finds an empty folder, whose files stay and are listed', async () => {
  await bench.until(bob.data, () => there(bob, 'desk', 'team'));
  expect(readdirSync(join(bob.folder, 'desk', 'team'))).toEqual([]);
  const listed = await bench.godwit(['ls', '-l', '/desk', '--data', bob.data]);
  expect(listed.stdout).toMatch(/team \(it shows a volume that this laptop may not see\)/);
  writeFileSync(join(bob.folder, 'desk', 'team', 'stray'), 'of bob');
  await bench.until(bob.data, (status) => places(status).includes('desk/team/stray'));
  expect(textOf(join(bob.folder, 'desk', 'team', 'stray'))).toBe('of bob');
  const cancel = ['queue', 'cancel', '/desk/team/stray', '--data', bob.data];
  expect(await bench.godwit(cancel)).toMatchObject({ code: 0 });
  const isGone = (): boolean => !there(bob, 'desk', 'team', 'stray');
  // It lies in the folder's lost+found, and that is all that is left to say.
  const isAside = (said: unknown[]): boolean => said.join() === '.godwit/lost+found';
  await bench.until(bob.data, (status) => isAside(places(status)) && isGone());
});

it('a mount point is not removed with its folder: it comes back, and goes by the command alone', async () => {
  rmSync(join(bob.folder, 'desk', 'team'), { recursive: true });
  await bench.flush(bob);
  await bench.until(bob.data, () => there(bob, 'desk', 'team'));
  expect((await ofAnn(['cat', '/desk/team/plan'])).stdout).toBe('the plan');
  expect(await ofAnn(['volume', 'unmount', '/desk/team'])).toMatchObject({ code: 0 });
  await bench.until(bob.data, () => !there(bob, 'desk', 'team'));
  expect((await ofAnn(['cat', '/plan', '--volume', 'team'])).stdout).toBe('the plan');
});
