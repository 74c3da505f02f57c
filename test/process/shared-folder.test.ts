/** Two people with a laptop each: one shares a folder with the other. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Bench, textOf } from '../support/bench.ts';
import type { Laptop } from '../support/two-laptops.ts';

const bench = new Bench();
let ann: Laptop;
let bob: Laptop;

/** Each has a volume of their own, and sees no other. */
beforeAll(async () => {
  const server = await bench.server();
  for (const name of ['ann', 'bob']) {
    await bench.json(['server', 'user', 'add', name, '--data', server.data]);
  }
  ann = await bench.laptop('ann', await bench.invite(server, 'ann'));
  bob = await bench.laptop('bob', await bench.invite(server, 'bob'));
});
afterAll(() => bench.close());

const godwit = (laptop: Laptop, ...args: string[]) =>
  bench.godwit([...args, '--data', laptop.data], {});
const shows = (laptop: Laptop, path: string): boolean => existsSync(join(laptop.folder, path));

it('a folder with files is shared, accepted, written to by both people, and left', async () => {
  const first = join(ann.folder, 'trip', 'days', 'first');
  mkdirSync(dirname(first), { recursive: true });
  writeFileSync(first, 'one');
  const { ino } = statSync(first);
  const nobody = await godwit(ann, 'share', '/trip', '--with', 'eve');
  expect(nobody).toMatchObject({ code: 3, stdout: '' });
  expect(nobody.stderr).toContain('there is no user eve');
  writeFileSync(join(ann.folder, '.godwitignore'), 'left out\n');
  for (const path of ['/.godwit', '/left out']) {
    const refused = await godwit(ann, 'share', path, '--with', 'bob');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`${path} is not synced: `);
  }
  rmSync(join(ann.folder, '.godwitignore'));
  expect(readdirSync(ann.folder).sort()).toEqual(['.godwit', 'trip']);
  expect((await godwit(ann, 'volume', 'ls')).stdout).not.toContain('/trip');
  const shared = await godwit(ann, 'share', '/trip', '--with', 'bob');
  expect(shared.code).toBe(0);
  expect(shared.stderr).toContain('/trip has 1 file (3 B)');
  expect(shared.stderr).toContain('Ctrl-C ends this command alone');
  expect([statSync(first).ino, readdirSync(ann.folder).sort()]).toEqual([ino, ['.godwit', 'trip']]);
  await bench.until(bob.data, ({ volumes }) => volumes.length === 2);
  expect((await godwit(bob, 'shares')).stdout).toMatch(/trip-\w{4} +from ann +write +offered/);
  expect(await godwit(bob, 'accept', 'trip', '/with ann')).toMatchObject({ code: 0 });
  await bench.until(bob.data, () => shows(bob, 'with ann/days/first'));
  expect((await godwit(bob, 'share', '/with ann/days', '--with', 'ann')).stderr).toContain(
    'you may not share a folder of this volume',
  );

  writeFileSync(join(ann.folder, 'trip', 'plan'), 'the plan');
  await bench.flush(ann);
  await bench.until(bob.data, () => shows(bob, 'with ann/plan'));
  writeFileSync(join(bob.folder, 'with ann', 'plan'), 'another plan');
  await bench.flush(bob);
  await bench.until(ann.data, () => textOf(join(ann.folder, 'trip', 'plan')) === 'another plan');
  expect((await godwit(bob, 'share', '/with ann', '--with', 'ann')).stderr).toContain(
    'you may not change who may use this volume',
  );

  expect(await godwit(bob, 'leave', 'trip')).toMatchObject({ code: 0 });
  await bench.until(bob.data, () => !shows(bob, 'with ann'));
  expect((await godwit(bob, 'shares')).stdout).toContain('nothing is shared with you');
  expect(textOf(join(ann.folder, 'trip', 'plan'))).toBe('another plan');
});
