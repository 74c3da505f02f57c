/**
 * Grammar of the documents: `node build/grammar.mjs [FILE...]`, of all of them if none is named. It finds words that are repeated, `a` and `an` before
 * the wrong sound, names of products that are spelled otherwise, and parentheses without a partner. Code in a document is left out, and doubled
 * spaces are the formatter's.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { faultsOf } from './grammar/faults.mjs';
import { ROOT } from './node-path.mjs';

const LISTED = ['ls-files', '-c', '-o', '--exclude-standard', '*.md'];

const named = process.argv.slice(2);
const listed = () => execFileSync('git', LISTED, { cwd: ROOT, encoding: 'utf8' }).split('\n');
const files = (named.length > 0 ? named : listed()).filter(
  (path) => path.endsWith('.md') && existsSync(resolve(ROOT, path)),
);
let count = 0;
for (const path of files) {
  for (const { line, column, message } of await faultsOf(
    readFileSync(resolve(ROOT, path), 'utf8'),
  )) {
    process.stdout.write(`${path}:${line}:${column} ${message}\n`);
    count += 1;
  }
}
process.exitCode = count === 0 ? 0 : 1;
