/**
 * Are the packages of the lock file installed, and if not, install them.
 *
 * A stamp in node_modules names the lock file it was checked against. Without a fitting stamp the
 * packages that npm says it installed are held against the lock, so that an installation by hand
 * (`npm ci`, `npm install`) counts and is not done again.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endAllWithUs } from '../end-of-run.mjs';
import { ROOT } from '../node-path.mjs';

const MODULES = join(ROOT, 'node_modules');
const STAMP = join(MODULES, '.godwit-setup');

/** Whether node_modules matches the lock file; writes the stamp if it does. */
export function packagesAreInstalled() {
  const wanted = stampOf();
  if (read(STAMP) === wanted) return true;
  if (!installedMatchesLock(parse(join(MODULES, '.package-lock.json')), readLock())) return false;
  writeFileSync(STAMP, wanted);
  return true;
}

/** Runs `npm ci`. Throws an Error with one line if npm is missing or fails. */
export function installPackages() {
  process.stdout.write('Installing packages (npm ci) ...\n');
  // What goes on alone would write beside the next set-up.
  endAllWithUs();
  const [command, ...before] = npmCommand();
  const result = spawnSync(command, [...before, 'ci'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: command === 'npm' && process.platform === 'win32',
  });
  if (result.error)
    throw new Error(`can't run npm (${result.error.code}). Install npm 10 or newer.`);
  if (result.status !== 0) {
    throw new Error('npm ci failed. Check the network, then run `npm run setup` again.');
  }
  writeFileSync(STAMP, stampOf());
}

/**
 * True when each package of the lock is there in its version. An optional one may be missing: it is
 * for another platform.
 */
export function installedMatchesLock(installed, lock) {
  if (installed === null) return false;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed.packages[path];
    if (found === undefined) return wanted.optional === true || wanted.peer === true;
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

function stampOf() {
  const hash = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json']) hash.update(readText(name));
  return hash.digest('hex');
}

function readLock() {
  return JSON.parse(readText('package-lock.json'));
}

function readText(name) {
  const text = read(join(ROOT, name));
  if (text === null) throw new Error(`${name} is missing. Run this in a complete clone.`);
  return text;
}

function parse(path) {
  const text = read(path);
  return text === null ? null : JSON.parse(text);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The npm that runs us, on the Node that runs it: ours may be about to be replaced. */
function npmCommand() {
  const script = process.env['npm_execpath'];
  if (script === undefined || !/npm-cli\.c?js$/.test(script)) return ['npm'];
  return [process.env['npm_node_execpath'] ?? process.execPath, script];
}
