/**
 * `npm run docs`: writes the pages of docs/reference, and the lines of the page of help, from what the programs say of themselves. Names of pages
 * narrow it down: `npm run docs -- errors cli`. A house test holds each page against its source.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { helpLines, referencePages } from './docs/reference-pages.mjs';
import { fail, ROOT } from './node-path.mjs';

const wanted = process.argv.slice(2);
const pages = await referencePages();
const unknown = wanted.filter((name) => !pages.has(name));
if (unknown.length > 0)
  fail(`no such page: ${unknown.join(', ')}. There are ${[...pages.keys()].join(', ')}.`);
for (const [name, text] of pages) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  writeFileSync(join(ROOT, 'docs', 'reference', `${name}.md`), text);
}

if (wanted.length === 0) {
  const path = join(ROOT, 'app', 'cli', 'help-lines.ts');
  const style = await resolveConfig(path);
  writeFileSync(path, await format(await helpLines(), { ...style, filepath: path }));
}
