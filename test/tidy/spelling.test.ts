/** The spelling check (cspell.json): it finds what is misspelled, and our list of words has none too many. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../build/node-path.mjs';
import { readText, textFiles } from './repository.ts';

const LIST = 'build/words.txt';
const words = readText(LIST)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

test('a misspelled word is found in a document and in a comment', () => {
  const script = join(ROOT, 'node_modules', 'cspell', 'bin.mjs');
  const found = (name: string, input: string): string =>
    spawnSync(
      process.execPath,
      [
        script,
        'lint',
        '--no-progress',
        '--words-only',
        '--no-cache',
        `stdin://${join(ROOT, name)}`,
      ],
      { cwd: ROOT, encoding: 'utf8', input },
    ).stdout.trim();
  expect(found('docs/a.md', 'It waits untill the vnode is there.\n')).toBe('untill');
  expect(found('server/core/a.ts', `${'/'.repeat(2)} It recieves.\nconst untill = 1;\n`)).toBe(
    'recieves',
  );
});

test('our list of words is in order, and each of them is used', () => {
  expect(words).toEqual([...new Set(words)].sort());
  const texts = textFiles().filter(({ path }) => path !== LIST);
  const all = texts.map(({ text }) => text.toLowerCase()).join('\n');
  expect(words.filter((word) => !all.includes(word))).toEqual([]);
});
