/** The grammar check of documents (build/grammar.mjs): it finds each kind of fault at its place, and leaves code alone. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../build/node-path.mjs';

const SCRIPT = join(ROOT, 'build', 'grammar.mjs');

function check(text: string): { code: number | null; faults: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-grammar-'));
  try {
    const file = join(folder, 'page.md');
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, file], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const faults = stdout.split('\n').filter((line) => line !== '');
    return { code: status, faults: faults.map((line) => line.slice(file.length + 1)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a fault of grammar is found where it stands in a document', () => {
  const text = `# A page

Some words are are here, an server and a update.
It runs on Sqlite  with (one bracket.

- A point without its) bracket, on Nodejs.
`;
  const { code, faults } = check(text);
  expect(code).toBe(1);
  expect(faults).toEqual([
    expect.stringMatching(/^3:\d+ .*`are`/),
    expect.stringMatching(/^3:\d+ .*`an` before `server`/),
    expect.stringMatching(/^3:\d+ .*`a` before `update`/),
    '4:12 Sqlite: its makers write SQLite',
    '4:18 more than one space between two words',
    '4:25 ( has no partner in its paragraph',
    '6:22 ) has no partner in its paragraph',
    '6:36 Nodejs: its makers write Node.js',
  ]);
});

test('code, addresses and tables with wide cells have no grammar', () => {
  const text = `Use \`sqlite the the (\` and [the page](https://nodejs.org/(a).html).

\`\`\`sh
the the  sqlite (
\`\`\`

| one  | two (2) |
| ---- | ------- |
| a    | an é    |
`;
  expect(check(text)).toEqual({ code: 0, faults: [] });
});
