/** How file systems come into the tree of names of a simulated kernel, and go. */
import type { FileSystem } from './file-system.ts';
import type { Inode } from './inode.ts';
import type { Kernel } from './kernel.ts';
import { fail } from './kernel-error.ts';
import { Mount } from './mount.ts';
import { PathWalk } from './path-walk.ts';

const ROOT = { uid: 0, gid: 0, groups: [] };

/** Mounts over a directory, whatever is in it. `inode`: a directory of that file system, as a bind mount shows it. */
export function mount(kernel: Kernel, path: string, fs: FileSystem, inode: Inode = fs.root): Mount {
  const at = new PathWalk(kernel, kernel.process(ROOT)).place(path, true);
  if (at.inode.kind !== 'directory') fail('ENOTDIR');
  const made = new Mount(fs, inode, at, path);
  at.mount.covered.set(at.inode, made);
  kernel.mounts.push(made);
  return made;
}

/** It is gone from the tree at once (umount -l); who has something open on it goes on. */
export function unmount(kernel: Kernel, gone: Mount): void {
  if (gone.at === null) return fail('EBUSY');
  for (const over of [...gone.covered.values()]) unmount(kernel, over);
  gone.at.mount.covered.delete(gone.at.inode);
  kernel.mounts.splice(kernel.mounts.indexOf(gone), 1);
  if (kernel.mounts.some(({ fs }) => fs === gone.fs)) return;
  for (const inode of gone.fs.all) {
    if (inode.kind === 'directory') kernel.tellEnd(inode);
  }
}
