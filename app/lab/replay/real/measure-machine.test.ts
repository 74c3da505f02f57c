import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MachineMeter } from './measure-machine.ts';

let folder: string;
let closed = 0;
const close = (): void => {
  closed += 1;
};
const ANSWERS = { call: () => Promise.resolve(), close };
beforeEach(() => {
  closed = 0;
  folder = mkdtempSync(join(tmpdir(), 'godwit-measure-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('the meter measures calls and the disk until its end, at least once, and leaves nothing', async () => {
  let calls = 0;
  const third = new Promise<void>((resolve) => {
    const call = (): Promise<void> => {
      calls += 1;
      if (calls === 22) void meter.end().then(check).then(resolve);
      return Promise.resolve();
    };
    const meter = new MachineMeter(folder, { call, close });
  });
  const check = (costs: Awaited<ReturnType<MachineMeter['end']>>): void => {
    expect(costs.syncMs).toBeGreaterThan(0);
    expect(costs.callMs).toBeGreaterThanOrEqual(0);
    expect(costs.writeMsPerMiB).toBeGreaterThanOrEqual(0);
  };
  await third;
  expect([calls, closed, readdirSync(folder)]).toEqual([22, 1, []]);
  check(await new MachineMeter(folder, ANSWERS).end());
});

it('the meter reports why it could not measure', async () => {
  const down = (): Promise<never> => Promise.reject(new Error('the daemon is gone'));
  await expect(new MachineMeter(folder, { call: down, close }).end()).rejects.toThrow(
    'the daemon is gone',
  );
  expect([closed, readdirSync(folder)]).toEqual([1, []]);
  const nowhere = new MachineMeter(join(folder, 'none'), ANSWERS);
  await expect(nowhere.end()).rejects.toThrow('ENOENT');
  expect(closed).toBe(2);
});
