/**
 * Makes a Debian package of what is in this clone, without a network: server, daemon, CLI, tray and page, with the Node they run on and a
 * systemd user unit.
 *
 *   node build/package-deb.mjs [--out DIR] [--electron DIR]
 *
 * `--electron`: an unpacked Electron that goes along, so that the tray needs no other. Without it the package suggests one. Needs
 * dpkg-deb, and a set-up that is complete (`npm run setup`).
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, packagedNode, ROOT } from './node-path.mjs';
import { BUILD_FILES, FILES, PARTS } from './package/contents.mjs';
import { productionPackages } from './package/production-packages.mjs';
import {
  CONTROL,
  DESKTOP_ENTRY,
  LAUNCHERS,
  OPEN_ENTRY,
  PLACEHOLDER_TYPE,
  USER_UNIT,
} from './package/deb-files.mjs';
import { uiIsBuilt } from './ui.mjs';

const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
const HOME = 'usr/lib/godwit';

/** `level`: how hard zstd tries. */
export function makePackage({ out, electron, level = 19 }) {
  const architecture = ARCHITECTURES[process.arch];
  if (process.platform !== 'linux' || architecture === undefined) {
    throw new Error(`packages for Debian are made on Linux (amd64, arm64), not on ${process.arch}`);
  }
  if (!uiIsBuilt()) throw new Error('the page and the tray are not built. Run `npm run setup`.');
  const { version, description } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const work = mkdtempSync(join(tmpdir(), 'godwit-deb-'));
  // Whoever installs it reads all of it, whatever our own mask is.
  chmodSync(work, 0o755);
  try {
    fill(work, electron);
    const about = { version, description, architecture, bytes: sizeOf(work), electron };
    write(work, 'DEBIAN/control', CONTROL(about), 0o644);
    const file = join(out, `godwit_${version}_${architecture}.deb`);
    mkdirSync(out, { recursive: true });
    run('dpkg-deb', ['--root-owner-group', '-Zzstd', `-z${level}`, '--build', work, file]);
    return file;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function fill(work, electron) {
  for (const part of PARTS) copy(work, part, withoutTests);
  for (const path of [...FILES, ...BUILD_FILES]) copy(work, path);
  for (const path of productionPackages(ROOT)) copy(work, path, plainFiles);
  const node = packagedNode();
  if (node === null) throw new Error('the packaged Node is missing. Run `npm run setup`.');
  if (electron !== undefined) {
    if (!existsSync(join(electron, 'electron'))) {
      throw new Error(
        `${electron}: there is no Electron in it. Give the folder it is unpacked in.`,
      );
    }
    cpSync(electron, join(work, HOME, 'electron'), { recursive: true, verbatimSymlinks: true });
  }
  for (const [name, text] of Object.entries(LAUNCHERS)) write(work, `usr/bin/${name}`, text, 0o755);
  write(work, 'usr/lib/systemd/user/godwit.service', USER_UNIT, 0o644);
  write(work, 'usr/share/applications/godwit.desktop', DESKTOP_ENTRY, 0o644);
  write(work, 'usr/share/applications/godwit-open.desktop', OPEN_ENTRY, 0o644);
  write(work, 'usr/share/mime/packages/godwit.xml', PLACEHOLDER_TYPE, 0o644);
  const icons = 'usr/share/icons/hicolor';
  copyTo(join(ROOT, 'app/tray/icons/godwit.svg'), join(work, icons, 'scalable/apps/godwit.svg'));
  copyTo(join(ROOT, 'app/tray/icons/godwit.png'), join(work, icons, '256x256/apps/godwit.png'));
  copyTo(join(ROOT, 'LICENSE'), join(work, 'usr/share/doc/godwit/copyright'));
}

/** Of the product: no tests, of native code what runs, and of the tray its bundles. */
function withoutTests(path) {
  if (/\/app\/tray\//.test(path) && !/\/app\/tray\/built(\/|$)/.test(path)) return false;
  if (/\.test\.ts$|\/target$|\/native\/src$|\.(rs|toml|lock|stamp)$/.test(path)) return false;
  return plainFiles(path);
}

/** Caches and links to tools stay; of the Node that comes along, all but the program and its licence. */
const plainFiles = (path) =>
  !/\/\.(bin|cache)$|\/node-[a-z]+-[a-z0-9]+\/(include|lib|share|README.md|CHANGELOG.md)$/.test(
    path,
  );

function copy(work, path, filter = () => true) {
  copyTo(join(ROOT, path), join(work, HOME, path), filter);
}

function copyTo(from, to, filter = () => true) {
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  cpSync(from, to, { recursive: true, filter });
}

function write(work, path, text, mode) {
  const to = join(work, path);
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  writeFileSync(to, text);
  chmodSync(to, mode);
}

function sizeOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function run(command, args) {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`${command} failed: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
}

if (process.argv[1] === import.meta.filename) {
  try {
    const { values } = parseArgs({
      options: { out: { type: 'string' }, electron: { type: 'string' } },
    });
    const out = resolve(values.out ?? join(ROOT, '.cache', 'packages'));
    const electron = values.electron === undefined ? undefined : resolve(values.electron);
    process.stdout.write(`${makePackage({ out, electron })}\n`);
  } catch (error) {
    fail(error.message);
  }
}
