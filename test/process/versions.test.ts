/** `godwit versions -r`: what two laptops have changed in a folder. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { twoLaptops } from '../support/two-laptops.ts';

interface Row {
  readonly path: string;
  readonly what: string;
  readonly by: string | null;
  readonly when: string;
}

const bench = twoLaptops();
const { a, b } = bench;

async function changed(...args: readonly string[]): Promise<readonly Row[]> {
  const told = await bench.json(['versions', '-r', ...args, '--data', b.data]);
  return told['changed'] as Row[];
}

const told = (rows: readonly Row[]): string[] =>
  rows.map(({ path, what, by }) => `${what} ${path} ${by ?? '-'}`);

it('the changes of a folder and of all below it are listed, the newest first', async () => {
  const write = async (laptop: typeof a, path: string): Promise<void> => {
    const place = join(laptop.folder, path);
    mkdirSync(join(place, '..'), { recursive: true });
    writeFileSync(place, path);
    await bench.flush(laptop, a, b);
  };
  await write(a, 'letters/old/one');
  await write(a, 'letters/two words');
  await write(b, 'other');
  await write(b, 'letters/old/deep/three');
  rmSync(join(b.folder, 'letters', 'old', 'one'));
  await bench.flush(b, a);
  expect(told(await changed('/letters'))).toEqual([
    'removed /letters/old/one bob',
    'written /letters/old/deep/three bob',
    'written /letters/two words ann',
  ]);
  const rows = await changed('/', '--most', '2');
  expect(told(rows)).toEqual([
    'removed /letters/old/one bob',
    'written /letters/old/deep/three bob',
  ]);
  expect(rows.map(({ when }) => when)).toEqual([
    expect.stringMatching(/^\d{4}-.+Z$/),
    expect.stringMatching(/^\d{4}-.+Z$/),
  ]);
  expect(told(await changed('/', '--removed'))).toEqual(['removed /letters/old/one bob']);

  // A folder that is gone is looked into as well, and what was not sent comes first.
  rmSync(join(b.folder, 'letters', 'old'), { recursive: true });
  await bench.flush(b);
  expect(told(await changed('/letters/old'))).toEqual(
    expect.arrayContaining(['removed /letters/old/one bob']),
  );
  await bench.json(['pause', '--data', b.data]);
  writeFileSync(join(b.folder, 'unsent'), 'x');
  await bench.until(b.data, ({ queues }) => queues.data.updates > 0);
  expect(told(await changed('/'))[0]).toBe('unsent /unsent -');
  await bench.json(['resume', '--data', b.data]);

  const shown = await bench.godwit(['versions', '-r', '/letters', '--data', b.data]);
  expect(shown.stdout).toMatch(/^when +what +by +size +path\n/);
  expect(shown.stdout).toMatch(/^\d{4}.+ +written +ann +\d+ B +'\/letters\/two words'$/m);
});

it.each([
  [['-r', '/other'], /that is no folder/, 3],
  [['-r', '/never'], /never was/, 3],
  [['--most', '3', '/'], /--most goes with -r/, 2],
  [['-r', '--most', '0', '/'], /--most/, 2],
] as const)('godwit versions %j is refused with a reason', async (args, reason, code) => {
  const run = await bench.godwit(['versions', ...args, '--data', b.data]);
  expect(run).toMatchObject({ code, stdout: '' });
  expect(run.stderr).toMatch(reason);
});
