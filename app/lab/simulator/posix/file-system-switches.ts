/**
 * What a simulated file system can do and lacks, as plain data: it is in a plan, and a history can be shortened by taking lacks away. The presets
 * are those that people have.
 */
import type { ListingOrder } from './directory-entries.ts';

/** What is said to a call that the file system does not know; null: it knows it. */
export type Lack = 'EINVAL' | 'ENOSYS' | 'ENOTSUP' | 'EPERM' | null;

export interface NameSwitches {
  /** `Doc` and `doc` are one name. */
  readonly ignoresCase: boolean;
  /** A name composed and the same decomposed are one. */
  readonly ignoresForms: boolean;
  readonly stored: 'as written' | 'NFC' | 'NFD' | 'small letters';
  /** Dots and blanks at the end are cut. */
  readonly cutsEnds: boolean;
  /** Characters that no name may have, and what is said to them. */
  readonly forbidden: string;
  readonly refusal: 'EINVAL' | 'EPERM' | 'EILSEQ' | 'EIO';
  /** What is no UTF-8 is refused with EILSEQ or EINVAL. */
  readonly isText: boolean;
  readonly most: number;
  readonly unit: 'bytes' | 'UTF-16';
}

export interface TimeSwitches {
  /** Nanoseconds: times are multiples of it. */
  readonly step: number;
  /** Seconds since 1970. */
  readonly earliest: number;
  readonly latest: number;
  /** What becomes of a time beyond. */
  readonly beyond: 'cut' | 'refused';
  /** Whether a read changes the time of access, as `relatime` does, or never does. */
  readonly atime: 'relative' | 'never';
}

export interface XattrSwitches {
  readonly user: boolean;
  readonly acl: boolean;
  /** `security.` and `trusted.`. */
  readonly others: boolean;
  /** Bytes of one value, and of all names and values of an inode. ENOSPC beyond. */
  readonly mostValue: number;
  readonly mostBytes: number;
}

export interface FileSystemSwitches {
  /** As the table of mounts has it. */
  readonly type: string;
  readonly renameNoReplace: Lack;
  readonly exchange: Lack;
  readonly links: Lack;
  readonly symlinks: Lack;
  readonly temporaryFiles: Lack;
  readonly reflink: boolean;
  readonly fifos: boolean;
  readonly mostLinks: number;
  readonly xattrs: XattrSwitches;
  /** null: it keeps modes and owners. Else all files have these, and `chmod` is refused or does nothing. */
  readonly fixed: {
    readonly uid: number;
    readonly gid: number;
    readonly file: number;
    readonly directory: number;
    readonly refusal: Lack;
  } | null;
  readonly birth: boolean;
  /** Whether it is told who has a file open to write. */
  readonly leases: 'kept' | 'unknown' | 'always';
  readonly names: NameSwitches;
  readonly times: TimeSwitches;
  readonly order: ListingOrder;
  /** Which number a new inode gets. */
  readonly numbers: 'lowest free' | 'last freed' | 'growing';
  /** Directories count their directories as links. */
  readonly countsDirectories: boolean;
  /** Blocks of 4,096 bytes, and inodes; null: as many as one likes. */
  readonly blocks: number | null;
  readonly inodes: number | null;
  /** A file that takes the place of another is written out first, so that a loss of power leaves the one or the other. */
  readonly writesOutOnReplace: boolean;
  /** What a write by a mapping does to the times: at once when it is the first of a page, or at msync and munmap. */
  readonly mappedTimes: 'first' | 'at sync';
  /** Whose changes are told to watches: of a network disk those of other machines are not. */
  readonly watches: 'told' | 'of this machine' | 'none';
  /** flock. */
  readonly locks: Lack;
  /** fsync of a directory. */
  readonly directorySync: Lack;
}

const NAMES: NameSwitches = {
  ignoresCase: false,
  ignoresForms: false,
  stored: 'as written',
  cutsEnds: false,
  forbidden: '',
  refusal: 'EINVAL',
  isText: false,
  most: 255,
  unit: 'bytes',
};

export const EXT4: FileSystemSwitches = {
  type: 'ext4',
  renameNoReplace: null,
  exchange: null,
  links: null,
  symlinks: null,
  temporaryFiles: null,
  reflink: false,
  fifos: true,
  mostLinks: 65_000,
  xattrs: { user: true, acl: true, others: true, mostValue: 65_536, mostBytes: 4000 },
  fixed: null,
  birth: true,
  leases: 'kept',
  names: NAMES,
  times: {
    step: 1,
    earliest: -(2 ** 31),
    latest: 2 ** 34 - 2 ** 31 - 1,
    beyond: 'cut',
    atime: 'relative',
  },
  order: 'hashed',
  numbers: 'lowest free',
  countsDirectories: true,
  blocks: null,
  inodes: null,
  writesOutOnReplace: true,
  mappedTimes: 'first',
  watches: 'told',
  locks: null,
  directorySync: null,
};

export const TMPFS: FileSystemSwitches = {
  ...EXT4,
  type: 'tmpfs',
  mostLinks: 2 ** 31,
  xattrs: { user: true, acl: true, others: true, mostValue: 65_536, mostBytes: 131_072 },
  times: { ...EXT4.times, earliest: -(2 ** 53), latest: 2 ** 53 },
  order: 'newest first',
  numbers: 'growing',
  writesOutOnReplace: false,
};

export const BTRFS: FileSystemSwitches = {
  ...EXT4,
  type: 'btrfs',
  reflink: true,
  xattrs: { user: true, acl: true, others: true, mostValue: 16_000, mostBytes: 2 ** 31 },
  times: { ...EXT4.times, earliest: -(2 ** 53), latest: 2 ** 53 },
  order: 'oldest first',
  numbers: 'growing',
  countsDirectories: false,
};

export const XFS: FileSystemSwitches = {
  ...EXT4,
  type: 'xfs',
  reflink: true,
  mostLinks: 2 ** 31,
  xattrs: { user: true, acl: true, others: true, mostValue: 65_536, mostBytes: 2 ** 31 },
  times: { ...EXT4.times, latest: 2 ** 31 - 1 },
  numbers: 'last freed',
  writesOutOnReplace: false,
};

const WINDOWS: NameSwitches = {
  ...NAMES,
  ignoresCase: true,
  forbidden: '"*:<>?|\\',
  isText: true,
  unit: 'UTF-16',
};

export const VFAT: FileSystemSwitches = {
  ...EXT4,
  type: 'vfat',
  exchange: 'EINVAL',
  links: 'EPERM',
  symlinks: 'EPERM',
  temporaryFiles: 'ENOTSUP',
  fifos: false,
  xattrs: { user: false, acl: false, others: false, mostValue: 0, mostBytes: 0 },
  fixed: { uid: 1000, gid: 1000, file: 0o755, directory: 0o755, refusal: 'EPERM' },
  birth: true,
  names: { ...WINDOWS, cutsEnds: true },
  times: {
    step: 2_000_000_000,
    earliest: 315_532_800,
    latest: 4_354_819_199,
    beyond: 'cut',
    atime: 'relative',
  },
  order: 'oldest first',
  numbers: 'growing',
  countsDirectories: false,
  writesOutOnReplace: false,
};

/** By FUSE: fewer calls, no leases to speak of, and no time of birth. */
export const FUSE: FileSystemSwitches = {
  ...EXT4,
  type: 'fuse.sshfs',
  renameNoReplace: 'EINVAL',
  exchange: 'EINVAL',
  temporaryFiles: 'ENOTSUP',
  fifos: false,
  birth: false,
  leases: 'always',
  xattrs: { user: false, acl: false, others: false, mostValue: 0, mostBytes: 0 },
  times: { ...EXT4.times, step: 1_000_000_000 },
  numbers: 'growing',
  writesOutOnReplace: false,
  watches: 'of this machine',
  directorySync: 'ENOSYS',
};

/** As ntfs-3g: it has second names, and numbers without a time of birth, which new files get again. */
export const NTFS: FileSystemSwitches = {
  ...FUSE,
  type: 'fuseblk',
  fixed: { uid: 1000, gid: 1000, file: 0o777, directory: 0o777, refusal: null },
  names: { ...NAMES, isText: true, unit: 'UTF-16' },
  times: { ...EXT4.times, step: 100 },
  order: 'oldest first',
  numbers: 'lowest free',
  directorySync: null,
};

export const NFS: FileSystemSwitches = {
  ...EXT4,
  type: 'nfs4',
  renameNoReplace: 'EINVAL',
  exchange: 'EINVAL',
  temporaryFiles: 'ENOTSUP',
  birth: false,
  leases: 'unknown',
  watches: 'of this machine',
  mappedTimes: 'at sync',
};

/** As a Mac's disk: one name for both cases and all forms, kept decomposed by the older of its file systems. */
export const HFS: FileSystemSwitches = {
  ...EXT4,
  type: 'hfsplus',
  renameNoReplace: null,
  exchange: 'EINVAL',
  temporaryFiles: 'ENOTSUP',
  names: {
    ...NAMES,
    ignoresCase: true,
    ignoresForms: true,
    stored: 'NFD',
    isText: true,
    unit: 'UTF-16',
  },
  times: { ...EXT4.times, step: 1_000_000_000, earliest: 0, latest: 2_212_122_495 },
  numbers: 'growing',
};

export const FILE_SYSTEMS: readonly FileSystemSwitches[] = [
  ...[EXT4, TMPFS, BTRFS, XFS, VFAT, FUSE, NFS, HFS, NTFS],
];
