/** The folder of a backup: is it one, is it ours, can it take what is to come. Each refusal is one line with a remedy. */
import { chmodSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Host } from '../../../shared/ports/host.ts';
import { makeAllPrivate } from '../../../shared/system/private-folder.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { BackupFiles } from './backup-files.ts';
import { FORMAT, readManifest, writeManifest, type Manifest } from './manifest.ts';

const PRIVATE_FOLDER = 0o700;
/** A disk of its own has this from the start. */
const OF_THE_DISK = 'lost+found';

export const lockOf = (target: string): string => join(target, 'lock');

/**
 * Makes the folder where it is missing, and says what is in it. Throws GodwitError `not-a-backup`, `other-backup`, `damaged-backup`,
 * `newer-database`, `folder-unusable`.
 */
export async function prepareTarget(
  target: string,
  server: string,
  files: BackupFiles,
): Promise<Manifest> {
  makeFolder(target);
  const known = readManifest(target);
  if (known !== null) {
    if (known.server === server) return known;
    throw new GodwitError('other-backup', `${target} has the backup of another server`);
  }
  const ours = new Set([OF_THE_DISK, basename(lockOf(target)), 'manifest.json.new']);
  if (readdirSync(target).some((name) => !ours.has(name))) {
    throw new GodwitError('not-a-backup', `${target} is not empty, and no backup of ours`);
  }
  const manifest = { format: FORMAT, server, snapshot: null };
  await writeManifest(target, manifest, files);
  return manifest;
}

/** The key of the server lies in it: it is for its owner alone. */
function makeFolder(target: string): void {
  const there = statSync(target, { throwIfNoEntry: false });
  if (there === undefined) {
    // A disk that is not mounted would else be filled below its name.
    if (statSync(dirname(target), { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new GodwitError('folder-unusable', `${dirname(target)}: there is no such folder`);
    }
    mkdirSync(target, { mode: PRIVATE_FOLDER });
    return;
  }
  if (!there.isDirectory()) throw new GodwitError('folder-unusable', `${target}: it is no folder`);
  if (readdirSync(target).length > 0 && readManifest(target) === null) return;
  if ((there.mode & 0o077) === 0) return;
  makePrivate(target, there.uid);
  makeAllPrivate(target);
}

/** A disk without rights of its own (FAT) refuses: who may read it was said when it was mounted, for the user it belongs to. */
export function makePrivate(folder: string, owner: number, chmod = chmodSync): void {
  try {
    chmod(folder, PRIVATE_FOLDER);
  } catch (error) {
    const isRefused = (error as { code?: unknown }).code === 'EPERM';
    if (!isRefused || owner !== process.getuid?.()) throw error;
  }
}

/** Neither may lie in the other, whatever links lead there. Throws GodwitError `folder-nested`. */
export function refuseNested(target: string, dataDir: string): void {
  const [a, b] = [realOf(target), realOf(dataDir)];
  if (!isWithin(a, b) && !isWithin(b, a)) return;
  const which = a === b ? 'is the data folder' : 'and the data folder lie in each other';
  throw new GodwitError('folder-nested', `${target} ${which}${a === b ? '' : `: ${dataDir}`}`);
}

function isWithin(outer: string, inner: string): boolean {
  const way = relative(outer, inner);
  return way === '' || (way !== '..' && !way.startsWith('../'));
}

/** Of what is there; the rest of the way is as it is written. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realOf(above), basename(path));
  }
}

/** Throws GodwitError `upkeep-running`. */
export function lockTarget(target: string, host: Host): { release(): void } {
  const lock = host.lockFile(lockOf(target));
  if (lock !== null) return lock;
  throw new GodwitError('upkeep-running', `${target} is in use by another backup or restore`);
}

/** Throws GodwitError `disk-full`. */
export async function refuseWithoutRoom(folder: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (needed <= free) return;
  throw new GodwitError(
    'disk-full',
    `${folder}: ${megabytes(needed)} are needed, ${megabytes(free)} are free`,
  );
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
