/**
 * The synced folder at another place: what is to be done for it, and doing it. Nothing is removed or replaced but an empty folder, and
 * every inode stays the one it is, so that nothing of it looks removed or new.
 */
import { lstatSync, readdirSync, realpathSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { refuseForSync } from '../../../../shared/control/foreign-folder.ts';
import { isFolderAt, readMarker } from '../../../../shared/control/marker.ts';
import { startupFailure } from '../../../../shared/control/startup-failure.ts';
import type { Host } from '../../../../shared/ports/host.ts';
import { makeFolder, removeEmpty } from '../../../../shared/system/make-folder.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { FOLDER_LIMITS } from '../folder-limits.ts';
import { refuseNested, refuseUnusable } from './root-guard.ts';

export interface MoveRequest {
  /** Where it was last. */
  readonly from: string;
  readonly to: string;
  /** What it is known by. */
  readonly token: string;
  readonly dataDir: string;
}

/** Paths without links, as they are renamed; null: it is at the new place already. */
export type MovePlan = { readonly from: string; readonly to: string } | null;

/** Looks, and changes nothing. Throws `folder-unusable`, `folder-nested`, `folder-moved`, `in-the-way`, `other-file-system`. */
export function planMove(asked: MoveRequest): MovePlan {
  const { to } = asked;
  if (!isAbsolute(to) || to.includes('\0')) {
    throw new GodwitError('folder-unusable', `${to}: the whole path is wanted`);
  }
  try {
    refuseForSync(to);
    return isFolderAt(to, asked.token) ? takenUp(asked) : renamed(asked);
  } catch (error) {
    throw startupFailure(error, { path: to, code: 'folder-unusable' });
  }
}

/** Somebody has moved it, or leads to it by another way. */
function takenUp({ from, to, token, dataDir }: MoveRequest): null {
  if (isFolderAt(from, token) && !isSame(from, to)) {
    const why = 'it is a copy of the synced folder, which is there still';
    throw new GodwitError('folder-unusable', `${to}: ${why}: ${from}`);
  }
  refuseUnusable({ root: to, dataDir, nestedLook: FOLDER_LIMITS.nestedLook });
  return null;
}

function renamed({ from, to, token }: MoveRequest): MovePlan {
  if (!isFolderAt(from, token)) {
    const why = `it is not the folder that was synced, and that is not at ${from} any more`;
    throw new GodwitError('folder-moved', `${to}: ${why}`);
  }
  refuseTaken(to);
  const plan = { from: realpathSync(from), to: realOf(to) };
  refuseNested(plan.to, FOLDER_LIMITS.nestedLook);
  if (statSync(plan.from).dev !== statSync(nearest(plan.to)).dev) throw elsewhere(from, to);
  return plan;
}

function refuseTaken(to: string): void {
  if (lstatSync(to, { throwIfNoEntry: false }) === undefined) return;
  const why = whyTaken(to);
  if (why !== null) throw new GodwitError('in-the-way', `${to}: ${why}`);
}

function whyTaken(to: string): string | null {
  const stats = statSync(to, { throwIfNoEntry: false });
  if (stats === undefined) return 'it is a link that leads nowhere';
  if (!stats.isDirectory()) return 'it is no folder';
  if (readMarker(to) !== null) return 'it is another synced folder';
  return readdirSync(to).length > 0 ? 'it is not empty, and not the folder that was synced' : null;
}

/** What keeps the file system from renaming it leaves it where it is. Throws `other-file-system`, `in-the-way`, `folder-unusable`, `disk-full` ... */
export function renameRoot({ from, to }: NonNullable<MovePlan>, host: Host): void {
  let made: string[] = [];
  try {
    made = makeFolder(dirname(to), 0o777);
    renameSync(from, to);
  } catch (error) {
    removeEmpty(made);
    throw notRenamed(from, to, error);
  }
  for (const folder of [...made, to, from].map(dirname)) host.syncDirectory(folder);
}

const TAKEN = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

function notRenamed(from: string, to: string, error: unknown): GodwitError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EXDEV') return elsewhere(from, to);
  if (TAKEN.has(code ?? '')) return new GodwitError('in-the-way', `${to}: something is there`);
  const told = startupFailure(error, { path: from, code: 'folder-unusable' });
  const why = code ?? told.message;
  return new GodwitError(told.code, `${from} can not be moved to ${to} (${why})`);
}

function elsewhere(from: string, to: string): GodwitError {
  const why = `${from} can not be moved to ${to}: that is on another file system`;
  return new GodwitError('other-file-system', why);
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => statSync(path, { bigint: true }));
  return one?.dev === other?.dev && one?.ino === other?.ino;
}

/** The rest of the way is as it is written. */
function realOf(path: string): string {
  const there = nearest(path);
  return there === path ? realpathSync(path) : join(realOf(dirname(path)), basename(path));
}

/** What is there of the way. */
function nearest(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined ? nearest(dirname(path)) : path;
}
