/**
 * A module is loaded once for all test files of a process (test/support/jest/runtime.mjs). What registers tests or hooks while it is loaded would
 * do so for the first of them alone: only test files may, and modules in functions that they call.
 */
import { expect, test } from '@jest/globals';
import { typeScriptFiles, type SourceFile } from './repository.ts';

const AT_ONCE = /^(?:before|after)(?:Each|All)\(|^(?:describe|it|test)(?:\.\w+)*\(|^jest\.\w+\(/m;

function registersAtOnce(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => !path.endsWith('.test.ts') && text.includes('@jest/globals'))
    .filter(({ text }) => AT_ONCE.test(text))
    .map(({ path }) => path);
}

test('no module but a test registers tests or hooks while it is loaded', () => {
  expect(registersAtOnce(typeScriptFiles())).toEqual([]);
});

test.each([
  ['afterAll(() => undefined);', true],
  ["describe.each([1])('x', () => undefined);", true],
  ['export function bench() {\n  afterEach(() => undefined);\n}', false],
])('the rule finds %s: %s', (line, found) => {
  const text = `import { afterAll } from '@jest/globals';\n${line}\n`;
  expect(registersAtOnce([{ path: 'test/support/a.ts', text }])).toEqual(
    found ? ['test/support/a.ts'] : [],
  );
  expect(registersAtOnce([{ path: 'test/support/a.test.ts', text }])).toEqual([]);
});
