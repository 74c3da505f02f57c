/**
 * A restored data folder takes its place in the folder in which it was made, in steps that whoever comes next can go on with: the next
 * restore, or the start of the server. Everything stays within the folder, which may be a disk of its own.
 *
 *   restore.new      being copied; it counts for nothing
 *   restore.ready    whole and read; what was here goes to `before-restore-TIME`
 *   restore.moving   all of that has gone; the new moves up
 *
 * The caller holds the lock of the folder.
 */
import { mkdirSync, readdirSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../../../shared/ports/host.ts';

const STEPS = { copied: 'restore.new', ready: 'restore.ready', moving: 'restore.moving' } as const;
const ASIDE = /^before-restore-/;
/** Locks are held by their file, the log and the reserve of the disk go on, and a disk of its own has the last one from the start. */
const STAYS = new Set(['lock', 'upkeep.lock', 'log', 'reserve', 'lost+found']);
const PRIVATE_FOLDER = 0o700;

export const newFolder = (path: string): string => join(path, STEPS.copied);

/** Data that a restore would take the place of. */
export function dataIn(path: string): string[] {
  const steps = new Set<string>(Object.values(STEPS));
  return readdirSync(path)
    .filter((name) => !STAYS.has(name) && !steps.has(name) && !ASIDE.test(name))
    .sort();
}

export const isUnfinished = (path: string): boolean =>
  isThere(join(path, STEPS.ready)) || isThere(join(path, STEPS.moving));

/** What `newFolder` has is whole, and on the disk. Gives where the data of before have gone; null: there were none. */
export function putInPlace(path: string, time: string, host: Host): string | null {
  renameSync(newFolder(path), join(path, STEPS.ready));
  host.syncDirectory(path);
  return finishRestore(path, time, host);
}

/** Goes on where another was broken off; nothing where none was. `time`: part of a name. */
export function finishRestore(path: string, time: string, host: Host): string | null {
  let aside: string | null = null;
  if (isThere(join(path, STEPS.ready))) {
    aside = moveAside(path, time, host);
    renameSync(join(path, STEPS.ready), join(path, STEPS.moving));
    host.syncDirectory(path);
  }
  const moving = join(path, STEPS.moving);
  if (!isThere(moving)) return aside;
  for (const name of readdirSync(moving).sort()) renameSync(join(moving, name), join(path, name));
  host.syncDirectory(path);
  rmdirSync(moving);
  host.syncDirectory(path);
  return aside;
}

function moveAside(path: string, time: string, host: Host): string | null {
  const names = dataIn(path);
  if (names.length === 0) return null;
  const aside = join(path, `before-restore-${time}`);
  mkdirSync(aside, { mode: PRIVATE_FOLDER, recursive: true });
  for (const name of names) renameSync(join(path, name), join(aside, name));
  host.syncDirectory(aside);
  host.syncDirectory(path);
  return aside;
}

const isThere = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
