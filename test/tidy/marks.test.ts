import { describe, expect, test } from '@jest/globals';
import { textFiles, type SourceFile } from './repository.ts';

interface Mark {
  readonly what: string;
  readonly pattern: RegExp;
  readonly applies: (path: string) => boolean;
}

const isCode = (path: string): boolean => /\.(ts|mjs|rs|sql|sh)$/.test(path);
const isTest = (path: string): boolean => path.endsWith('.ts');
/** Cargo names its index in every lock file; there is no way to leave it out. */
const isOurs = (path: string): boolean => !path.endsWith('Cargo.lock');

/** Put together here so that this file does not carry what it looks for. */
const word = (...parts: string[]): string => parts.join('');
const HOSTS = [
  ['registry', 'npmjs'],
  ['registry', 'yarnpkg'],
  ['files', 'pythonhosted'],
  ['pypi', 'org'],
  ['static.crates', 'io'],
  ['index.crates', 'io'],
  ['proxy.golang', 'org'],
  ['deb.debian', 'org'],
].map((parts) => parts.join('\\.'));

const MARKS: readonly Mark[] = [
  {
    what: 'a test that is alone or left out',
    pattern:
      /\b(?:test|it|describe)(?:\.\w+)*\.(?:only|skip|todo|failing)\b|\b[fx](?:it|test|describe)\(/,
    applies: isTest,
  },
  {
    what: 'a mark of unfinished work',
    pattern: new RegExp(`\\b(?:${word('TO', 'DO')}|${word('FIX', 'ME')}|${word('X', 'XX')})\\b`),
    applies: isCode,
  },
  { what: 'the host of a package registry', pattern: new RegExp(HOSTS.join('|')), applies: isOurs },
  {
    what: 'a path of one machine',
    pattern: new RegExp(`(?<![\\w.~-])/(?:${word('wo', 'rk')}|${word('ro', 'ot')})/`),
    applies: isOurs,
  },
];

function complaints(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    MARKS.filter((mark) => mark.applies(path)).flatMap((mark) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          mark.pattern.test(line) ? [`${path}:${index + 1} ${mark.what}`] : [],
        ),
    ),
  );
}

describe('the check of marks', () => {
  test('finds no mark in any file', () => {
    expect(complaints(textFiles())).toEqual([]);
  });

  test.each([
    ['a.test.ts', word('test.on', "ly('a', () => {});"), 1],
    ['a.test.ts', word('describe.sk', "ip('a', () => {});"), 1],
    ['a.test.ts', word('test.concurrent.on', "ly('a', () => {});"), 1],
    ['a.test.ts', word('x', "it('a', () => {});"), 1],
    ['a.test.ts', 'queue.skip(3); exit(1);', 0],
    ['a.rs', word('// TO', 'DO: later'), 1],
    ['a.ts', 'const TODOS = 1;', 0],
    ['package-lock.json', word('"https://registry.npm', 'js.org/a.tgz"'), 1],
    ['Cargo.lock', word('registry+https://index.crates', '.io'), 0],
    ['README.md', word('see /wo', 'rk/main'), 1],
    ['README.md', word('see "/ro', 'ot/.cache"'), 1],
    ['README.md', 'see ./work/main, ~/root/x and network/root/y', 0],
  ])('finds marks in %s with %s: %s', (path, text, count) => {
    expect(complaints([{ path, text }])).toHaveLength(count);
  });
});
