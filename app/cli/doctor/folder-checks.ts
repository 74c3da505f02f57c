/** Checks of the data folder and the synced folder: rights, room, and how many folders the kernel can watch. */
import { accessSync, constants, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorStatus } from '../../../shared/control/snapshot.ts';
import { codedError } from '../errors.ts';
import { formatCount } from '../format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { bad, ok, warn, type Finding } from './finding.ts';
import { subjectsOf } from './verdicts.ts';

const LOW_BYTES = 1e9;
const VERY_LOW_BYTES = 1e8;
/** Counting more would keep a person waiting; the kernel's limit is usually below. */
const MAX_FOLDERS = 300_000;
/** The limit is shared with editors and others. */
const FAIR_SHARE = 0.75;

/** Checks that the data folder is there, that we may use it, and that nobody else may. */
export function checkDataFolder(dataDir: string): Finding {
  const stat = statSync(dataDir, { throwIfNoEntry: false });
  if (stat === undefined) {
    return warn(
      'data',
      `${dataDir}: not there yet`,
      'start with `godwit up --folder DIR --invite URL`',
    );
  }
  const fault = accessFault(dataDir);
  if (fault !== null) return bad('data', fault, 'give yourself the right to read and write it');
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    return warn('data', `${dataDir}: others can look into it`, `run: chmod 700 ${dataDir}`);
  }
  return ok('data', dataDir);
}

/** Checks that we may read and write the synced folder. Null: there is none. */
export function checkSyncedFolder(folder: string | null): Finding {
  if (folder === null) return ok('folder', 'none: front end `none`');
  const fault = accessFault(folder);
  if (fault === null) return ok('folder', folder);
  return bad('folder', fault, 'put it back, or give yourself the right to read and write it');
}

/**
 * Checks the synced folder, its disk and how much of it can be watched. `errors`: of the daemon; what it says of the folder as a whole is not said twice, and
 * of a folder that is not there nothing else is looked at. `folder` null: there is none.
 */
export function checkFolder(
  folder: string | null,
  errors: ReadonlyArray<Pick<ErrorStatus, 'code' | 'path'>>,
): Finding[] {
  const own = checkSyncedFolder(folder);
  if (folder === null) return [own];
  if (own.level !== 'ok') {
    const isSaid = errors.some(
      (error) => error.path === null && subjectsOf(error)[0] === own.check,
    );
    return isSaid ? [] : [own];
  }
  const watches = checkWatches(folder);
  return [own, checkSpace('disk of folder', folder), ...(watches === null ? [] : [watches])];
}

function accessFault(path: string): string | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return codedError(error)?.message ?? (error as Error).message;
  }
}

/** Checks the free space of the disk of a path, against `LOW_BYTES` and `VERY_LOW_BYTES`. */
export function checkSpace(check: string, path: string): Finding {
  let free: number;
  try {
    const { bavail, bsize } = statfsSync(path);
    free = bavail * bsize;
  } catch (error) {
    return warn(check, (error as Error).message, 'look at it with `df`');
  }
  const message = `${sizeText(free)} free at ${path}`;
  if (free < VERY_LOW_BYTES) return bad(check, message, 'free some space: nothing can be written');
  if (free < LOW_BYTES) return warn(check, message, 'free some space soon');
  return ok(check, message);
}

const LIMIT_FILES = ['/proc/sys/fs/inotify/max_user_watches', '/proc/sys/user/max_inotify_watches'];

/**
 * Checks that inotify can watch all directories of the synced folder. Null: nothing to check,
 * without a folder or elsewhere than on Linux.
 */
export function checkWatches(folder: string | null): Finding | null {
  if (folder === null || process.platform !== 'linux') return null;
  const limit = watchLimit((file) => readFileSync(file, 'utf8'));
  if (limit === null) return null;
  const folders = countFolders(folder);
  const message = `${formatCount(folders, 'folder')} of ${limit} that can be watched`;
  if (folders < limit * FAIR_SHARE) return ok('watches', message);
  const remedy = `run: sudo sysctl fs.inotify.max_user_watches=${limit * 4}`;
  return folders < limit ? warn('watches', message, remedy) : bad('watches', message, remedy);
}

/** The number of watches that a user may have: the lower limit of the system and of the user namespace. null: neither is known. */
export function watchLimit(read: (file: string) => string): number | null {
  const limits = LIMIT_FILES.flatMap((file) => {
    try {
      const limit = Number(read(file));
      return Number.isInteger(limit) && limit >= 0 ? [limit] : [];
    } catch {
      return [];
    }
  });
  return limits.length === 0 ? null : Math.min(...limits);
}

function countFolders(root: string): number {
  const waiting = [root];
  let count = 0;
  for (let path = waiting.pop(); path !== undefined && count < MAX_FOLDERS; path = waiting.pop()) {
    count += 1;
    try {
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        if (entry.isDirectory()) waiting.push(join(path, entry.name));
      }
    } catch {
      // Not readable, so not watched.
    }
  }
  return count;
}
