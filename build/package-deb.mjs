/**
 * Makes Debian packages of what is in this clone, without a network. `godwit`: daemon, server, CLI and page, with the Node they run on and
 * a systemd user unit. `godwit-server`: a service of the system. `godwit-desktop`: menu entry and tray. `godwit-lab`: the laboratory.
 *
 *   node build/package-deb.mjs [--out DIR] [--electron DIR] [--without-relay] [--quick] [--maintainer 'NAME <MAIL>'] [--homepage URL]
 *
 * `--electron`: an unpacked Electron that goes along, so that the tray needs no other. Without it the package suggests one.
 * `--without-relay`: the addon in `godwit` has no link shaper, and `godwit-lab` one of its own that has (the addon is built a second time).
 * `--quick`: larger packages in a few seconds, for trying them.
 * The maintainer is by default DEBFULLNAME and DEBEMAIL, as for Debian's own tools. Needs dpkg-deb, and a set-up that is complete.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureNative } from './native.mjs';
import { fail, findNode, packagedNode, ROOT } from './node-path.mjs';
import { BUILD_FILES, DOCUMENTS, FILES, LABORATORY, PARTS } from './package/contents.mjs';
import { architectureOf, controlText } from './package/deb/control.mjs';
import * as desktop from './package/deb/desktop.mjs';
import * as menus from './package/file-manager/menus.mjs';
import {
  bundledCopyright,
  changelog,
  isLicence,
  OWN_COPYRIGHT,
  overridesText,
  sourceDate,
} from './package/deb/documents.mjs';
import * as product from './package/deb/product.mjs';
import * as server from './package/deb/server.mjs';
import {
  copyTo,
  md5sums,
  removeEmptyFolders,
  setModes,
  sizeOf,
  write,
  writeZipped,
} from './package/deb/tree.mjs';
import { isProductFile } from './package/product-files.mjs';
import { productionPackages } from './package/production-packages.mjs';
import { runs } from './package/trim.mjs';
import { uiIsBuilt } from './ui.mjs';

const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
const HOME = 'usr/lib/godwit';
const NATIVE = 'shared/transport/native';
const TARGET = `${process.platform}-${process.arch}`;
const QUICK = ['-Zzstd', '-z1'];
/** What every Debian can unpack; zstd takes as long, and is a tenth larger. */
const SMALL = ['-Zxz', '-z6'];
/** Nobody answers there: a release says who. */
const NOBODY = 'Godwit packagers <packagers@godwit.invalid>';

/** Gives the files, by package. `electron`: see above, or undefined. */
export function makePackages({ out, electron, quick = false, withoutRelay = false, ...given }) {
  const architecture = ARCHITECTURES[process.arch];
  if (process.platform !== 'linux' || architecture === undefined) {
    throw new Error(`packages for Debian are made on Linux (amd64, arm64), not on ${process.arch}`);
  }
  if (!uiIsBuilt()) throw new Error('the page and the tray are not built. Run `npm run setup`.');
  const addon = withoutRelay ? ensureNative({ lab: false }) : null;
  const about = { ...aboutOf(given), architecture, electron, addon };
  mkdirSync(out, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'godwit-deb-'));
  try {
    about.shell = shellFiles(join(work, 'shell'), about);
    const made = (name, filled) =>
      make({ name, filled, about, out, quick, work: join(work, name) });
    return {
      product: made('godwit', fillProduct),
      server: made('godwit-server', fillServer),
      desktop: made('godwit-desktop', fillDesktop),
      laboratory: made('godwit-lab', fillLaboratory),
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function aboutOf({ maintainer, homepage }) {
  const { version, homepage: usual } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { DEBFULLNAME, DEBEMAIL } = process.env;
  const debian = DEBFULLNAME && DEBEMAIL ? `${DEBFULLNAME} <${DEBEMAIL}>` : NOBODY;
  const date = sourceDate();
  const day = new Date(date * 1000).toISOString().slice(0, 10);
  return { version, maintainer: maintainer ?? debian, homepage: homepage ?? usual, date, day };
}

/** Manual pages and completions, which the CLI itself says: it is a program for a newer Node than this script may run on. */
function shellFiles(folder, { version, day }) {
  const script = join(ROOT, 'build', 'docs', 'shell-files.mjs');
  run(findNode() ?? process.execPath, [script, folder, version, day]);
  return folder;
}

function make({ name, filled, about, out, quick, work }) {
  mkdirSync(work);
  filled(work, about);
  writeZipped(work, `usr/share/doc/${name}/changelog`, changelog(about));
  write(work, `usr/share/lintian/overrides/${name}`, overridesText(name));
  removeEmptyFolders(work);
  setModes(work);
  write(work, 'DEBIAN/control', controlText(name, about, sizeOf(work)));
  write(work, 'DEBIAN/md5sums', md5sums(work));
  setModes(join(work, 'DEBIAN'));
  const file = join(out, `${name}_${about.version}_${architectureOf(name, about)}.deb`);
  // What is there under its name is whole.
  const part = `${file}.part`;
  run('dpkg-deb', ['--root-owner-group', ...(quick ? QUICK : SMALL), '--build', work, part], {
    SOURCE_DATE_EPOCH: String(about.date),
  });
  renameSync(part, file);
  rmSync(work, { recursive: true });
  return file;
}

function fillProduct(work, { addon, shell, version, day }) {
  for (const part of PARTS) copy(work, part, ofProduct);
  if (addon !== null) copyTo(addon, join(work, HOME, NATIVE, basename(addon)));
  for (const path of [...FILES, ...BUILD_FILES]) copy(work, path);
  const packages = productionPackages(ROOT);
  for (const path of packages) copyPackage(work, path);
  if (packagedNode() === null)
    throw new Error('the packaged Node is missing. Run `npm run setup`.');
  stripped(work);
  for (const [name, text] of Object.entries(product.LAUNCHERS))
    write(work, `usr/bin/${name}`, text);
  write(work, 'usr/lib/systemd/user/godwit.service', product.USER_UNIT);
  const documents = 'usr/share/doc/godwit';
  for (const path of DOCUMENTS) copyTo(join(ROOT, path), join(work, documents, path));
  write(work, `${documents}/copyright`, bundledCopyright(packages));
  write(work, `${documents}/README.Debian`, product.README);
  copyTo(join(shell, 'product'), work);
  writeZipped(work, 'usr/share/man/man1/godwitd.1', product.DAEMON_PAGE(day, version));
  writeScripts(work, product.SCRIPTS);
}

function fillServer(work, { version, day }) {
  writeAll(work, server.FILES);
  write(work, 'usr/sbin/godwit-server', server.COMMAND);
  writeZipped(work, 'usr/share/man/man8/godwit-server.8', server.PAGE(day, version));
  ownDocuments(work, 'godwit-server', server.README);
  writeScripts(work, server.SCRIPTS);
  write(work, 'DEBIAN/conffiles', linesOf(server.CONFFILES));
}

function fillDesktop(work, { electron, version, day }) {
  if (electron !== undefined) {
    if (!existsSync(join(electron, 'electron'))) {
      throw new Error(
        `${electron}: there is no Electron in it. Give the folder it is unpacked in.`,
      );
    }
    copyTo(electron, join(work, HOME, 'electron'));
  }
  writeAll(work, { ...desktop.FILES, ...menus.FILES });
  write(work, menus.RUNNER_PATH, menus.RUNNER);
  write(work, 'usr/bin/godwit-desktop', desktop.LAUNCHER);
  writeZipped(work, 'usr/share/man/man1/godwit-desktop.1', desktop.PAGE(day, version));
  ownDocuments(work, 'godwit-desktop', desktop.README);
  const icons = join(work, 'usr/share/icons/hicolor');
  copyTo(join(ROOT, 'app/tray/icons/godwit.svg'), join(icons, 'scalable/apps/godwit.svg'));
  copyTo(join(ROOT, 'app/tray/icons/godwit.png'), join(icons, '256x256/apps/godwit.png'));
  write(work, 'DEBIAN/conffiles', linesOf(desktop.CONFFILES));
}

/** `addon`: that of the product, which has no relay; null: it has. */
function fillLaboratory(work, { addon, shell }) {
  copy(work, LABORATORY, isProductFile);
  if (addon !== null) {
    const name = basename(addon);
    copyTo(join(ROOT, NATIVE, name), join(work, HOME, LABORATORY, 'shaper', 'native', name));
  }
  copyTo(join(shell, 'laboratory'), work);
  write(work, 'usr/share/doc/godwit-lab/copyright', OWN_COPYRIGHT);
}

function ownDocuments(work, name, readme) {
  write(work, `usr/share/doc/${name}/copyright`, OWN_COPYRIGHT);
  write(work, `usr/share/doc/${name}/README.Debian`, readme);
}

function writeAll(work, files) {
  for (const [path, text] of Object.entries(files)) write(work, path, text);
}

/** What dpkg runs when it installs or removes the package. */
function writeScripts(work, scripts) {
  for (const [name, text] of Object.entries(scripts)) write(work, `DEBIAN/${name}`, text);
}

const linesOf = (paths) => paths.map((path) => `${path}\n`).join('');

const ofProduct = (path) => path !== join(ROOT, LABORATORY) && isProductFile(path);

function copyPackage(work, path) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  // Their licences are in the copyright file.
  const wanted = (file) => {
    const inside = relative(join(ROOT, path), file);
    return runs(name, inside, TARGET) && (inside === '' || !isLicence(file));
  };
  copy(work, path, wanted);
}

/** Without the tables of a debugger, where there is a `strip`. */
function stripped(work) {
  const node = relative(ROOT, packagedNode());
  const sqlite = `node_modules/better-sqlite3/prebuilds/${TARGET}.node`;
  const addon = `${NATIVE}/godwit.${TARGET}.node`;
  const unpacker = `node_modules/@msgpackr-extract/msgpackr-extract-${TARGET}/node.napi.glibc.node`;
  for (const path of [node, sqlite, addon, unpacker]) {
    const file = join(work, HOME, path);
    if (!existsSync(file)) continue;
    const before = statSync(file).size;
    const { error } = spawnSync('strip', ['--strip-unneeded', '--remove-section=.comment', file]);
    if (error !== undefined) return;
    if (statSync(file).size > before) throw new Error(`strip made ${path} larger`);
  }
}

function copy(work, path, filter = () => true) {
  copyTo(join(ROOT, path), join(work, HOME, path), filter);
}

function run(command, args, env = {}) {
  const options = { encoding: 'utf8', env: { ...process.env, ...env } };
  const { status, stderr, error } = spawnSync(command, args, options);
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
        quick: { type: 'boolean', default: false },
        maintainer: { type: 'string' },
        homepage: { type: 'string' },
      },
    });
    const { 'without-relay': withoutRelay, electron, out: place, ...rest } = values;
    const out = resolve(place ?? join(ROOT, '.cache', 'packages'));
    const given = electron === undefined ? undefined : resolve(electron);
    const files = makePackages({ ...rest, out, electron: given, withoutRelay });
    for (const file of Object.values(files)) {
      process.stdout.write(`${file} (${(statSync(file).size / 1e6).toFixed(1)} MB)\n`);
    }
  } catch (error) {
    fail(error.message);
  }
}
