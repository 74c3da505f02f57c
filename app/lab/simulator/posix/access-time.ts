/** When a read changes the time of access of an inode. */
import type { Kernel } from './kernel.ts';
import type { Place } from './mount.ts';

const DAY = 86_400_000_000_000n;

/** As `relatime`: the time of access is set where it is no later than a change, or a day old. */
export function touchAccess(kernel: Kernel, { mount, inode }: Place): void {
  const { fs } = inode;
  if (mount.isReadOnly || fs.switches.times.atime === 'never') return;
  const now = fs.cut(kernel.now());
  const { atime, mtime, ctime } = inode;
  if (atime <= mtime || atime <= ctime || now - atime >= DAY) inode.atime = now;
}
