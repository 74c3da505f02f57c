/**
 * Which tests reach a file: from what imports what, types included, and from who names a file that is no code (a migration, a document).
 *
 * The sources are read as text; what a formatter has laid out has no other forms of import.
 */
import { readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';

const CODE = /\.(ts|tsx|mjs)$/;
const IMPORT = /(?:\bfrom|\bimport|\bimport\(|\bURL\()\s*'(\.{1,2}\/[^'\n]+)'/g;
const UNIT = /^(shared|daemon|server|app)\/.*\.test\.ts$/;
const SUITE = /^test\/([\w-]+)\/.*\.test\.ts$/;

/** Who imports each file, directly: path to paths. `textOf` gives a file's text. */
export function importersOf(files, textOf) {
  const importers = new Map();
  for (const path of files.filter((each) => CODE.test(each))) {
    for (const [, specifier] of textOf(path).matchAll(IMPORT)) {
      const target = posix.normalize(posix.join(posix.dirname(path), specifier));
      if (!importers.has(target)) importers.set(target, new Set());
      importers.get(target).add(path);
    }
  }
  return importers;
}

/** All that reach one of the files, with how many steps away each is; the files themselves are 0 away. */
export function distances(importers, from) {
  const found = new Map(from.map((path) => [path, 0]));
  let edge = [...from];
  for (let steps = 1; edge.length > 0; steps++) {
    const next = edge.flatMap((path) => [...(importers.get(path) ?? [])]);
    edge = [...new Set(next)].filter((path) => !found.has(path)).sort();
    for (const path of edge) found.set(path, steps);
  }
  return found;
}

/** Who names a file that nobody can import. */
export function namedBy(files, path, textOf) {
  if (CODE.test(path)) return [];
  const name = basename(path);
  return files.filter((each) => CODE.test(each) && textOf(each).includes(name));
}

/**
 * The tests that reach the changed files, nearest first: `{ unit, suites }`, where `suites` maps a folder of test/ to
 * its files. Changed tests come first.
 */
export function testsOf(files, changed, textOf) {
  const importers = importersOf(files, textOf);
  const named = changed.flatMap((path) => namedBy(files, path, textOf));
  const away = distances(importers, [...new Set([...changed, ...named])]);
  // Of those as far away the one in the nearest folder, which is the one that is about the file.
  const folders = new Set(changed.map((path) => posix.dirname(path)));
  const rank = ([path, steps]) => steps * 2 + (folders.has(posix.dirname(path)) ? 0 : 1);
  const ordered = [...away].sort((a, b) => rank(a) - rank(b) || (a[0] < b[0] ? -1 : 1));
  const paths = ordered.map(([path]) => path);
  const suites = new Map();
  for (const path of paths) {
    const suite = SUITE.exec(path)?.[1];
    if (suite === undefined) continue;
    suites.set(suite, [...(suites.get(suite) ?? []), path]);
  }
  return { unit: paths.filter((path) => UNIT.test(path)), suites };
}

/** Reads each file once. */
export function reader(root) {
  const texts = new Map();
  return (path) => {
    if (!texts.has(path)) texts.set(path, readFileSync(join(root, path), 'utf8'));
    return texts.get(path);
  };
}
