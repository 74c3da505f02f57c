/** The longest test files begin first (test/support/jest/sequencer.mjs). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import LongestFirst, { LONGEST } from './jest/sequencer.mjs';

const rootDir = join(import.meta.dirname, '..', '..');
const Sequencer = LongestFirst as unknown as new (options: object) => {
  sort(tests: readonly object[]): { path: string }[];
};

test('each of the longest test files is there', () => {
  expect(LONGEST.filter((path) => !existsSync(join(rootDir, path)))).toEqual([]);
});

test('the longest files begin first in their order when no times are known of others', () => {
  const config = { id: 'x', rootDir, cacheDirectory: '/nonexistent', name: 'x' };
  const context = { config, hasteFS: { getSize: () => 1 } };
  const paths = ['test/tidy/lint.test.ts', LONGEST[1], 'test/tidy/layers.test.ts', LONGEST[0]];
  const tests = paths.map((path) => ({ path: join(rootDir, path ?? ''), context }));
  const sorted = new Sequencer({ contexts: [context], globalConfig: {} }).sort(tests);
  expect(sorted.slice(0, 2).map(({ path }) => path)).toEqual(
    LONGEST.slice(0, 2).map((path) => join(rootDir, path)),
  );
});
