import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MachineMeter } from './measure-machine.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-measure-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('measures calls and the disk until it is ended, once at least, and leaves nothing', async () => {
  let calls = 0;
  const third = new Promise<void>((resolve) => {
    const meter = new MachineMeter(folder, () => {
      calls += 1;
      if (calls === 22) void meter.end().then(check).then(resolve);
      return Promise.resolve();
    });
  });
  const check = (costs: Awaited<ReturnType<MachineMeter['end']>>): void => {
    expect(costs.syncMs).toBeGreaterThan(0);
    expect(costs.callMs).toBeGreaterThanOrEqual(0);
    expect(costs.writeMsPerMiB).toBeGreaterThanOrEqual(0);
  };
  await third;
  expect([calls, readdirSync(folder)]).toEqual([22, []]);
  check(await new MachineMeter(folder, () => Promise.resolve()).end());
});

it('tells whoever ends it why it could not measure', async () => {
  const down = (): Promise<never> => Promise.reject(new Error('the daemon is gone'));
  await expect(new MachineMeter(folder, down).end()).rejects.toThrow('the daemon is gone');
  expect(readdirSync(folder)).toEqual([]);
  const nowhere = new MachineMeter(join(folder, 'none'), () => Promise.resolve());
  await expect(nowhere.end()).rejects.toThrow('ENOENT');
});
