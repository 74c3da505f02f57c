import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { shellWord } from './shell-word.ts';

it.each([
  ['/a/b-c.txt', '/a/b-c.txt'],
  ['größe.txt', 'größe.txt'],
  ["/a b$('x')", "'/a b$('\\''x'\\'')'"],
  ['', "''"],
  ['-rf', './-rf'],
  ['~', "'~'"],
  ['/odd/new\nline.txt', "$'/odd/new\\nline.txt'"],
  ["it's\t\\x", "$'it\\'s\\t\\\\x'"],
  ['a\u001b[2Jb', "$'a\\x1b[2Jb'"],
  ['a\u202eb', "$'a\\u202eb'"],
])('the word for %j is %j', (text, word) => expect(shellWord(text)).toBe(word));

it.each(['new\nline', "it's\t\\x", 'a\u001b[2Jb', 'a\u202eb', 'plain', "/a b$('x')"])(
  'a shell reads %j back as it is',
  (text) => {
    const read = execFileSync('bash', ['-c', `printf %s ${shellWord(text)}`], {
      env: { LC_ALL: 'C.UTF-8' },
    });
    expect(read.toString()).toBe(text);
  },
);
