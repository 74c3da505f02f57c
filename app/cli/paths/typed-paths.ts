/** Paths of volumes that begin with what a person has typed so far: what a shell offers at Tab, beside the files of this disk. */
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { printable } from '../printable.ts';
import { parseVolumePath } from '../volume-path.ts';
import { findPath, findVolume } from '../volume-tree.ts';
import { volumeIn } from './resolve-path.ts';

/** More than that nobody reads. */
const MOST_PATHS = 1000;

type Tree = Parameters<typeof findPath>[0];

/**
 * Whole paths, as they were begun: `VOLUME:/x`, or `/x` of the usual volume; a folder ends in a slash. Names that a terminal can't show are left out. None
 * where there is no such folder; rejects as the file system does where that can't be told.
 */
export async function pathsThatBegin(
  fileSystem: Tree & Pick<FileSystem, 'readdir'>,
  typed: string,
  usualVolume: string,
): Promise<string[]> {
  const volume = volumeIn(typed);
  const paths =
    volume === null && !typed.startsWith('/')
      ? (await fileSystem.volumes()).map(({ name }) => `${name}:/`)
      : await pathsIn(fileSystem, volume ?? usualVolume, typed);
  return paths
    .filter((path) => path.startsWith(typed) && printable(path) === path)
    .slice(0, MOST_PATHS);
}

async function pathsIn(fileSystem: Tree, volume: string, typed: string): Promise<string[]> {
  const above = typed.slice(0, typed.lastIndexOf('/') + 1);
  try {
    const names = parseVolumePath(above.slice(above.indexOf('/')), typed);
    const { root } = await findVolume(fileSystem, volume);
    const { fid } = await findPath(fileSystem, root, names, true);
    const entries = await fileSystem.readdir(fid);
    return entries.map(
      ({ name, attributes }) => above + name + (attributes.kind === 'directory' ? '/' : ''),
    );
  } catch (error) {
    if (error instanceof GodwitError && NOTHING.has(error.code)) return [];
    throw error;
  }
}

const NOTHING: ReadonlySet<string> = new Set([
  ...['not-found', 'not-a-directory', 'no-such-volume', 'bad-name', 'usage'],
]);
