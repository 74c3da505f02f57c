/**
 * Makes Debian packages of what is in this clone, without a network. `godwit`: server, daemon, CLI, tray and page, with the Node they run
 * on and a systemd user unit. `godwit-lab`: the laboratory beside them.
 *
 *   node build/package-deb.mjs [--out DIR] [--electron DIR] [--without-relay]
 *
 * `--electron`: an unpacked Electron that goes along, so that the tray needs no other. Without it the package suggests one.
 * `--without-relay`: the addon in `godwit` has no link shaper, and `godwit-lab` one of its own that has (the addon is built a second time).
 * Needs dpkg-deb, and a set-up that is complete (`npm run setup`).
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
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureNative } from './native.mjs';
import { fail, packagedNode, ROOT } from './node-path.mjs';
import { BUILD_FILES, FILES, LABORATORY, PARTS } from './package/contents.mjs';
import { productionPackages } from './package/production-packages.mjs';
import {
  CONTROL,
  DESKTOP_ENTRY,
  LABORATORY_CONTROL,
  LAUNCHERS,
  OPEN_ENTRY,
  PLACEHOLDER_TYPE,
  USER_UNIT,
} from './package/deb-files.mjs';
import { uiIsBuilt } from './ui.mjs';

const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
const HOME = 'usr/lib/godwit';
const NATIVE = 'shared/transport/native';

/** `level`: how hard zstd tries. Gives the files. */
export function makePackages({ out, electron, level = 19, withoutRelay = false }) {
  const architecture = ARCHITECTURES[process.arch];
  if (process.platform !== 'linux' || architecture === undefined) {
    throw new Error(`packages for Debian are made on Linux (amd64, arm64), not on ${process.arch}`);
  }
  if (!uiIsBuilt()) throw new Error('the page and the tray are not built. Run `npm run setup`.');
  const { version, description } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const addon = withoutRelay ? ensureNative({ lab: false }) : null;
  const about = { version, description, architecture, electron };
  const made = (name, control, filled) => {
    const work = mkdtempSync(join(tmpdir(), 'godwit-deb-'));
    try {
      // All users may read all of it, whatever our own mask is.
      chmodSync(work, 0o755);
      filled(work);
      write(work, 'DEBIAN/control', control({ ...about, bytes: sizeOf(work) }), 0o644);
      const file = join(out, `${name}_${version}_${architecture}.deb`);
      run('dpkg-deb', ['--root-owner-group', '-Zzstd', `-z${level}`, '--build', work, file]);
      return file;
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  };
  mkdirSync(out, { recursive: true });
  return {
    product: made('godwit', CONTROL, (work) => fill(work, electron, addon)),
    laboratory: made('godwit-lab', LABORATORY_CONTROL, (work) => fillLaboratory(work, addon)),
  };
}

function fill(work, electron, addon) {
  for (const part of PARTS) copy(work, part, ofProduct);
  if (addon !== null) copyTo(addon, join(work, HOME, NATIVE, basename(addon)));
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

/** `addon`: that of the product, which has no relay; null: it has. */
function fillLaboratory(work, addon) {
  copy(work, LABORATORY, withoutTests);
  if (addon !== null) {
    const name = basename(addon);
    copyTo(join(ROOT, NATIVE, name), join(work, HOME, LABORATORY, 'shaper', 'native', name));
  }
  copyTo(join(ROOT, 'LICENSE'), join(work, 'usr/share/doc/godwit-lab/copyright'));
}

const ofProduct = (path) => path !== join(ROOT, LABORATORY) && withoutTests(path);

/** Of the product: no tests, of native code what runs, and of the tray its bundles. */
function withoutTests(path) {
  if (/\/app\/tray\//.test(path) && !/\/app\/tray\/built(\/|$)/.test(path)) return false;
  if (/\.test\.ts$|\/target$|\/native\/(src|product|fuzz)$|\.(rs|toml|lock|stamp)$/.test(path))
    return false;
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
      options: {
        out: { type: 'string' },
        electron: { type: 'string' },
        'without-relay': { type: 'boolean', default: false },
      },
    });
    const out = resolve(values.out ?? join(ROOT, '.cache', 'packages'));
    const electron = values.electron === undefined ? undefined : resolve(values.electron);
    const withoutRelay = values['without-relay'];
    const { product, laboratory } = makePackages({ out, electron, withoutRelay });
    process.stdout.write(`${product}\n${laboratory}\n`);
  } catch (error) {
    fail(error.message);
  }
}
