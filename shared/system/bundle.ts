/**
 * Bundles of the programs: few large modules in place of some 800 small ones, which take three times as long to load. The set-up makes them
 * in a clone (build/bundle.mjs); packages have none.
 *
 * A program of other sources than those that lie here would mislead whoever changes them. So a bundle counts only while each file that it was
 * made of, those of npm packages too, has the size and the times that it had then.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const MAY_BE_GONE = { throwIfNoEntry: false } as const;
const ROOT = join(import.meta.dirname, '..', '..');

/** The file in the folder of bundles that says which of them counts. */
export const BUNDLE_FILE = 'bundle.json';

/** What is in it. */
export interface MadeBundle {
  /** The name of its folder, beside that file. */
  readonly folder: string;
  /** What it was made of: path from the root to `traitsOf` then. */
  readonly sources: Readonly<Record<string, string>>;
}

/** The folder of bundles of a clone. */
export const bundlesOf = (root: string): string => join(root, '.cache', 'bundle');

/**
 * The address of a program's bundle, or null where there is none of the sources as they are. GODWIT_BUNDLE can name the folder of a bundle of this
 * clone, which then counts: a run of tests has looked when it began (build/jest.mjs). A package that the tests install elsewhere has none. `none`: no
 * bundle counts.
 */
export function bundledProgram(name: string): string | null {
  const given = process.env['GODWIT_BUNDLE'];
  if (given === 'none') return null;
  const isOurs = given !== undefined && dirname(given) === bundlesOf(ROOT);
  const folder = isOurs ? given : bundleOfSources(ROOT);
  return folder === null ? null : pathToFileURL(join(folder, `${name}.js`)).href;
}

/** The folder of the bundle of the sources as they are, or null. */
export function bundleOfSources(root: string): string | null {
  const made = bundleIn(root);
  return made !== null && isOfSources(made, root) ? join(bundlesOf(root), made.folder) : null;
}

/** The last one that was made, of whatever sources; null: there is none. */
export function bundleIn(root: string): MadeBundle | null {
  try {
    return JSON.parse(readFileSync(join(bundlesOf(root), BUNDLE_FILE), 'utf8')) as MadeBundle;
  } catch {
    return null;
  }
}

function isOfSources({ sources }: MadeBundle, root: string): boolean {
  for (const path in sources) if (traitsOf(root, path) !== sources[path]) return false;
  return true;
}

/**
 * By what a changed file is told: its size and times in milliseconds. The time of change of an npm package's file is left out, as a second link to
 * it changes that. Empty for a file that is gone.
 */
export function traitsOf(root: string, path: string): string {
  const found = statSync(`${root}/${path}`, MAY_BE_GONE);
  if (found === undefined) return '';
  const times = path.startsWith('node_modules/') ? [found.mtimeMs] : [found.mtimeMs, found.ctimeMs];
  return [found.size, ...times].join(' ');
}
