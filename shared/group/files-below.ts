/** All files in a folder and below it, in the order of names; those that groups are made of are none of them. */
import { GROUPS_FOLDER } from '../model/file-group.ts';
import { parseFid, ROOT_VNODE, type Fid } from '../model/fid.ts';
import type { Attributes, FileSystem } from '../ports/file-system.ts';

export interface FoundFile {
  readonly path: readonly string[];
  readonly attributes: Attributes;
}

/**
 * Yields every file below `dir` in its volume, depth first, except the lists of file groups. `path`: the names
 * that lead to `dir`.
 */
export async function* filesBelow(
  fs: FileSystem,
  dir: Fid,
  path: readonly string[],
): AsyncGenerator<FoundFile, void, undefined> {
  for (const { name, attributes } of await fs.readdir(dir)) {
    const at = [...path, name];
    if (attributes.kind === 'file') yield { path: at, attributes };
    else if (attributes.kind === 'directory' && !isOfGroups(dir, name) && !isOther(attributes)) {
      yield* filesBelow(fs, attributes.fid, at);
    }
  }
}

/** A group is of one volume. */
const isOther = ({ mounted }: Attributes): boolean => mounted !== undefined;

const isOfGroups = (dir: Fid, name: string): boolean =>
  name === GROUPS_FOLDER && parseFid(dir)?.vnode === ROOT_VNODE;
