/** Doc comments of exported functions and classes: the share of those that have one does not fall. */
import { describe, expect, test } from '@jest/globals';
import { documentedExports } from './doc-comments.ts';
import { textFiles, type SourceFile } from './repository.ts';

const PRODUCTION = /^(app|daemon|server|shared|build)\/.*\.(tsx?|mjs)$/;
const NO_PRODUCTION = /\.test\.ts$|\.d\.ts$|\.suite\.ts$/;

/** The share that is wanted in each folder. */
const WANTED = 0.95;
const FOLDERS = ['app', 'build', 'daemon', 'server', 'shared'];

function shareOf(files: readonly SourceFile[]): { share: number; missing: readonly string[] } {
  const all = files.flatMap((file) =>
    documentedExports(file).map((exported) => ({ path: file.path, ...exported })),
  );
  const missing = all.filter(({ hasComment }) => !hasComment);
  return {
    share: all.length === 0 ? 1 : 1 - missing.length / all.length,
    missing: missing.map(({ path, line, name }) => `${path}:${line} ${name}`),
  };
}

function production(folder: string): readonly SourceFile[] {
  return textFiles().filter(
    ({ path }) => PRODUCTION.test(path) && !NO_PRODUCTION.test(path) && path.startsWith(folder),
  );
}

describe('exported functions and classes that need a doc comment', () => {
  test.each(FOLDERS)('nearly all have one in %s', (folder) => {
    const { share, missing } = shareOf(production(`${folder}/`));
    expect(share >= WANTED ? [] : missing).toEqual([]);
  });

  test('are found if the comment is missing', () => {
    const text = `
      /** Adds one. */
      export function described(a: number): number { return a + 1; }
      export function bare(a: number): number { return a + 1; }
      export const obvious = (text: string): string => text;
      export class Bare {
        a = 1;

        b = 2;
      }
    `;
    const found = documentedExports({ path: 'a.ts', text });
    expect(found.map(({ name, hasComment }) => [name, hasComment])).toEqual([
      ['described', true],
      ['bare', false],
      ['Bare', false],
    ]);
  });
});
