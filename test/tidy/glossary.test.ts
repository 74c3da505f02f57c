/** The glossary has words that the code has: each row names a file or a word of it. */
import { describe, expect, test } from '@jest/globals';
import { readText, textFiles, type SourceFile } from './repository.ts';

interface Term {
  readonly word: string;
  readonly names: readonly string[];
}

const CODE = /\.(tsx?|rs|sql)$/;

/** The rows of its tables; the last column has names in backticks. */
function termsOf(page: string): Term[] {
  return [...page.matchAll(/^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$/gm)]
    .map(([, word = '', code = '']) => ({
      word,
      names: [...code.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    }))
    .filter(({ word }) => word !== 'word' && !word.startsWith('---'));
}

function complaints(page: string, files: readonly SourceFile[]): string[] {
  const exists = (name: string): boolean =>
    /\.\w+$/.test(name)
      ? files.some(({ path }) => path.endsWith(`/${name}`))
      : files.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text));
  return termsOf(page).flatMap(({ word, names }) => {
    if (names.length === 0) return [`${word}: nothing of the code is named`];
    return names.filter((name) => !exists(name)).map((name) => `${word}: there is no ${name}`);
  });
}

describe('the glossary', () => {
  const page = readText('GLOSSARY.md');
  const code = textFiles().filter(({ path }) => CODE.test(path) && !path.startsWith('test/tidy/'));

  test('has words that the code has', () => {
    expect(termsOf(page).length).toBeGreaterThan(50);
    expect(complaints(page, code)).toEqual([]);
  });

  test('has each word once', () => {
    const words = termsOf(page).flatMap(({ word }) => word.split(', '));
    expect(words.filter((word, nth) => words.indexOf(word) !== nth)).toEqual([]);
  });

  test('is reported when a word is nowhere in the code', () => {
    const rows = [
      '| dodo | A bird. | `Dodo` |',
      '| crow | A bird. | `crow.ts` |',
      '| owl | It. | - |',
    ];
    const files = [{ path: 'a/crow.ts', text: 'const Dodos = 1;' }];
    expect(complaints(rows.join('\n'), files)).toEqual([
      'dodo: there is no Dodo',
      'owl: nothing of the code is named',
    ]);
  });
});
