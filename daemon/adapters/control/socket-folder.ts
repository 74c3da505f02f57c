/**
 * Where the control socket of a data folder lies: in a folder that only its user can enter, under a short
 * name, since the path of a Unix socket holds some hundred bytes.
 */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

/** `sun_path` has 104 bytes on macOS and 108 on Linux, the closing NUL included. */
const MAX_SOCKET_PATH_BYTES = 103;
const NAME_DIGITS = 20;

export interface SocketEnvironment {
  readonly uid: number;
  /** XDG_RUNTIME_DIR, if it is set. */
  readonly runtimeDir: string | undefined;
  readonly temporaryDir: string;
}

/** The user, XDG_RUNTIME_DIR and temporary folder of this process. */
export function surroundings(): SocketEnvironment {
  return {
    uid: process.getuid?.() ?? 0,
    runtimeDir: process.env['XDG_RUNTIME_DIR'],
    temporaryDir: tmpdir(),
  };
}

/** Makes the folder if it is missing and returns the path of the socket. */
export function prepareSocketPath(dataDir: string, around: SocketEnvironment): string {
  const digest = createHash('sha256').update(realpathSync(dataDir)).digest('hex');
  const name = `${digest.slice(0, NAME_DIGITS)}.sock`;
  const folders = candidates(around);
  const folder = folders.find(
    (path) => Buffer.byteLength(join(path, name)) <= MAX_SOCKET_PATH_BYTES,
  );
  if (folder === undefined) {
    throw new GodwitError('bad-address', `${folders[0]}: too long a path for a control socket`);
  }
  ensurePrivate(folder, around.uid);
  return join(folder, name);
}

function candidates({ uid, runtimeDir, temporaryDir }: SocketEnvironment): string[] {
  const own = `godwit-${uid}`;
  const fallbacks = [join(temporaryDir, own), join('/tmp', own)];
  // The variable outlives its folder in containers and after `su`.
  // One that is no whole path is none (XDG).
  if (runtimeDir === undefined || !isAbsolute(runtimeDir) || !isFolder(runtimeDir)) {
    return fallbacks;
  }
  return [join(runtimeDir, 'godwit'), ...fallbacks];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Any user may make a name in the temporary folder first, so an existing one is checked, not trusted. */
function ensurePrivate(folder: string, uid: number): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw new GodwitError('not-yours', `${folder} is not a folder`);
  if (found.uid !== uid) throw new GodwitError('not-yours', `${folder} belongs to another user`);
  if ((found.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
}
