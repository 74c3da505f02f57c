/** Finds what a path names through the file-system port, a name at a time, as a program's system would. */
import type { Attributes, FileSystem, Place } from '../../../../shared/ports/file-system.ts';
import type { Fid } from '../../../../shared/model/fid.ts';

const namesOf = (path: string): string[] => path.split('/').filter((name) => name !== '');

/**
 * Finds the directory of a path, and gives it with the last name. Throws what the port's `lookup`
 * throws, such as `not-found`.
 */
export async function directoryOf(fs: FileSystem, root: Fid, path: string): Promise<Place> {
  const names = namesOf(path);
  const name = names.pop() ?? '';
  let dir = root;
  for (const [nth, each] of names.entries()) {
    dir = (await fs.lookup(dir, each, [...names.slice(nth + 1), name])).fid;
  }
  return { dir, name };
}

/**
 * Finds the attributes of what a path names. Throws what the port's `lookup` throws, such as
 * `not-found`.
 */
export async function lookUp(fs: FileSystem, root: Fid, path: string): Promise<Attributes> {
  const { dir, name } = await directoryOf(fs, root, path);
  return name === '' ? fs.getattr(dir) : fs.lookup(dir, name);
}
