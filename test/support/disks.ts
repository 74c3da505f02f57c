/**
 * Disks with other file systems for a test: each in a file, mounted for as long as the test runs. A process of its own holds the mount and ends
 * it when whoever asked for it has gone, however that ended. Where a machine lacks something for one, it is said in the names of the tests.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PUTS_AWAY } from '../../build/end-of-run.mjs';
import { onPath } from './programs.ts';

export interface DiskKind {
  readonly name: string;
  /** The file system that the kernel needs; `fuse` means a program in `tools`. */
  readonly kernel: string;
  readonly tools: readonly string[];
  /** Whether it lacks abilities of usual Linux disks. */
  readonly lacks?: true;
  /** The shell commands that mount it at `disk` in an empty folder. */
  readonly mount: string;
}

const loop = (make: string, type: string, options = ''): string =>
  `truncate -s 400M image; ${make} image; mount -t ${type} -o loop${options} image disk`;

/** The kinds of disks that tests use. */
export const DISK_KINDS: readonly DiskKind[] = [
  { name: 'ext4', kernel: 'ext4', tools: ['mkfs.ext4'], mount: loop('mkfs.ext4 -q', 'ext4') },
  { name: 'xfs', kernel: 'xfs', tools: ['mkfs.xfs'], mount: loop('mkfs.xfs -q', 'xfs') },
  { name: 'btrfs', kernel: 'btrfs', tools: ['mkfs.btrfs'], mount: loop('mkfs.btrfs -q', 'btrfs') },
  { name: 'tmpfs', kernel: 'tmpfs', tools: [], mount: 'mount -t tmpfs none disk' },
  {
    name: 'overlay',
    kernel: 'overlay',
    tools: [],
    mount:
      'mkdir under; mount -t tmpfs none under; mkdir under/lower under/upper under/work; ' +
      'mount -t overlay -o lowerdir=under/lower,upperdir=under/upper,workdir=under/work none disk',
  },
  {
    name: 'ntfs-3g',
    lacks: true,
    kernel: 'fuse',
    tools: ['ntfs-3g', 'mkfs.ntfs'],
    mount: 'truncate -s 400M image; mkfs.ntfs -F -Q -q image; ntfs-3g image disk',
  },
  {
    name: 'ntfs-3g as Windows sees it',
    lacks: true,
    kernel: 'fuse',
    tools: ['ntfs-3g', 'mkfs.ntfs', 'lowntfs-3g'],
    mount:
      'truncate -s 400M image; mkfs.ntfs -F -Q -q image; lowntfs-3g -o windows_names,ignore_case image disk',
  },
  {
    name: 'exfat by FUSE',
    lacks: true,
    kernel: 'fuseblk',
    tools: ['mkfs.exfat', 'mount.exfat-fuse', 'losetup'],
    mount:
      'truncate -s 400M image; mkfs.exfat image; device=$(losetup -f --show image); ' +
      'mount.exfat-fuse $device disk; losetup -d $device',
  },
  {
    name: 'exfat',
    lacks: true,
    kernel: 'exfat',
    tools: ['mkfs.exfat'],
    mount: loop('mkfs.exfat', 'exfat'),
  },
  {
    name: 'vfat',
    lacks: true,
    kernel: 'vfat',
    tools: ['mkfs.vfat'],
    mount: loop('mkfs.vfat', 'vfat'),
  },
];

/** Why this machine cannot have such a disk, or null. */
export function missingFor({ kernel, tools }: DiskKind): string | null {
  const known = existsSync('/proc/filesystems') ? readFileSync('/proc/filesystems', 'utf8') : '';
  if (process.getuid?.() !== 0) return 'only root may mount it';
  const tool = tools.find((each) => onPath(each) === null);
  if (tool !== undefined) return `there is no ${tool}`;
  if (!new RegExp(`\\b${kernel}$`, 'm').test(known)) return `this kernel has no ${kernel}`;
  return mayMount() ? null : 'nothing may be mounted here';
}

let mounts: boolean | null = null;

function mayMount(): boolean {
  mounts ??= spawnSync('unshare', ['--mount', 'true'], { stdio: 'ignore' }).status === 0;
  return mounts;
}

/** A mounted disk and the process that holds its mount. */
export class MountedDisk {
  readonly #dir: string;
  readonly #holder: ChildProcess;

  /** Throws what its tools said. */
  static async mount({ name, mount }: DiskKind): Promise<MountedDisk> {
    const dir = mkdtempSync(join(tmpdir(), 'godwit-disk-'));
    // It ends by itself when its input does, so a signal to the group of the test is not for it, nor the end of the run for some seconds.
    const holder = spawn('sh', ['-ec', script(mount)], {
      cwd: dir,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, [PUTS_AWAY]: '1' },
    });
    let said = '';
    for (const stream of [holder.stdout, holder.stderr]) {
      stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
    }
    const gone = once(holder, 'exit');
    const ready = new Promise<void>((resolve) =>
      holder.stdout.on('data', () => said.includes(READY) && resolve()),
    );
    await Promise.race([ready, gone]);
    if (holder.exitCode === null) return new MountedDisk(dir, holder);
    rmSync(dir, { recursive: true, force: true });
    throw new Error(`${name} can not be mounted: ${said}`);
  }

  private constructor(dir: string, holder: ChildProcess) {
    this.#dir = dir;
    this.#holder = holder;
  }

  get folder(): string {
    return join(this.#dir, 'disk');
  }

  async unmount(): Promise<void> {
    const gone = once(this.#holder, 'exit');
    this.#holder.stdin?.end();
    await gone;
  }
}

const READY = 'the disk is mounted';

/** Fails as a whole where a step fails; whatever is mounted goes at the end. */
function script(mount: string): string {
  const steps = mount.replaceAll(/(mkfs\.\w+ [^;]*)/g, '$1 >&2');
  return `umask 022; mkdir disk
    end() { cd /; umount -l "$at/disk" 2>/dev/null; umount -l "$at/under" 2>/dev/null; rm -rf --one-file-system "$at"; }
    at=$(pwd); trap end EXIT; trap '' INT TERM HUP
    ${steps}
    echo '${READY}'; cat >/dev/null`;
}
