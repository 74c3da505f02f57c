/** A file system in the tree of names: where it is mounted, what it covers, and whether it answers. One file system may be mounted at several places. */
import type { FileSystem } from './file-system.ts';
import type { Inode } from './inode.ts';

/** An inode as it is reached through a mount. */
export interface Place {
  readonly mount: Mount;
  readonly inode: Inode;
  /** The name by which it was reached; null: it was none. */
  readonly by: NamedBy | null;
}

/** Of something open it goes along with a rename. */
export interface NamedBy {
  directory: Inode;
  name: string;
}

/** `dead`: the program behind it has ended, ENOTCONN. `silent`: no call on it returns. */
export type MountState = 'alive' | 'dead' | 'silent';

export class Mount {
  readonly fs: FileSystem;
  readonly root: Inode;
  /** Where it is mounted; null: it is the root of all. */
  readonly at: Place | null;
  /** Absolute. */
  readonly path: string;
  /** What is mounted on its directories, the uppermost. */
  readonly covered = new Map<Inode, Mount>();
  isReadOnly = false;
  state: MountState = 'alive';

  constructor(fs: FileSystem, root: Inode, at: Place | null, path: string) {
    this.fs = fs;
    this.root = root;
    this.at = at;
    this.path = path;
  }
}

/** What is seen at a place: the root of the uppermost of what is mounted there. */
export function uncovered(place: Place): Place {
  let { mount, inode } = place;
  for (let over = mount.covered.get(inode); over !== undefined; over = mount.covered.get(inode)) {
    mount = over;
    inode = over.root;
  }
  return inode === place.inode && mount === place.mount ? place : { mount, inode, by: place.by };
}

/** The directory that a directory is in, over the borders of mounts. */
export function above(place: Place): Place {
  let { mount, inode } = place;
  while (inode === mount.root && mount.at !== null) ({ mount, inode } = mount.at);
  return uncovered({ mount, inode: inode.parent ?? inode, by: null });
}
