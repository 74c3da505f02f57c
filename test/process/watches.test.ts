/** A system with few watches: directories without one are reported, and their changes are found all the same. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { itNeeds } from '../support/browser.ts';
import { readControlFile } from '../../shared/control/control-file.ts';
import { twoLaptops } from '../support/two-laptops.ts';

const FEW = [
  ...['unshare', '--map-root-user', 'sh', '-c'],
  ...['echo 12 > /proc/sys/user/max_inotify_watches && exec "$@"', 'sh'],
];
const canLimit = spawnSync(FEW[0] ?? '', [...FEW.slice(1), 'true']).status === 0;
const limited = itNeeds(canLimit ? null : 'this machine has no namespaces of users');
const DIRS = Array.from({ length: 30 }, (_, index) => `d${index}`);

describe('a system with few watches', () => {
  const bench = twoLaptops(
    async ({ a, b }) => {
      for (const dir of DIRS) mkdirSync(join(a.folder, dir));
      for (const dir of DIRS) writeFileSync(join(a.folder, dir, 'file'), '1');
      await bench.flush(a, b);
    },
    (made) => {
      made.within(made.a.data, FEW);
      return Promise.resolve();
    },
  );
  const { a, b } = bench;

  limited(
    'is reported and still misses no change, and recovers when there are enough',
    async () => {
      await bench.json(['down', '--data', a.data]);
      await bench.json(['up', '--data', a.data]);
      const { errors } = await bench.until(a.data, (status) =>
        status.errors.some(({ code }) => code === 'not-watched'),
      );
      expect(errors[0]).toMatchObject({
        message: expect.stringMatching(/no more watches: \d+ folders .* every 30 s/) as unknown,
        remedy: expect.stringContaining('max_user_watches') as unknown,
      });
      const doctor = await bench.godwit(['doctor', '--data', a.data]);
      expect(doctor.stdout).toContain('no more watches');
      for (const dir of DIRS) writeFileSync(join(a.folder, dir, 'file'), '2');
      await bench.flush(a, b);
      expect(DIRS.map((dir) => readFileSync(join(b.folder, dir, 'file'), 'utf8'))).toEqual(
        DIRS.map(() => '2'),
      );
      await bench.json(['down', '--data', a.data]);
      bench.within(a.data, []);
      await bench.json(['up', '--data', a.data]);
      await bench.flush(a);
      expect((await bench.status(a.data)).errors).toEqual([]);
    },
  );
});

describe('a system that drops events', () => {
  const bench = twoLaptops(async ({ a, b }) => {
    for (const dir of DIRS) mkdirSync(join(a.folder, dir));
    for (const dir of DIRS) writeFileSync(join(a.folder, dir, 'file'), '1');
    await bench.flush(a, b);
  });
  const { a, b } = bench;

  it('finds at once what it was not notified of', async () => {
    const most = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
    const { pid } = readControlFile(a.data) ?? {};
    if (pid === undefined) throw new Error('a daemon runs');
    process.kill(pid, 'SIGSTOP');
    for (let count = 0; count <= most; count++) {
      utimesSync(join(a.folder, `d${count % 2}`, 'file'), 1, 1);
    }
    // The queue of the kernel is full, so these changes are not reported.
    for (const dir of DIRS) writeFileSync(join(a.folder, dir, 'file'), '2');
    process.kill(pid, 'SIGCONT');
    const isThere = (dir: string): boolean =>
      readFileSync(join(b.folder, dir, 'file'), 'utf8') === '2';
    await bench.until(b.data, () => DIRS.every(isThere));
    await bench.until(a.data, ({ errors }) => errors.length === 0);
  });
});
