/** A folder that is to be written to: made where it is missing, refused with its reason where it can't be. */
import { accessSync, constants, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { codedError } from './errors.ts';

/** Returns the folders that had to be made, the innermost first. Throws GodwitError `folder-unusable`, `disk-full`. */
export function makeUsable(path: string, mode: number): string[] {
  try {
    const made = makeAll(path, mode);
    if (!statSync(path).isDirectory()) throw new GodwitError('folder-unusable', 'it is a file');
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return made;
  } catch (error) {
    throw unusable(path, error);
  }
}

/** What keeps the folder from being used. Another folder is no remedy for a full disk. */
export function unusable(path: string, error: unknown): GodwitError {
  const known = codedError(error);
  const reason = known?.message ?? (error as Error).message;
  const said = reason.startsWith(path) ? reason : `${path}: ${reason}`;
  return new GodwitError(known?.code === 'disk-full' ? 'disk-full' : 'folder-unusable', said);
}

/** Node's own recursive call never returns where the parent is there and refuses with ENOENT, as /proc does. */
function makeAll(path: string, mode: number): string[] {
  const missing: string[] = [];
  for (let at = path; lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) {
    missing.push(at);
  }
  for (const folder of missing.toReversed()) make(folder, mode);
  return missing;
}

function make(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new GodwitError('folder-unusable', 'no folder can be made there');
  }
}
