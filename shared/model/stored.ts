/**
 * The rows that a server keeps: what its core reads, and what it writes. The MetaStore port carries them; how they lie in
 * a database is the adapter's task.
 *
 * Metadata is versioned: each vnode and each entry holds from one commit (`status.commit`, `since`) to another. A key
 * without a commit means the present row.
 */
import type { RightSet } from './access-list.ts';
import type { ChangeSet, DeviceId, Rights } from './change.ts';
import type { Fid, VolumeId } from './fid.ts';
import type { OwnCommitsPage, PastNamesPage, PastVersionsPage } from './history.ts';
import type { NamedSnapshot } from './snapshots.ts';
import type { OrderedVnode, SharingOrder } from './sharing.ts';
import type { WallTime } from './time.ts';
import type { CopyMark, UpdateNonce, UpdateResult, UpdateSeq } from './update.ts';
import type { CommitNumber, DataVersion, Digest, VnodeStatus } from './vnode.ts';

/** A vnode as of one commit. One whose `links` is 0 has ended; its row stays, so that its fid is never given again. */
export interface StoredVnode {
  readonly status: VnodeStatus;
  /** How many entries a directory has; 0 for others. */
  readonly entries: number;
}

export interface StoredEntry {
  readonly fid: Fid;
  /** The commit that set it. */
  readonly since: CommitNumber;
}

/** Vnode numbers `first` ... `first + count - 1` under one uniquifier, for the files one device makes (rule I3). */
export interface VnodeBlock {
  readonly volume: VolumeId;
  readonly first: number;
  readonly count: number;
  readonly uniquifier: number;
  readonly device: DeviceId;
}

/** "This vnode is about to change, by updates of this device" (rules P3, S2): one for each vnode and device. */
export interface DirtyMark {
  readonly fid: Fid;
  readonly device: DeviceId;
  /** The last of them: it ends with that one. Null: until the device withdraws it. */
  readonly seq: UpdateSeq | null;
}

/** A run of a daemon, as its Hello names it. Empty: an old daemon that names none; all its runs count as one. */
export type DaemonInstance = string;

/** Who may hold a lease. */
export interface LeaseRow {
  readonly device: DeviceId;
  readonly run: DaemonInstance;
}

/** What a user, and so each of its devices, may do in one volume. */
export interface Access {
  readonly volume: VolumeId;
  readonly name: string;
  readonly rights: Rights;
  /** What its devices may do, where `rights` says more or less than that; left out: just what they say. */
  readonly may?: RightSet;
  /** The volume is a tombstone: it may come back, and nobody uses it until then. */
  readonly isRemoved?: true;
}

/** The result of an update, kept for devices that ask again (rule W4). */
export interface StoredResult {
  readonly result: UpdateResult;
  /** Null: it came without one, or is older than names are. */
  readonly name: UpdateNonce | null;
}

export interface StoredDevice {
  readonly id: DeviceId;
  /** Lower-case hex SHA-256 of its certificate. */
  readonly fingerprint: string;
  readonly name: string;
  readonly user: number;
  readonly userName: string;
  readonly revoked: boolean;
  /** The incarnation its data folder has (rule I2); null before the first Hello. */
  readonly incarnation: string | null;
  /** Results of updates below are no longer kept (rule W4). */
  readonly lowWater: UpdateSeq;
  /** The highest update with a result that is kept; `lowWater - 1` where there is none. */
  readonly highest: UpdateSeq;
  /** In order of volumes. */
  readonly access: readonly Access[];
  /** The home volume of its user, or that of the invitation which it uses just now; left out: there is none. */
  readonly home?: VolumeId;
}

export interface StoredInvitation {
  readonly id: string;
  /** Lower-case hex SHA-256 of the secret's text. */
  readonly secretHash: string;
  readonly user: number;
  readonly userName: string;
  readonly volume: VolumeId;
  readonly rights: Rights;
  readonly expires: WallTime;
  /** The fingerprint of the device that used it, or null. */
  readonly redeemedBy: string | null;
  /** What the user may do before this invitation. */
  readonly access: readonly Access[];
  /** What the user may do there once it is used; null: nothing that shows the volume. Left out: what they might before, and its rights. */
  readonly becomes?: Pick<Access, 'rights' | 'may'> | null;
  /** The name of the volume it is for. */
  readonly volumeName: string;
  /** The row `device-names` of the user: a device that is paired gets another name. */
  readonly deviceNames: readonly NamedDevice[];
  /** That volume is a tombstone. */
  readonly isRemoved?: true;
}

export interface StoredVolume {
  readonly id: VolumeId;
  readonly name: string;
  readonly head: CommitNumber;
  /** The highest uniquifier given to a block, or 1. */
  readonly lastUniquifier: number;
  /** Its quota in bytes; null: none. */
  readonly limit: number | null;
  /** Bytes of the contents of its files, as the present commit has them. */
  readonly used: number;
}

/** The volumes of a server, removed ones included, in order of their numbers. */
export type StoredVolumes = Pick<StoredState, 'volumes' | 'cuts'>;

export interface NamedDevice {
  readonly id: DeviceId;
  readonly name: string;
  /** When it was paired. */
  readonly since: WallTime;
}

export interface DirectoryPage {
  /** Null where the directory did not exist as of that commit. */
  readonly status: VnodeStatus | null;
  readonly entries: ReadonlyArray<{ readonly name: string; readonly status: VnodeStatus }>;
  readonly more: boolean;
  /** The directory and every vnode listed is the present one, as far as this read saw. */
  readonly current: boolean;
}

export interface FeedPage {
  readonly commits: readonly ChangeSet[];
  /** Every commit up to here was seen by this read. */
  readonly upTo: CommitNumber;
}

export interface VolumePage {
  readonly vnodes: ReadonlyArray<{
    readonly status: VnodeStatus;
    readonly names: ReadonlyArray<{ readonly dir: Fid; readonly name: string }>;
  }>;
  readonly more: boolean;
}

/** Each kind of row: by what it is asked for, and what comes. */
export interface RowKinds {
  vnode: { key: { readonly fid: Fid }; row: StoredVnode | null };
  entry: { key: { readonly dir: Fid; readonly name: string }; row: StoredEntry | null };
  /**
   * A directory and those above it, up to the root: each with the directory that it is in. Of several keys of a load, each may lack what
   * another has; of directories too deep the end is missing.
   */
  ancestors: {
    key: { readonly fid: Fid };
    row: ReadonlyArray<{ readonly fid: Fid; readonly dir: Fid }>;
  };
  /**
   * How many directories are below one another in this one, at most; more than MAX_DEPTH where that is not found out by looking at `most` names
   * (null: however many). `asOf` is part of the key: another value is another row.
   */
  height: {
    key: { readonly fid: Fid; readonly most: number | null; readonly asOf: number };
    row: number;
  };
  applied: {
    key: { readonly device: DeviceId; readonly seq: UpdateSeq };
    row: StoredResult | null;
  };
  block: {
    key: { readonly volume: VolumeId; readonly uniquifier: number };
    row: VnodeBlock | null;
  };
  /** Blocks of a device of which nothing was ever made, by their uniquifiers; `limit` of them at most. */
  'unused-blocks': {
    key: { readonly volume: VolumeId; readonly device: DeviceId; readonly limit: number };
    row: readonly number[];
  };
  device: { key: { readonly fingerprint: string }; row: StoredDevice | null };
  /** Of the devices of a user that are not revoked, by their numbers. */
  'device-names': { key: { readonly user: number }; row: readonly NamedDevice[] };
  /** All of them: for a server that meets one that it does not know yet. */
  volumes: { key: unknown; row: StoredVolumes };
  invitation: { key: { readonly id: string }; row: StoredInvitation | null };
  /** The newest status that had this data version, among those that were ever committed. */
  version: {
    key: { readonly fid: Fid; readonly version: DataVersion };
    row: VnodeStatus | null;
  };
  directory: {
    key: {
      readonly fid: Fid;
      readonly at: CommitNumber;
      readonly after: string | null;
      readonly limit: number;
    };
    row: DirectoryPage;
  };
  changes: {
    key: { readonly volume: VolumeId; readonly since: CommitNumber; readonly limit: number };
    row: FeedPage;
  };
  snapshot: {
    key: {
      readonly volume: VolumeId;
      readonly at: CommitNumber;
      readonly after: Fid | null;
      readonly limit: number;
    };
    row: VolumePage;
  };
  /** The past (history.ts): of a file, of the names of a directory, of what one device did. */
  'past-versions': {
    key: { readonly fid: Fid; readonly before: DataVersion | null; readonly limit: number };
    row: PastVersionsPage;
  };
  'past-names': {
    key: {
      readonly dir: Fid;
      /** Null: all. */
      readonly name: string | null;
      readonly after: { readonly name: string; readonly commit: CommitNumber } | null;
      readonly limit: number;
    };
    row: PastNamesPage;
  };
  /** Those of a volume, the oldest first: MAX_SNAPSHOTS at most. */
  'named-snapshots': {
    key: { readonly volume: VolumeId };
    row: readonly NamedSnapshot[];
  };
  'own-commits': {
    key: {
      readonly volume: VolumeId;
      readonly device: DeviceId;
      readonly before: CommitNumber | null;
      readonly limit: number;
    };
    row: OwnCommitsPage;
  };
}

export type RowKind = keyof RowKinds;
export type RowKey = {
  [K in RowKind]: { readonly kind: K } & RowKinds[K]['key'];
}[RowKind];
export type KeyOf<K extends RowKind> = { readonly kind: K } & RowKinds[K]['key'];
export type RowOf<K extends RowKind> = RowKinds[K]['row'];
export type AnyRow = RowOf<RowKind>;

/** What one group commit writes, in this order, all or nothing. */
export type RowWrite =
  | {
      /** The present row of a vnode; the one of commit `previous` (null: there is none) holds until then. */
      readonly kind: 'vnode';
      readonly row: StoredVnode;
      readonly previous: CommitNumber | null;
      /** Its place among the vnodes of its commit. */
      readonly ordinal: number;
    }
  | {
      /** `fid` null: the name is free from `commit`. `previous` as for a vnode. */
      readonly kind: 'entry';
      readonly dir: Fid;
      readonly name: string;
      readonly fid: Fid | null;
      readonly commit: CommitNumber;
      readonly previous: CommitNumber | null;
    }
  | {
      readonly kind: 'log';
      readonly volume: VolumeId;
      readonly commit: CommitNumber;
      readonly device: DeviceId;
      readonly seq: UpdateSeq;
      readonly when: WallTime;
      /** Of the name that it sets (rule C4); left out: nothing was said. */
      readonly copyOf?: CopyMark;
    }
  | {
      readonly kind: 'applied';
      readonly device: DeviceId;
      readonly result: UpdateResult;
      readonly name?: UpdateNonce | null;
    }
  | {
      /** Results below are dropped. */
      readonly kind: 'low-water';
      readonly device: DeviceId;
      readonly lowWater: UpdateSeq;
    }
  | ({ readonly kind: 'dirty' } & DirtyMark)
  | { readonly kind: 'clean'; readonly device: DeviceId; readonly fid: Fid }
  | {
      readonly kind: 'device';
      readonly id: DeviceId;
      readonly fingerprint: string;
      readonly name: string;
      readonly user: number;
      readonly incarnation: string;
      readonly previousIncarnation: string | null;
      readonly when: WallTime;
    }
  | {
      readonly kind: 'device-name';
      readonly id: DeviceId;
      readonly name: string;
    }
  | {
      /** The invitation is used up, and its user gets its rights. */
      readonly kind: 'redeemed';
      readonly id: string;
      readonly fingerprint: string;
      readonly user: number;
      readonly volume: VolumeId;
      readonly rights: Rights;
      readonly when: WallTime;
    }
  | ({ readonly kind: 'block' } & VnodeBlock)
  /** It may hold a lease: a server that starts anew must wait for it. */
  | ({ readonly kind: 'lease' } & LeaseRow)
  | ({ readonly kind: 'no-lease' } & LeaseRow)
  /** A user's order about its sharing; null: none (any more). */
  | { readonly kind: 'sharing'; readonly fid: Fid; readonly order: SharingOrder | null }
  /** These contents are in the content store, and a vnode names them. */
  | { readonly kind: 'content'; readonly digest: Digest; readonly size: number }
  | {
      /** The bytes of the files of a volume, `previous` before: always those of its vnodes. */
      readonly kind: 'used';
      readonly volume: VolumeId;
      readonly used: number;
      readonly previous: number;
    };

/**
 * The end of an epoch in one volume (rule I1): the store was restored from a backup. What the epoch committed after `last` is
 * lost here; the next epoch goes on at `first`, later than any commit that anybody can know of the lost part.
 */
export interface EpochCut {
  readonly epoch: string;
  readonly volume: VolumeId;
  readonly last: CommitNumber;
  readonly first: CommitNumber;
  /** Blocks given in the lost part have uniquifiers from here ... */
  readonly lostFrom: number;
  /** ... to here: whose they were is not known any more. */
  readonly lostTo: number;
}

/** What a server knows when it begins. */
export interface StoredState {
  readonly epoch: string;
  /** The ends of the epochs before, in their order. */
  readonly cuts: readonly EpochCut[];
  readonly volumes: readonly StoredVolume[];
  readonly dirty: readonly DirtyMark[];
  /** Who may hold a lease of the process before (rule P1), by device and run; device 0: some that the store does not know. */
  readonly leases: readonly LeaseRow[];
  /** In order of fids. */
  readonly sharing: readonly OrderedVnode[];
  readonly nextDevice: DeviceId;
  /** Of each user with devices that are not revoked, the newest of these. */
  readonly newestDevices: ReadonlyArray<{ readonly user: number; readonly device: DeviceId }>;
}

/** What a store makes when it is empty. */
export interface FirstState {
  readonly epoch: string;
  readonly volumeName: string;
  readonly userName: string;
  readonly when: WallTime;
}

/** The rights of a device as they are now. */
export interface DeviceAccess {
  readonly device: DeviceId;
  /** Left out: it is called as before. */
  readonly name?: string;
  readonly revoked: boolean;
  readonly access: readonly Access[];
}
