/** Many files that another laptop removes: two real daemons, and what the commands say. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { compareTrees } from '../../app/lab/demo/compare-trees.ts';
import { treeOf, twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops();
const { a, b } = bench;

it('files that one laptop removes are reported on the other, which brings them back', async () => {
  mkdirSync(join(a.folder, 'photos/old'), { recursive: true });
  for (let n = 0; n < 30; n++) writeFileSync(join(a.folder, `photos/old/${n}`), `photo ${n}`);
  writeFileSync(join(a.folder, 'kept'), 'kept');
  await bench.flush(a, b);
  const before = treeOf(b);
  rmSync(join(a.folder, 'photos'), { recursive: true });
  await bench.flush(a, b);
  const { device } = await bench.status(a.data);
  const { othersRemoved } = await bench.until(
    b.data,
    (status) => status.othersRemoved?.[0]?.files === 30,
  );
  expect(othersRemoved).toMatchObject([{ device: device.id, by: device.name, volume: 'home' }]);
  expect((await bench.status(a.data)).othersRemoved).toBeUndefined();
  const { stdout } = await bench.godwit(['status', '--data', b.data]);
  const command = `godwit restore / --removed-by ${device.id}`;
  expect(stdout).toContain(`30 files were removed on ${device.name}`);
  expect(stdout).toContain(command);
  const words = [...command.split(' ').slice(1), '--data', b.data];
  expect(await bench.godwit(words)).toMatchObject({ code: 0, stderr: '' });
  await bench.flush(b, a);
  // Folders are made again, with the time of that.
  for (const laptop of [a, b]) {
    const differences = compareTrees(treeOf(laptop), before);
    expect(differences.filter(({ aspect }) => aspect !== 'mtime')).toEqual([]);
  }
});
