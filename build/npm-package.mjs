/**
 * Makes a package for npm of the command line, daemon and server, with the addon that was built for this platform:
 *
 *   node build/npm-package.mjs [--out DIR]     ->  godwit-VERSION-linux-x64.tgz
 *   npm install --global ./godwit-*.tgz
 *
 * Node does not take types out of files in a node_modules folder, so they are taken out here. npm fetches the packages that it needs, in
 * the versions of our lock file, and the Node that it runs on is one of them. Needs a set-up that is complete.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import * as module from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { asChild } from './entry.mjs';
import { fail, findNode, ROOT } from './node-path.mjs';
import { BUILD_FILES, LABORATORY, PARTS } from './package/contents.mjs';
import { productionPackages } from './package/production-packages.mjs';
import { isProductFile } from './package/product-files.mjs';
import { uiIsBuilt } from './ui.mjs';

const TARGET = `${process.platform}-${process.arch}`;
const PAGES = ['LICENSE', 'README.md', 'CHANGELOG.md'];

/** Gives the file. Throws where something is not built. */
export function makeNpmPackage({ out }) {
  const addon = join(ROOT, 'shared/transport/native', `godwit.${TARGET}.node`);
  if (!existsSync(addon) || !uiIsBuilt()) {
    throw new Error('the addon or the page is not built. Run `npm run setup`.');
  }
  const work = mkdtempSync(join(tmpdir(), 'godwit-npm-'));
  try {
    for (const part of [...PARTS, ...BUILD_FILES, ...PAGES]) copy(work, part);
    withoutTypes(work);
    chmodSync(join(work, 'build', 'godwit.mjs'), 0o755);
    const { version } = writeManifest(work);
    mkdirSync(out, { recursive: true });
    const made = packed(work, out);
    const file = join(out, `godwit-${version}-${TARGET}.tgz`);
    renameSync(made, file);
    return file;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function copy(work, path) {
  const to = join(work, path);
  mkdirSync(dirname(to), { recursive: true });
  const filter = (each) => each !== join(ROOT, LABORATORY) && isProductFile(each);
  cpSync(join(ROOT, path), to, { recursive: true, filter });
}

/** Each `x.ts` becomes `x.js`, and what names it follows: imports, and the entries that a program starts by their path. */
function withoutTypes(work) {
  const names = readdirSync(work, { recursive: true });
  const bases = new Set(
    names.filter((name) => name.endsWith('.ts')).map((name) => name.split('/').at(-1)),
  );
  for (const name of names) {
    if (!/\.(ts|mjs)$/.test(name)) continue;
    const file = join(work, name);
    const text = readFileSync(file, 'utf8');
    const bare = name.endsWith('.ts') ? module.stripTypeScriptTypes(text) : text;
    writeFileSync(file, renamed(bare, bases));
    if (name.endsWith('.ts')) renameSync(file, `${file.slice(0, -'.ts'.length)}.js`);
  }
}

const renamed = (text, bases) =>
  text.replace(/(['"`])([^'"`\n]*?)([\w.-]+)\.ts\1/g, (whole, quote, before, base) =>
    bases.has(`${base}.ts`) ? `${quote}${before}${base}.js${quote}` : whole,
  );

/** All packages that run are named, with the versions that were tested: npm heeds no lock file of a package that is installed globally. */
function writeManifest(work) {
  const { name, version, description, license, homepage, type, bin } = manifestOf(ROOT);
  const folders = productionPackages(ROOT).map((path) => manifestOf(join(ROOT, path)));
  const manifest = {
    ...{ name, version, description, license, homepage, type, bin },
    ...{ os: [process.platform], cpu: [process.arch], libc: ['glibc'] },
    engines: { node: '>=20' },
    dependencies: Object.fromEntries(folders.map((each) => [each.name, each.version])),
  };
  writeFileSync(join(work, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function packed(work, out) {
  const args = ['pack', '--json', '--pack-destination', out, '--ignore-scripts'];
  const { status, stdout, stderr, error } = spawnSync('npm', args, { cwd: work, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack failed: ${error?.message ?? stderr.trim()}`);
  const said = JSON.parse(stdout);
  const [{ filename }] = Array.isArray(said) ? said : Object.values(said);
  return join(out, filename);
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { out: { type: 'string' } } });
  // Types are taken out by the Node of the product.
  if (module.stripTypeScriptTypes === undefined) {
    asChild(
      findNode() ?? fail('no Node that is new enough; run `npm run setup`.'),
      import.meta.filename,
      process.argv.slice(2),
      process.env,
    );
  } else {
    // That taking types out may change some day is no news to whoever packs.
    process.removeAllListeners('warning');
    try {
      const file = makeNpmPackage({ out: resolve(values.out ?? join(ROOT, '.cache', 'packages')) });
      process.stdout.write(`${file} (${(statSync(file).size / 1e6).toFixed(1)} MB)\n`);
    } catch (error) {
      fail(error.message);
    }
  }
}
