/**
 * Builds the native addon when its sources have changed, and puts it where `shared/transport/binding.ts` looks.
 *
 * Runs on Node 20 without dependencies, once the packages are installed: the headers of OpenSSL are those of the Node among them. What counts
 * as changed is a hash over the crate's sources, its lock file, those headers' version and the target; it is written beside the addon (`.node.stamp`), so that a prebuilt addon with
 * the right stamp is used as it is. Built addons are kept in a cache as well (GODWIT_NATIVE_CACHE, by default
 * `~/.cache/godwit/native`), so that a second clone doesn't build again.
 *
 *   node build/native.mjs          build if needed
 *   node build/native.mjs --without-lab   the addon without the link shaper, for a package, beside that of the clone
 *   node build/native.mjs --test   run the crate's own tests
 *   node build/native.mjs --lint   what clippy has to say of it, where that is installed; anything is a failure
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { endAllWithUs } from './end-of-run.mjs';
import { msquicArguments, msquicText } from './msquic.mjs';

const CRATE = fileURLToPath(new URL('../shared/transport/native/', import.meta.url));
const TARGET = `${process.platform}-${process.arch}`;
const NAME = `godwit.${TARGET}.node`;
const OUTPUT = join(CRATE, NAME);
/** The addon without the laboratory: the clone runs the other one. */
const PRODUCT = join(CRATE, 'product', NAME);
const LIBRARY = { linux: 'libgodwit_native.so', darwin: 'libgodwit_native.dylib' };

/** What the build runs, and the Debian package that has it. */
const TOOLS = { cargo: 'cargo', cmake: 'cmake', gcc: 'gcc', make: 'make' };

/** How much of a failed build is shown; the whole is in the log. */
const SHOWN_LINES = 40;

/** The error is meant to be read: it has no stack worth showing. */
export class NativeBuildError extends Error {}

/**
 * Makes sure that the addon is there and current. `quiet` leaves out the progress line, not the errors; `lab`: with the link shaper.
 * Returns its path; throws a NativeBuildError with one clear message.
 */
export function ensureNative({ quiet = false, lab = true } = {}) {
  const hash = sourceHash(lab);
  const output = lab ? OUTPUT : PRODUCT;
  if (isCurrent(output, hash)) return output;
  const cached = join(cacheFolder(), `${hash}.node`);
  if (existsSync(cached)) {
    install(cached, output, hash);
    return output;
  }
  requireTools();
  if (!quiet) process.stderr.write('Building the native addon (once, a minute or more) ...\n');
  const built = build(lab);
  install(built, output, hash);
  keep(built, cached);
  return output;
}

/** The addon without the laboratory, where it is built and current; else null. */
export function productNative() {
  return isCurrent(PRODUCT, sourceHash(false)) ? PRODUCT : null;
}

const isCurrent = (output, hash) => existsSync(output) && readText(`${output}.stamp`) === hash;

/** Everything the addon is made of, and for which machine. */
function sourceHash(lab) {
  const hash = createHash('sha256')
    .update(TARGET)
    .update(clearly(() => msquicText(CRATE)));
  if (!lab) hash.update('without lab');
  const sources = ['Cargo.toml', 'Cargo.lock', 'build.rs', ...listFiles('src')];
  for (const source of sources.sort()) {
    const bytes = readFileSync(join(CRATE, source));
    hash.update(`\0${source}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** Files under a folder of the crate, as paths relative to the crate with forward slashes. */
function listFiles(folder) {
  return readdirSync(join(CRATE, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

function cacheFolder() {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return process.env.GODWIT_NATIVE_CACHE || join(base, 'godwit', 'native');
}

/** Copies under a temporary name and renames, so that no process ever loads half an addon. */
function copyWhole(from, to) {
  const unfinished = `${to}.${process.pid}.tmp`;
  copyFileSync(from, unfinished);
  renameSync(unfinished, to);
}

function install(addon, output, hash) {
  mkdirSync(dirname(output), { recursive: true });
  copyWhole(addon, output);
  writeFileSync(`${output}.stamp`, `${hash}\n`);
}

/** The cache is a convenience: a read-only home is no reason to fail. */
function keep(addon, cached) {
  try {
    mkdirSync(dirname(cached), { recursive: true });
    copyWhole(addon, cached);
  } catch (error) {
    process.stderr.write(`the native addon is not cached: ${error.message}\n`);
  }
}

function onPath(tool) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function requireTools() {
  if (LIBRARY[process.platform] === undefined) {
    throw new NativeBuildError(`the native addon can't be built on ${process.platform} yet`);
  }
  const missing = Object.keys(TOOLS).filter((tool) => !onPath(tool));
  if (missing.length === 0) return;
  const packages = missing.map((tool) => TOOLS[tool]).join(' ');
  throw new NativeBuildError(
    `the native addon needs ${missing.join(', ')}: apt-get install ${packages}` +
      (missing.includes('cargo') ? ' (cargo 1.88 or newer, as rustup installs it)' : ''),
  );
}

/**
 * The `msquic` crate links libnuma whole, though nothing in it is used, and the real one doesn't link statically. An
 * empty archive in front of it on the link path does.
 */
function environment() {
  const stub = join(CRATE, 'target', 'stub');
  mkdirSync(stub, { recursive: true });
  writeFileSync(join(stub, 'libnuma.a'), '!<arch>\n');
  const own =
    process.env.CARGO_ENCODED_RUSTFLAGS ?? (process.env.RUSTFLAGS ?? '').split(/\s+/).join('\x1f');
  const flags = [...own.split('\x1f').filter(Boolean), `-Lnative=${stub}`];
  return { ...process.env, CARGO_ENCODED_RUSTFLAGS: flags.join('\x1f') };
}

/** What fails in there has one clear message. */
function clearly(give) {
  try {
    return give();
  } catch (error) {
    throw new NativeBuildError(error.message);
  }
}

/** `last`: what stands behind cargo's own arguments; `more`: variables beside ours. */
function cargo(args, stdio, { last = [], more = {} } = {}) {
  endAllWithUs();
  const own = [
    '--locked',
    '--target-dir',
    join(CRATE, 'target'),
    ...clearly(() => msquicArguments(CRATE)),
  ];
  return spawnSync('cargo', [...args, ...own, ...last], {
    cwd: CRATE,
    env: { ...environment(), ...more },
    stdio,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
}

/** Builds and returns the library's path. A first build fails now and then for no visible reason: it is tried twice. */
function build(lab) {
  const log = join(CRATE, 'target', 'build.log');
  for (const attempt of [1, 2]) {
    const { status, stdout, stderr, error } = cargo(buildArguments(lab), 'pipe');
    const output = `${stdout ?? ''}${stderr ?? ''}${error ? String(error) : ''}`;
    mkdirSync(dirname(log), { recursive: true });
    writeFileSync(log, output);
    if (status === 0) return join(CRATE, 'target', 'release', LIBRARY[process.platform]);
    const tail = output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
    process.stderr.write(`${tail}\n`);
    if (attempt === 1) process.stderr.write('THE NATIVE BUILD FAILED; trying once more ...\n');
  }
  throw new NativeBuildError(`the native addon could not be built; the whole output is in ${log}`);
}

const buildArguments = (lab) => ['build', '--release', ...(lab ? [] : ['--no-default-features'])];

/** Runs the crate's tests and returns their exit code. */
export function testNative() {
  requireTools();
  // They are linked without OpenSSL: see build.rs of the crate.
  const more = { GODWIT_NATIVE_TESTS: '1' };
  return cargo(['test', '--release'], 'inherit', { more }).status ?? 1;
}

/** Gives its exit code. */
export function lintNative() {
  requireTools();
  if (spawnSync('cargo', ['clippy', '--version']).status !== 0) {
    process.stderr.write(
      'clippy is not here (`rustup component add clippy`): nothing was looked at\n',
    );
    return 0;
  }
  for (const features of [[], ['--no-default-features']]) {
    const args = ['clippy', '--release', '--all-targets', ...features];
    const found = cargo(args, 'inherit', { last: ['--', '-D', 'warnings'] }).status ?? 1;
    if (found !== 0) return found;
  }
  return checkFuzzTargets();
}

/** The fuzz targets include the addon's sources; without this check they are built only for a fuzz run. */
function checkFuzzTargets() {
  const options = { cwd: join(CRATE, 'fuzz'), stdio: 'inherit' };
  return spawnSync('cargo', ['check', '--locked', '--bins'], options).status ?? 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    if (process.argv.includes('--test')) process.exitCode = testNative();
    else if (process.argv.includes('--lint')) process.exitCode = lintNative();
    else ensureNative({ lab: !process.argv.includes('--without-lab') });
  } catch (error) {
    if (!(error instanceof NativeBuildError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
