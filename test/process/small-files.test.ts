/** A package installer works in a synced folder, with real processes: thousands of small files come and go within seconds. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { treeOf, twoLaptops } from '../support/two-laptops.ts';

const FILES = 2004;
const FILES_OF_A_PACKAGE = 12;
const TIMES = 3;
/** The memory that a daemon of a few thousand files may use beyond one without files. An unbounded queue would exceed it. */
const MOST_MORE_BYTES = 256 * 1024 * 1024;

const bench = twoLaptops();
const { a, b } = bench;

/** The peak memory of the daemon of a laptop. */
async function peakOf({ data }: { data: string }): Promise<number> {
  const { pid } = await bench.status(data);
  const found = /VmHWM:\s+(?<kilobytes>\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.groups?.['kilobytes']) * 1024;
}

/** Works like `npm ci`: removes everything, unpacks packages elsewhere and renames them into place. */
function install(time: number): void {
  const modules = join(a.folder, 'project', 'node_modules');
  rmSync(modules, { recursive: true, force: true });
  for (let file = 0; file < FILES; file += FILES_OF_A_PACKAGE) {
    const unpacked = join(modules, `.package-${file}-x7`);
    mkdirSync(join(unpacked, 'lib'), { recursive: true });
    for (let each = file; each < file + FILES_OF_A_PACKAGE; each++) {
      const text = each % 5 === 0 ? `time ${time} of ${each}` : `file ${each}`.repeat(each % 300);
      writeFileSync(join(unpacked, 'lib', `${each}.js`), text);
    }
    renameSync(unpacked, join(modules, `package-${file}`));
  }
}

it('two laptops are in sync after a storm of small files and need little memory for it', async () => {
  const before = [await peakOf(a), await peakOf(b)];
  for (let time = 0; time < TIMES; time++) install(time);
  await bench.flush(a, b);
  const tree = treeOf(b);
  expect(bench.differences()).toEqual([]);
  expect([...tree.values()].filter(({ kind }) => kind === 'file')).toHaveLength(FILES);
  expect(tree.get('project/node_modules/package-0/lib/0.js')?.size).toBe('time 2 of 0'.length);
  rmSync(join(a.folder, 'project', 'node_modules'), { recursive: true });
  install(TIMES);
  rmSync(join(a.folder, 'project'), { recursive: true });
  await bench.flush(a, b);
  expect([...treeOf(b).keys()]).toEqual([...treeOf(a).keys()]);
  const after = [await peakOf(a), await peakOf(b)];
  for (const [index, bytes] of after.entries()) {
    expect(bytes - (before[index] ?? 0)).toBeLessThan(MOST_MORE_BYTES);
  }
  // It takes half a minute alone, and twice that beside other tests.
});
