/**
 * What is mounted in the synced folder just now, as the system says it (system-mounts.ts). Bind mounts are in it too, which no number
 * of a device tells. Elsewhere nothing is told, and what lies on another device than the folder counts.
 */
import type { DiskLooks } from './disk.ts';

/** What is asked of the disk for the way to a folder. */
export type RealPaths = Pick<DiskLooks, 'realPath'>;

export interface MountPoint {
  /** Absolute. */
  readonly path: string;
  /** The kind of file system, as `ext4`, `nfs4` or `fuse.sshfs`. */
  readonly type: string;
}

export interface MountTable {
  /** Everything that is mounted, in the order in which it was; null: the system does not tell. */
  read(): readonly MountPoint[] | null;
}

/** Changed elsewhere too, and nobody here is told: by other machines, or by a program behind the mount. */
const CHANGED_ELSEWHERE = new Set([
  ...['9p', 'afs', 'beegfs', 'ceph', 'cifs', 'coda', 'fuse', 'gfs2', 'gpfs', 'kafs', 'lustre'],
  ...['ncpfs', 'nfs', 'nfs4', 'ocfs2', 'orangefs', 'prl_fs', 'smb3', 'smbfs', 'vboxsf', 'virtiofs'],
]);

/** `fuseblk` is a disk of this machine: all that happens on it goes through the kernel, which tells. */
export function isChangedElsewhere(type: string): boolean {
  return CHANGED_ELSEWHERE.has(type) || type.startsWith('fuse.');
}

/** Lines as `36 35 98:0 /part /mnt rw - ext4 /dev/sda rw`; between options and `-` there may be more fields. */
export function parseMountInfo(text: string): MountPoint[] {
  return text.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const path = before.split(' ')[4];
    const type = after.split(' ')[0];
    if (path === undefined || type === undefined || type === '') return [];
    return [{ path: unescaped(path), type }];
  });
}

/** The kernel writes space, tab, line end and backslash as octal numbers, byte by byte. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

/** Of a table: what concerns one folder. */
export interface MountsHere {
  /** The kind of file system that the folder itself lies on; null: not told. */
  readonly type: string | null;
  /** By the path below the folder, with slashes: the kind of what is mounted there. */
  readonly below: ReadonlyMap<string, string>;
}

/** null: the system does not tell. */
export function mountsIn(root: string, table: MountTable, files: RealPaths): MountsHere | null {
  const mounts = table.read();
  if (mounts === null) return null;
  const real = realOf(root, files);
  const below = new Map<string, string>();
  let around: MountPoint | null = null;
  for (const mount of mounts) {
    // The later one covers the earlier one.
    if (mount.path.startsWith(real === '/' ? '/' : `${real}/`) && mount.path !== '/') {
      below.set(mount.path.slice(real === '/' ? 1 : real.length + 1), mount.type);
    } else if (mount.path === '/' || mount.path === real || real.startsWith(`${mount.path}/`)) {
      if (around === null || mount.path.length >= around.path.length) around = mount;
    }
  }
  return { type: around?.type ?? null, below };
}

function realOf(path: string, files: RealPaths): string {
  try {
    return files.realPath(path);
  } catch {
    return path;
  }
}
