/** The disks of a storm: made in a file, mounted, unmounted in the midst of work, read-only for a while, and filled to the last block. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { DISK_KINDS, missingFor } from '../../support/disks.ts';

export interface StormDiskKind {
  /** As in DISK_KINDS; `plain`: the disk of this machine's temporary files. */
  readonly name: string;
  readonly lacks: boolean;
  /** Makes `image`. Empty: there is none. */
  readonly make: string;
  /** Mounts it at `$AT`. */
  readonly mount: string;
}

const loop = (make: string, type: string, options = ''): Pick<StormDiskKind, 'make' | 'mount'> => ({
  make: `truncate -s ${type === 'ext4' ? 160 : 400}M image; ${make} image`,
  mount: `mount -t ${type} -o loop${options} image "$AT"`,
});
const again = (mount: string): Pick<StormDiskKind, 'make' | 'mount'> => ({
  make: '',
  mount: `if [ ! -d kept ]; then mkdir kept; ${mount}; fi; mount --bind kept "$AT"`,
});
const OVERLAY =
  'mkdir under; mount -t tmpfs -o size=200m none under; mkdir under/lower under/upper under/work; ' +
  'mount -t overlay -o lowerdir=under/lower,upperdir=under/upper,workdir=under/work none kept';
const NTFS = 'truncate -s 120M image; mkfs.ntfs -F -Q -q image';

/** The kinds of disks that storms use. */
export const STORM_DISKS: readonly StormDiskKind[] = [
  { name: 'plain', lacks: false, make: '', mount: '' },
  // A disk of its own has no `lost+found` that somebody would sync.
  { name: 'ext4', lacks: false, ...loop('mkfs.ext4 -q', 'ext4') },
  { name: 'xfs', lacks: false, ...loop('mkfs.xfs -q', 'xfs') },
  { name: 'btrfs', lacks: false, ...loop('mkfs.btrfs -q', 'btrfs') },
  { name: 'tmpfs', lacks: false, ...again('mount -t tmpfs -o size=200m,mode=755 none kept') },
  { name: 'overlay', lacks: false, ...again(OVERLAY) },
  { name: 'ntfs-3g', lacks: true, make: NTFS, mount: 'ntfs-3g image "$AT"' },
  {
    name: 'exfat by FUSE',
    lacks: true,
    make: 'truncate -s 120M image; mkfs.exfat image',
    mount:
      'device=$(losetup -f --show image); mount.exfat-fuse "$device" "$AT"; losetup -d "$device"',
  },
  {
    name: 'exfat',
    lacks: true,
    make: 'truncate -s 120M image; mkfs.exfat image',
    mount: 'mount -t exfat -o loop image "$AT"',
  },
];

/** Why a storm cannot have such a disk here, or null. */
export function missingForStorm({ name }: StormDiskKind, hasWorld: boolean): string | null {
  if (name === 'plain') return null;
  if (!hasWorld) return 'only root may mount it';
  const kind = DISK_KINDS.find((each) => each.name === name);
  return kind === undefined ? 'it is unknown' : missingFor(kind);
}

/** Some file systems give the last blocks to nobody but themselves. */
const ROOM_LEFT = 64 * 1024;

/** One disk at one place. */
export class StormDisk {
  readonly kind: StormDiskKind;
  readonly at: string;
  readonly #own: string;
  #isMounted = false;

  /** `own`: a folder that is not there yet, for its image. */
  constructor(kind: StormDiskKind, own: string, at: string) {
    this.kind = kind;
    this.at = at;
    this.#own = own;
    mkdirSync(own, { recursive: true });
    mkdirSync(at, { recursive: true });
    if (kind.make !== '') this.#run(kind.make);
    this.mount();
    rmSync(join(at, 'lost+found'), { recursive: true, force: true });
  }

  /** It can be unmounted and filled. */
  get isReal(): boolean {
    return this.kind.mount !== '';
  }

  mount(): void {
    if (this.isReal && !this.#isMounted) this.#run(this.kind.mount);
    this.#isMounted = true;
  }

  /** False: something on it is in use. */
  unmount(): boolean {
    if (!this.isReal || !this.#isMounted) return false;
    const gone = spawnSync('umount', [this.at], { stdio: 'ignore' }).status === 0;
    if (gone) this.#isMounted = false;
    return gone;
  }

  /** False: it can not be now, for something on it is open to write, or its file system does not know how. */
  setReadOnly(isReadOnly: boolean): boolean {
    const options = `remount,${isReadOnly ? 'ro' : 'rw'}${this.kind.mount.includes('--bind') ? ',bind' : ''}`;
    return spawnSync('mount', ['-o', options, this.at], { stdio: 'ignore' }).status === 0;
  }

  /** To the last block, with a file of this name that nobody syncs. */
  async fill(filler: string): Promise<void> {
    const { bavail, bsize } = statfsSync(this.at);
    const most = Math.max(0, bavail * bsize - ROOM_LEFT);
    // Fast where the file system can; the rest is written.
    const line = `fallocate -l ${most} "$1"; cat /dev/zero >> "$1"; for i in 1 2 3 4; do echo >> "$1"; done`;
    const child = spawn('sh', ['-c', line, 'sh', join(this.at, filler)], { stdio: 'ignore' });
    await once(child, 'exit');
  }

  empty(filler: string): void {
    rmSync(join(this.at, filler), { force: true });
  }

  /** It goes, whoever has something open on it. */
  end(): void {
    for (const place of [this.at, join(this.#own, 'kept'), join(this.#own, 'under')]) {
      if (this.isReal) spawnSync('umount', ['-l', place], { stdio: 'ignore' });
    }
  }

  #run(script: string): void {
    const { status, stderr, stdout } = spawnSync('sh', ['-ec', script], {
      cwd: this.#own,
      env: { ...process.env, AT: this.at },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${this.kind.name} at ${this.at}: ${stderr}${stdout}`);
  }
}
