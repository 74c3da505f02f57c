/** Paths of inodes, as the addon takes them: what stands at a name, never what a link there leads to; or (`/proc/self/fd/N`) what is open as N. */
import type { Kernel } from './kernel.ts';
import type { Place } from './mount.ts';
import { PathWalk } from './path-walk.ts';
import type { Process } from './process.ts';
import { takenPath } from './path-bytes.ts';

const OPEN_INODE = /^\/proc\/self\/fd\/\d+$/;

export function isOpenInode(path: string): boolean {
  return OPEN_INODE.test(path);
}

export function inodeAt(kernel: Kernel, caller: Process, path: string): Place {
  return new PathWalk(kernel, caller).place(takenPath(path), isOpenInode(path));
}
