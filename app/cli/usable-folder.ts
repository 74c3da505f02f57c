/** A folder that is to be written to: made where it is missing, refused with its reason where it can't be. */
import { accessSync, constants } from 'node:fs';
import { makeFolder } from '../../shared/system/make-folder.ts';
import { GodwitError, type ErrorCode } from '../../shared/wire/error-codes.ts';
import { codedError } from './errors.ts';

/** What the making of a folder means by them. */
const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOENT: 'no folder can be made there',
};

const OF_DISK: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['disk-full', 'disk-failing']);

/** Returns the folders that had to be made, the innermost first. Throws GodwitError `folder-unusable`, `disk-full`, `disk-failing`. */
export function makeUsable(path: string, mode: number): string[] {
  try {
    const made = makeFolder(path, mode);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return made;
  } catch (error) {
    throw unusable(path, error);
  }
}

/** What keeps the folder from being used. Another folder is no remedy for a disk that is full or fails. */
export function unusable(path: string, error: unknown): GodwitError {
  const known = codedError(error);
  const reason = REASONS[String((error as { code?: unknown }).code)] ?? known?.message;
  const text = reason ?? (error as Error).message;
  const said = text.startsWith(path) ? text : `${path}: ${text}`;
  return new GodwitError(
    known !== null && OF_DISK.has(known.code) ? known.code : 'folder-unusable',
    said,
  );
}
