/** The directory that a volume is mounted at: whether it can be, and how it is unmounted. Nothing here looks into a mount of ours. */
import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync, readdirSync } from 'node:fs';
import { constants as numbers } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

const run = promisify(execFile);
const UNMOUNT_LIMIT_MS = 10_000;
/** A daemon that was just killed may answer until the last of its threads has gone. */
const MOST_LOOKS = 50;
const LOOK_MS = 100;
/** As `mountinfo` has them. */
const OURS = 'fuse.godwit';
const FUSE = '/dev/fuse';
const HELPER = 'fusermount3';

/**
 * Detaches a mount of ours whose daemon is gone, or goes within some seconds, and resolves when the directory is free to be mounted at. Rejects
 * `folder-unusable` where it is not, or FUSE can not be used.
 */
export async function freeMountPoint(path: string): Promise<void> {
  refuseWithoutFuse();
  for (let looks = 1; isMounted(path); looks++) {
    if (isDead(path)) await unmount(path);
    else if (looks < MOST_LOOKS) await setTimeout(LOOK_MS);
    else throw unusable(path, 'another daemon has mounted a volume there');
  }
  const names = listed(path);
  if (names.length > 0) throw unusable(path, 'a volume is mounted at an empty folder only');
}

/** Unmounts it; who uses it goes on until they have closed what is open. Does nothing where nothing of ours is mounted. */
export async function unmount(path: string): Promise<void> {
  const limit = { timeout: UNMOUNT_LIMIT_MS };
  // One program lies over another where a mount was made twice.
  while (isMounted(path)) {
    try {
      await run(HELPER, ['-u', '-z', path], limit);
    } catch {
      await run('umount', ['-l', path], limit);
    }
  }
}

/** Whether all is allowed on this machine. */
export function isPrivileged(): boolean {
  return process.geteuid?.() === 0;
}

/** Whether other users may be let in by who runs this: without it the mount can't end with its daemon. */
export function mayAllowOther(): boolean {
  if (isPrivileged()) return true;
  try {
    return /^\s*user_allow_other\b/m.test(readFileSync('/etc/fuse.conf', 'utf8'));
  } catch {
    return false;
  }
}

function refuseWithoutFuse(): void {
  try {
    accessSync(FUSE, constants.R_OK | constants.W_OK);
  } catch {
    throw new GodwitError(
      'folder-unusable',
      `${FUSE}: it is not there, or not for this user: nothing can be mounted`,
      'install fuse3, or use `--front-end folder`',
    );
  }
}

function isMounted(path: string): boolean {
  const rows = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return rows.some((row) => {
    const fields = row.split(' ');
    const kind = fields[fields.indexOf('-') + 1];
    return kind === OURS && plain(fields[4] ?? '') === path;
  });
}

/** Blanks and the like stand there as octal numbers. */
const plain = (text: string): string =>
  text.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));

/** Its daemon is gone: the kernel answers by itself. */
function isDead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).errno === -numbers.errno.ENOTCONN;
  }
}

function listed(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    throw unusable(path, (error as Error).message);
  }
}

const unusable = (path: string, why: string): GodwitError =>
  new GodwitError('folder-unusable', `${path}: ${why}`);
