/** How much free space a disk has, and which disk that is, for messages about a full one. */
import { statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export interface FreeDiskSpace {
  /** Bytes that a process without special rights may still write. A quota may be nearer. */
  readonly free: number;
  readonly total: number;
}

/** Of the disk that a folder is on. Throws as the disk does. */
export function freeSpaceOn(folder: string): FreeDiskSpace {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** Where the disk is mounted that a path is on, or the nearest folder above it that is there. */
export function mountOf(path: string): string {
  let at = resolve(path);
  while (deviceOf(at) === null && at !== dirname(at)) at = dirname(at);
  const device = deviceOf(at);
  while (at !== dirname(at) && deviceOf(dirname(at)) === device) at = dirname(at);
  return at;
}

function deviceOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.dev ?? null;
}

/** What the system, SQLite and our own errors call it. */
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'disk-full', 'server-full']);

/** Whether an error of a disk or of SQLite says that the disk is full or its quota used up. */
export function isNoRoom(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return NO_ROOM.has(code) || String(code).startsWith('SQLITE_FULL');
}

/** For a person: the folder, its disk, and what is missing there of `needed` bytes. */
export function noRoomIn(folder: string, needed: number): string {
  const mount = mountOf(folder);
  const { free } = freeSpaceOn(mount);
  const disk = `the disk at ${mount} has ${megabytes(free)} free`;
  const short = needed - free;
  // Then it is a quota, or the number of files.
  const rest = short > 0 ? `${megabytes(short)} more are needed` : 'and takes no more';
  return `no room in ${folder}: ${disk}, ${rest}`;
}

const megabytes = (bytes: number): string => `${(Math.max(0, bytes) / 1e6).toFixed(1)} MB`;
