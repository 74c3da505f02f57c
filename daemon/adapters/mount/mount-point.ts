/** The directory that a volume is mounted at: whether it can be, and how it is unmounted. Nothing here looks into a mount of ours. */
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { constants as numbers } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { FUSE_HELPER, fuseFaults, holdersOf } from '../../../shared/system/fuse.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

const run = promisify(execFile);
const UNMOUNT_LIMIT_MS = 10_000;
/** A daemon that was just killed may answer until the last of its threads has gone. */
const MOST_LOOKS = 50;
const LOOK_MS = 100;
/** As `mountinfo` has them. */
const OURS = 'fuse.godwit';
/** So many of those that hold a mount are named. */
const MOST_NAMED = 5;

/**
 * Detaches a mount of ours whose daemon is gone, or goes within some seconds, and resolves when the directory is free to be mounted at. Rejects
 * `folder-unusable` where it is not, or FUSE can not be used.
 */
export async function freeMountPoint(path: string): Promise<void> {
  refuseWithoutFuse();
  for (let looks = 1; isMounted(path); looks++) {
    if (await isDead(path)) await unmount(path);
    else if (looks < MOST_LOOKS) await setTimeout(LOOK_MS);
    else throw unusable(path, `another daemon has mounted a volume there${heldBy(path)}`);
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
      await run(FUSE_HELPER, ['-u', '-z', path], limit);
    } catch {
      await run('umount', ['-l', path], limit);
    }
  }
}

/** Whether all is allowed on this machine. */
export function isPrivileged(): boolean {
  return process.geteuid?.() === 0;
}

/** Who holds a mount, by program and number, as text; null: nobody that may be seen. */
export function usersOf(path: string): string | null {
  const all = holdersOf(path).map(({ pid, program }) => `${program} (${pid})`);
  if (all.length === 0) return null;
  const more = all.length <= MOST_NAMED ? '' : ` and ${all.length - MOST_NAMED} more`;
  return `${all.slice(0, MOST_NAMED).join(', ')}${more}`;
}

function refuseWithoutFuse(): void {
  const [fault] = fuseFaults();
  if (fault !== undefined) throw new GodwitError('folder-unusable', fault.why, fault.remedy);
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

/** Its daemon is gone. Only this is asked of the daemon each time: of all else the kernel may have an answer still. */
async function isDead(path: string): Promise<boolean> {
  try {
    await statfs(path);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).errno === -numbers.errno.ENOTCONN;
  }
}

function heldBy(path: string): string {
  const users = usersOf(path);
  return users === null ? '' : `, and it is used by ${users}`;
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
