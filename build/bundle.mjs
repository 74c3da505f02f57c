/**
 * Bundles the programs `godwit` and `godwitd` into .cache/bundle, so that they start in a third of the time (shared/system/bundle.ts says
 * when they are used). Makes them only if their sources have changed: `node build/run.mjs build/bundle.mjs`.
 *
 * What is loaded by its address stays what it was: in a bundled module, `import.meta` tells where its source is. So migrations,
 * addons, pages, workers and started programs are found where they are, and a worker runs from its source.
 *
 * Four folders are used in turn: a process that still runs finds the rest of what it was started from, and Node's cache of compiled
 * modules, which has an entry for each path, does not grow. Prints the folder that counts.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  BUNDLE_FILE,
  bundleIn,
  bundleOfSources,
  bundlesOf,
  traitsOf,
} from '../shared/system/bundle.ts';
import { fail, ROOT } from './node-path.mjs';
import { holdLock } from './setup/lock.mjs';

export const PROGRAMS = { godwit: 'app/cli/godwit.ts', godwitd: 'daemon/godwitd.ts' };
/** What says how they are made. */
const OWN = ['build/bundle.mjs', 'shared/system/bundle.ts', 'package-lock.json'];
/** They find native code beside them. */
const EXTERNAL = [/^node:/, 'better-sqlite3', 'msgpackr-extract'];
const FOLDERS = 4;
/** How fine the times of files are, in milliseconds, and more. */
const TICK_MS = 50;
const MOST_TRIES = 5;

/**
 * Makes the bundle of a clone unless there is one of its sources. Gives its folder; null: sources were changed all the while.
 *
 * @param {string} root
 * @param {Record<string, string>} programs name to source, from the root
 */
export async function ensureBundle(root = ROOT, programs = PROGRAMS) {
  const release = await holdLock(join(bundlesOf(root), 'lock'));
  try {
    return await madeUntilWhole(root, programs);
  } finally {
    release();
  }
}

async function madeUntilWhole(root, programs) {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const folder = bundleOfSources(root);
    if (folder !== null) return folder;
    await makeBundle(root, programs);
  }
  return bundleOfSources(root);
}

/** Does not count in the end if a source was changed meanwhile. */
async function makeBundle(root, programs) {
  const bundles = bundlesOf(root);
  const before = bundleIn(root);
  const folder = String((Number(before?.folder ?? -1) + 1) % FOLDERS);
  const place = join(bundles, folder);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const start = Date.now();
  const own = OWN.filter((path) => existsSync(join(root, path)));
  const files = [...own, ...(await bundled(root, programs, place))];
  const sources = Object.fromEntries(files.map((path) => [path, traitsOf(root, path)]));
  if (changedSince(root, files, start - TICK_MS)) return wait(TICK_MS);
  const part = join(bundles, `${BUNDLE_FILE}.${process.pid}.tmp`);
  writeFileSync(part, JSON.stringify({ folder, sources }));
  renameSync(part, join(bundles, BUNDLE_FILE));
}

/** Whether one of them may have been read before it was changed. */
function changedSince(root, files, time) {
  return files.some((path) => {
    const { mtimeMs, ctimeMs } = statSync(join(root, path), { throwIfNoEntry: false }) ?? {};
    const last = path.startsWith('node_modules/') ? mtimeMs : Math.max(mtimeMs, ctimeMs);
    return !(last < time);
  });
}

/** Resolves to what was read for it, as paths from the root. */
async function bundled(root, programs, place) {
  const { rolldown } = await import('rolldown');
  const read = new Set();
  const input = Object.fromEntries(
    Object.entries(programs).map(([name, path]) => [name, join(root, path)]),
  );
  const plugins = [keptPlaces(root, place, read)];
  const bundle = await rolldown({
    ...{ input, plugins, cwd: root, platform: 'node', external: EXTERNAL },
    ...{ tsconfig: false, logLevel: 'warn' },
  });
  try {
    const output = { format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name].js' };
    await bundle.write({ dir: place, ...output });
  } finally {
    await bundle.close();
  }
  return [...read].sort();
}

/** Notes what is read, and keeps `import.meta` what it is in the source. */
function keptPlaces(root, place, read) {
  return {
    name: 'kept-places',
    transform(code, id) {
      // What the bundler adds of its own has no file.
      if (!id.startsWith(root + sep)) return null;
      read.add(relative(root, id).replaceAll(sep, '/'));
      const kept = withPlaces(code, relative(place, id).replaceAll(sep, '/'));
      return kept === code ? null : { code: kept, map: null };
    },
  };
}

/** The text of a module whose source is at `path` from the module that it becomes a part of. */
export function withPlaces(text, path) {
  const file = `__sourceOf(new URL(${JSON.stringify(path)}, import.meta.url))`;
  const folder = `__sourceOf(new URL(${JSON.stringify(dirname(path))}, import.meta.url))`;
  const values = {
    url: `new URL(${JSON.stringify(path)}, import.meta.url).href`,
    ...{ dirname: folder, filename: file, main: 'false' },
  };
  const kept = text.replace(
    /\bimport\.meta\.(url|dirname|filename|main)\b/g,
    (_, name) => values[name],
  );
  return kept.includes('__sourceOf(')
    ? `import { fileURLToPath as __sourceOf } from 'node:url';${kept}`
    : kept;
}

if (process.argv[1] === import.meta.filename) {
  const folder = await ensureBundle();
  if (folder === null) fail('the programs are not bundled, as their sources are being changed.');
  process.stdout.write(`${folder}\n`);
}
