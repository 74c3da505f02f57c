/**
 * Bundles the page, and the two programs of the tray, when their sources have changed: `app/tray/built/`.
 *
 *   window/       the page: one script, one style sheet; in the tray's window and for `godwit ui`
 *   main.cjs      the main process of the tray
 *   preload.cjs   what stands between the two
 *
 * What counts as changed is a hash over the sources, the lock file and this script; it is written beside the result, which is put in place
 * whole. Runs on the Node of the product: `node build/ui.mjs`, or the set-up.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './node-path.mjs';

const TRAY = join(ROOT, 'app', 'tray');
export const BUILT = join(TRAY, 'built');
const STAMP = 'stamp';
/** Of the oldest Electron that the tray runs in, which has Node 16. */
const PAGE_TARGET = 'chrome108';
const PROGRAM_TARGET = 'node16.17';

const SOURCES = [
  'app/tray',
  'app/first-run',
  'shared/control',
  'shared/model',
  'shared/wire',
  'shared/util',
];
const SINGLE = ['package.json', 'package-lock.json', 'build/ui.mjs', 'tsconfig.json'];

/** True where the bundles are those of the sources. */
export function uiIsBuilt() {
  const stamp = join(BUILT, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === sourceHash();
}

/**
 * Builds app/tray/built if its sources have changed; the finished folder replaces the old one by a
 * rename.
 */
export async function ensureUi() {
  if (uiIsBuilt()) return;
  const hash = sourceHash();
  const place = `${BUILT}.${process.pid}.tmp`;
  rmSync(place, { recursive: true, force: true });
  const { build } = await import('vite');
  await build(pageConfig(join(place, 'window')));
  for (const name of ['main', 'preload']) await build(programConfig(name, place));
  cpSync(join(TRAY, 'icons'), join(place, 'icons'), { recursive: true });
  cpSync(join(TRAY, 'icons', 'godwit.svg'), join(place, 'window', 'godwit.svg'));
  writeFileSync(join(place, 'package.json'), programsOwn());
  writeFileSync(join(place, STAMP), hash);
  rmSync(BUILT, { recursive: true, force: true });
  renameSync(place, BUILT);
}

/** Electron takes the name and version of the program from here, and packagers its description. */
function programsOwn() {
  const { name, version, description } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  const own = { name, version, description, main: 'main.cjs', type: 'commonjs' };
  return `${JSON.stringify(own, null, 2)}\n`;
}

function pageConfig(outDir) {
  return {
    ...common(),
    root: join(TRAY, 'window'),
    base: './',
    build: {
      outDir,
      emptyOutDir: true,
      target: PAGE_TARGET,
      modulePreload: false,
      assetsInlineLimit: 0,
      rolldownOptions: {
        output: {
          entryFileNames: 'page.js',
          assetFileNames: 'page[extname]',
          codeSplitting: false,
        },
      },
    },
  };
}

function programConfig(name, outDir) {
  return {
    ...common(),
    root: TRAY,
    build: {
      outDir,
      emptyOutDir: false,
      target: PROGRAM_TARGET,
      minify: false,
      ssr: join(TRAY, 'main', `${name}.ts`),
      rolldownOptions: {
        external: ['electron', /^node:/],
        output: { format: 'cjs', entryFileNames: `${name}.cjs`, codeSplitting: false },
      },
    },
    ssr: { noExternal: true, external: ['electron'] },
  };
}

function common() {
  return {
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  };
}

function sourceHash() {
  const hash = createHash('sha256');
  const files = [...SOURCES.flatMap((folder) => filesIn(folder)), ...SINGLE].sort();
  for (const path of files) {
    const bytes = readFileSync(join(ROOT, path));
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

function filesIn(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name.startsWith('built') ? [] : filesIn(path);
    return /\.test\.ts$/.test(entry.name) ? [] : [path];
  });
}

if (process.argv[1] === import.meta.filename) await ensureUi();
