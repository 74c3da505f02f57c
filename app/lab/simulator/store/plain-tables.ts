/** The tables of the MetaStore in memory that have no versions. */
import type { AccessEntry, RightSet, Team } from '../../../../shared/model/access-list.ts';
import type { DeviceId, Rights } from '../../../../shared/model/change.ts';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import type {
  DirtyMark,
  EpochCut,
  LeaseRow,
  NamedDevice,
  StoredDevice,
  StoredInvitation,
  StoredResult,
  VnodeBlock,
} from '../../../../shared/model/stored.ts';
import type { OrderedVnode } from '../../../../shared/model/sharing.ts';
import type { NamedSnapshot } from '../../../../shared/model/snapshots.ts';
import type { WallTime } from '../../../../shared/model/time.ts';
import type { CopyMark, UpdateSeq } from '../../../../shared/model/update.ts';
import type { CommitNumber } from '../../../../shared/model/vnode.ts';

export interface LogLine {
  readonly commit: CommitNumber;
  readonly device: DeviceId;
  readonly seq: UpdateSeq;
  readonly when: WallTime;
  readonly copyOf?: CopyMark;
}

export interface VolumeRow {
  readonly id: VolumeId;
  readonly name: string;
  /** Commits 1, 2, 3 ..., but for the leap at the beginning of an epoch. */
  readonly log: LogLine[];
  readonly limit: number | null;
  readonly used: number;
  readonly isRemoved?: boolean;
  /** A person made it at a laptop. */
  readonly made?: { readonly by: number; readonly nonce: string };
}

export interface RightsRow {
  readonly user: number;
  readonly volume: VolumeId;
  readonly rights: Rights;
  /** Left out: what `rights` says, and no more. */
  readonly set?: RightSet;
  /** Who gave it at a laptop. */
  readonly by?: number;
}

export type DeviceRow = Omit<StoredDevice, 'userName' | 'highest' | 'access'> &
  Pick<NamedDevice, 'since'>;
export type InvitationRow = Omit<
  StoredInvitation,
  'userName' | 'access' | 'volumeName' | 'deviceNames' | 'isRemoved' | 'becomes'
>;

/** Plain data, so that it can be copied as it is. */
export interface Tables {
  readonly volumes: Map<VolumeId, VolumeRow>;
  readonly users: Map<number, string>;
  /** By user and volume. */
  readonly rights: Map<string, RightsRow>;
  /** Rows of access lists that name teams, or deny something; and the teams. */
  readonly lists: { readonly entries: AccessEntry[]; readonly teams: Team[]; lastTeam: number };
  readonly devices: Map<DeviceId, DeviceRow>;
  readonly invitations: Map<string, InvitationRow>;
  readonly applied: Map<DeviceId, Map<UpdateSeq, StoredResult>>;
  readonly dirty: Map<string, DirtyMark>;
  /** By device and run. */
  readonly leases: Map<string, LeaseRow>;
  readonly sharing: Map<Fid, OrderedVnode>;
  /** By volume and uniquifier. */
  readonly blocks: Map<string, VnodeBlock>;
  /** Sizes by digest. */
  readonly contents: Map<string, number>;
  readonly cuts: EpochCut[];
  readonly snapshots: Map<VolumeId, NamedSnapshot[]>;
}

/** Makes the tables of a MetaStore that has no rows. */
export function emptyTables(): Tables {
  return {
    volumes: new Map(),
    users: new Map(),
    rights: new Map(),
    lists: { entries: [], teams: [], lastTeam: 0 },
    devices: new Map(),
    invitations: new Map(),
    applied: new Map(),
    dirty: new Map(),
    leases: new Map(),
    sharing: new Map(),
    blocks: new Map(),
    contents: new Map(),
    cuts: [],
    snapshots: new Map(),
  };
}
