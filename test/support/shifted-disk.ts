/** A disk whose paths are others than those of this machine: whatever of the folder reaches for a file without it finds nothing. */
import type { Disk } from '../../daemon/adapters/folder/disk/disk.ts';

type Call = (...given: unknown[]) => unknown;

/** What stands at `real` on `disk` stands at `shown` here, where this machine has nothing. */
export function shiftedDisk(disk: Disk, shown: string, real: string): Disk {
  const to = (path: unknown): unknown =>
    typeof path === 'string' && `${path}/`.startsWith(`${shown}/`)
      ? real + path.slice(shown.length)
      : path;
  const back = (path: string): string =>
    `${path}/`.startsWith(`${real}/`) ? shown + path.slice(real.length) : path;
  const calls = Object.entries(disk).map(([name, call]: [string, unknown]) => [
    name,
    typeof call === 'function' ? (...given: unknown[]) => (call as Call)(...given.map(to)) : call,
  ]);
  const shifted = Object.fromEntries(calls) as Disk;
  return {
    ...shifted,
    symlink: (target, path) => disk.symlink(target, String(to(path))),
    realPath: (path) => back(shifted.realPath(path)),
    makeDirectories: (path, mode) => shifted.makeDirectories(path, mode).map(back),
    watchDirectories(events) {
      const watches = disk.watchDirectories(events);
      return {
        add: (path, follow) => watches.add(String(to(path)), follow),
        remove: (watch) => watches.remove(watch),
        close: () => watches.close(),
      };
    },
  };
}
