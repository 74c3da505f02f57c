/** What a volume has at a path, through the file-system port. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Attributes, FileSystem, Place } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

const NOTHING = new Set(['not-found', 'not-a-directory', 'bad-name']);

/** The place, whether something is there or not; null: its directory is none. */
export async function findPlace(
  fileSystem: FileSystem,
  root: Fid,
  names: readonly string[],
): Promise<Place | null> {
  const name = names.at(-1);
  if (name === undefined) return null;
  let dir = root;
  for (const step of names.slice(0, -1)) {
    const found = await lookUp(fileSystem, { dir, name: step });
    if (found?.kind !== 'directory') return null;
    dir = found.fid;
  }
  return { dir, name };
}

/** null: nothing is there. */
export async function lookUp(
  fileSystem: FileSystem,
  { dir, name }: Place,
): Promise<Attributes | null> {
  try {
    return await fileSystem.lookup(dir, name);
  } catch (error) {
    if (error instanceof GodwitError && NOTHING.has(error.code)) return null;
    throw error;
  }
}
