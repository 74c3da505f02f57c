/**
 * Limits with real processes: a server and two laptops. What has moved is compared with what the limit lets through in the time that has passed: a
 * loaded machine moves less.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { limitBurst } from '../../shared/ports/transport.ts';
import { Bench, outputOf, type RunningServer } from '../support/bench.ts';

const MEASURE = fileURLToPath(new URL('./limit-rate/main.ts', import.meta.url));
const RATE = 100_000;
const LARGE = 600_000;
/** At the least limit that there is this takes a quarter of an hour. */
const HUGE = 8_000_000;

type Laptop = Awaited<ReturnType<Bench['laptop']>>;

const bench = new Bench();
let server: RunningServer;
let ann: Laptop;
let bob: Laptop;

const config = (at: Laptop, ...args: string[]) =>
  bench.godwit(['config', ...args, '--data', at.data]);

/** Bytes that a limit of RATE lets through since then. */
const mostSince = (began: number): number =>
  (RATE * (performance.now() - began)) / 1000 + limitBurst(RATE);

beforeAll(async () => {
  server = await bench.server();
  ann = await bench.laptop('ann', await bench.invite(server));
  bob = await bench.laptop('bob', await bench.invite(server));
});
afterAll(() => bench.close());

it('a limit for uploads is kept by a running daemon', async () => {
  expect(await config(ann, 'limit.upload', '100KB/s')).toMatchObject({ stdout: '100KB/s\n' });
  const began = performance.now();
  writeFileSync(join(ann.folder, 'large'), randomBytes(LARGE));
  await bench.flush(ann);
  expect(LARGE).toBeLessThan(mostSince(began));
});

it('a limit for downloads is kept by the server, also after a restart of the laptop and the server', async () => {
  expect(await config(ann, 'limit.upload', '--unset')).toMatchObject({ stdout: 'none\n' });
  expect(await config(bob, 'limit.download', '0.1MB/s')).toMatchObject({ stdout: '100KB/s\n' });
  await bench.json(['down', '--data', bob.data]);
  await bench.json(['up', '--data', bob.data, '--folder', bob.folder]);
  await bench.until(bob.data, ({ limits }) => limits?.server === 'paces');
  const began = performance.now();
  writeFileSync(join(ann.folder, 'other'), randomBytes(LARGE));
  await bench.until(bob.data, ({ recent = [] }) => recent.some(({ path }) => path === 'other'));
  expect(LARGE).toBeLessThan(mostSince(began));
});

it('the status shows what a limit slows down, and a lifted limit lets it go', async () => {
  await config(ann, 'limit.upload', '10KB/s');
  await config(bob, 'limit.download', 'none');
  writeFileSync(join(ann.folder, 'huge'), randomBytes(HUGE));
  await bench.until(ann.data, ({ queues }) => queues.data.inFlight > 0);
  const { stdout } = await bench.godwit(['status', '--data', ann.data]);
  expect(stdout).toContain('(limit 10.0 KB/s)');
  expect(existsSync(join(bob.folder, 'huge'))).toBe(false);
  await config(ann, 'limit.upload', 'none');
  await bench.flush(ann, bob);
  await bench.until(bob.data, ({ recent = [] }) => recent.some(({ path }) => path === 'huge'));
  expect(existsSync(join(bob.folder, 'huge'))).toBe(true);
});

it('the program that measures a limit prints each figure, and refuses what is no rate', async () => {
  const run = (...args: string[]) => outputOf(spawn(process.execPath, [MEASURE, ...args]));
  const { code, stdout, stderr } = await run('--rates', '200KB/s', '--seconds', '1');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const key of ['limit.upload', 'limit.download']) {
    expect(stdout).toMatch(new RegExp(`^${key} 200KB/s: 200000 bytes in [\\d.]+ s`, 'm'));
  }
  expect(stdout).toMatch(/^the bulk without the limit: /m);
  const refused = await run('--rates', '5');
  const remedy = '--rates 5: a rate without a unit\n';
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: remedy });
});

it.each([
  ['limit.upload', '500', /500: a rate without a unit; say which unit: 500KB\/s or 500MB\/s/],
  ['limit.upload', '9KB/s', /9KB\/s: less than 10\.0 KB\/s; give more, or see `godwit pause`/],
  ['limit.download', '10001MB/s', /more than 10\.0 GB\/s; `none` takes the limit away/],
  ['limit.download', '5Mbit/s', /5Mbit\/s: not a rate such as 500KB\/s, 2MB\/s or none/],
  ['limit.download', '-5MB', /unknown option|not a rate/],
])('the setting %s %s is refused in one line', async (key, value, says) => {
  const ran = await config(ann, key, value);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toMatch(says);
  expect(ran.stderr.trim().split('\n')).toHaveLength(1);
});
