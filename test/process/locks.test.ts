/** Locks with real processes: a server and two laptops. Nothing here depends on how long anything takes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Bench } from '../support/bench.ts';

type Laptop = Awaited<ReturnType<Bench['laptop']>>;

const bench = new Bench();
let ann: Laptop;
let bob: Laptop;

const run = (at: Laptop, ...args: string[]) => bench.godwit([...args, '--data', at.data]);
const until = (at: Laptop, own: number, others: number, lost = 0) =>
  bench.until(at.data, ({ locks = { own: 0, others: 0, lost: 0 } }) =>
    [locks.own === own, locks.others === others, locks.lost === lost].every(Boolean),
  );

beforeAll(async () => {
  const server = await bench.server();
  ann = await bench.laptop('ann', await bench.invite(server));
  bob = await bench.laptop('bob', await bench.invite(server));
});
afterAll(() => bench.close());

it('a lock is seen on the other laptop, survives a restart, is broken there, and ends after the last save', async () => {
  writeFileSync(join(ann.folder, 'doc'), 'first');
  await bench.flush(ann, bob);
  await bench.until(bob.data, ({ recent = [] }) => recent.some(({ path }) => path === 'doc'));
  expect(await run(ann, 'lock', '/doc')).toMatchObject({ code: 0 });
  await until(bob, 0, 1);
  expect((await run(bob, 'locks')).stdout).toMatch(/^\S+ +ann \(/m);
  const refused = await run(bob, 'lock', '/doc');
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('locked by ann')]);

  await bench.json(['down', '--data', ann.data]);
  await bench.json(['up', '--data', ann.data, '--folder', ann.folder]);
  // It has its lock again, or gets it now.
  expect(await run(ann, 'lock', '/doc')).toMatchObject({ code: 0 });
  await until(bob, 0, 1);

  expect(await run(bob, 'unlock', '/doc', '--break')).toMatchObject({ code: 0 });
  await until(ann, 0, 0, 1);
  expect((await run(ann, 'locks')).stdout).toMatch(/^lost .*another laptop broke it/m);
  await until(bob, 0, 0);

  expect(await run(bob, 'lock', '/doc')).toMatchObject({ code: 0 });
  writeFileSync(join(bob.folder, 'doc'), 'second');
  expect(await run(bob, 'unlock', '/doc')).toMatchObject({ code: 0 });
  await until(bob, 0, 0);
  await bench.until(ann.data, ({ queues, unsettled }) => {
    const isQuiet = unsettled.commits + queues.data.updates === 0;
    return isQuiet && readFileSync(join(ann.folder, 'doc'), 'utf8') === 'second';
  });
});
