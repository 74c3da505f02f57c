import { expect, test } from '@jest/globals';
import { filesOf, typeScriptFiles, type SourceFile } from './repository.ts';

/** A file is one concept and can be read in one sitting. Functions in TypeScript: the linter counts. */
const MAX_LINES = 500;

function tooLong(files: readonly SourceFile[]): string[] {
  return files
    .map((file) => ({ path: file.path, lines: file.text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path}: ${lines} lines`);
}

test(`no source file is longer than ${MAX_LINES} lines`, () => {
  expect(tooLong([...typeScriptFiles(), ...filesOf('.rs'), ...filesOf('.mjs')])).toEqual([]);
});

test('a file with one line too many is reported', () => {
  const file = (lines: number): SourceFile => ({ path: 'a.rs', text: 'x\n'.repeat(lines) });
  expect(tooLong([file(MAX_LINES)])).toEqual([]);
  expect(tooLong([file(MAX_LINES + 1)])).toEqual([`a.rs: ${MAX_LINES + 1} lines`]);
});
