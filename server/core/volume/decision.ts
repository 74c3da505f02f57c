/** What deciding an update comes to, and the small steps that all updates are made of. */
import type { DeviceId } from '../../../shared/model/change.ts';
import { parseFid, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { isMountPoint } from '../../../shared/model/mount-point.ts';
import type { EpochCut, StoredEntry, StoredVnode } from '../../../shared/model/stored.ts';
import type { Refusal } from '../../../shared/model/update.ts';
import {
  dataVersion,
  type CommitNumber,
  type Mtime,
  type VnodeKind,
  type VnodeStatus,
} from '../../../shared/model/vnode.ts';
import type { RowView } from '../commit/row-view.ts';
import type { DepthBound, VolumeDepth } from './depth.ts';

/** The device that makes the update, and the commit that it becomes. */
export interface Maker {
  readonly device: DeviceId;
  readonly volume: VolumeId;
  readonly commit: CommitNumber;
  /** The parts of the volume's history that were lost (rule I1). */
  readonly cuts: readonly EpochCut[];
  /** Bytes that its files may grow by (its quota). */
  readonly free: number;
  /** How deep its directories may be by now (depth.ts). */
  readonly depth: VolumeDepth;
  /** Whether it may see a volume: one that is not there looks like one that it may not (rule A5). */
  readonly sees: (volume: VolumeId) => boolean;
}

/** A vnode before and after the update; `before` null: it is new. */
export interface VnodeStep {
  readonly before: StoredVnode | null;
  readonly after: StoredVnode;
}

/** A name in a directory before and after the update; null: nothing has it. */
export interface EntryStep {
  readonly dir: Fid;
  readonly name: string;
  readonly before: StoredEntry | null;
  readonly fid: Fid | null;
}

/** What the update changes. */
export interface Accepted {
  readonly ok: true;
  /** In the order of the fids' first mention by the update. */
  readonly vnodes: readonly VnodeStep[];
  /** What is freed comes before what is set. */
  readonly entries: readonly EntryStep[];
  /** How deep directories may be then; left out: no directory is made or moved. */
  readonly depth?: DepthBound;
}

/** Refused for good: the refusal is the update's result. */
export interface Refused {
  readonly ok: false;
  readonly refusal: Refusal;
  readonly existing: VnodeStatus | null;
}

/** Its quota does not let the volume grow by so much. No refusal for good: nothing is recorded, and it may come again. */
export interface OverQuota {
  readonly ok: false;
  readonly growth: number;
}

/** What it comes to is not known before what is staged is durable. */
export interface Undecided {
  readonly ok: false;
  readonly waits: true;
}

/** What becomes of an update. */
export type Decision = Accepted | Refused | OverQuota | Undecided;

/** `existing`: the vnode in the way, for the device that resolves the conflict. */
export function refused(refusal: Refusal, existing: VnodeStatus | null = null): Refused {
  return { ok: false, refusal, existing };
}

/** `depth`: left out where no directory is made or moved. */
export function accepted(
  vnodes: readonly VnodeStep[],
  entries: readonly EntryStep[],
  depth?: DepthBound,
): Accepted {
  return { ok: true, vnodes, entries, ...(depth === undefined ? {} : { depth }) };
}

/** A directory that is there and may have entries, or the refusal. Nothing is in a mount point, whoever asks (M2). */
export function directoryOf(view: RowView, fid: Fid): StoredVnode | Refused {
  const row = view.live(fid);
  if (row === null) return refused('no-such-vnode');
  if (row.status.kind !== 'directory') return refused('wrong-kind', row.status);
  return isMountPoint(row.status) ? refused('no-right') : row;
}

/** Whether a step of a decision came to a refusal. */
export function isRefused(value: object): value is Refused {
  return 'refusal' in value;
}

/** `existing` of a refusal because of an entry: what has the name. */
export function holderOf(view: RowView, entry: StoredEntry): VnodeStatus | null {
  return view.vnode(entry.fid)?.status ?? null;
}

/** The directory after its entries changed: version + 1, `delta` entries more. */
export function changedDirectory(
  before: StoredVnode,
  delta: number,
  at: Mtime,
  maker: Maker,
): VnodeStep {
  const { status } = before;
  return {
    before,
    after: {
      status: {
        ...status,
        mtime: at,
        version: dataVersion(status.version + 1),
        commit: maker.commit,
      },
      entries: before.entries + delta,
    },
  };
}

/** The vnode with one name more or less; with none left it has ended. */
export function relinked(before: StoredVnode, delta: number, maker: Maker): VnodeStep {
  const { status } = before;
  return {
    before,
    after: {
      status: { ...status, links: status.links + delta, commit: maker.commit },
      entries: before.entries,
    },
  };
}

/**
 * Is this a fid that the device may give to a new vnode: of this volume, in a block of its own, never used? Blocks are what keeps two devices that
 * are offline from making the same fid (rule I3). The owner of a block from a lost part of the history is unknown: a vnode made from it keeps its fid
 * when any device offers it again (rule I1).
 */
export function mayBecomeNew(view: RowView, fid: Fid, maker: Maker): boolean {
  const parts = parseFid(fid);
  if (parts === null || parts.volume !== maker.volume) return false;
  const block = view.block(parts.volume, parts.uniquifier);
  const used = view.vnode(fid);
  if (used !== null) return false;
  const { uniquifier, vnode } = parts;
  if (block === null || vnode < block.first || vnode >= block.first + block.count) {
    // Not given here: by an epoch that ended, or by one that began with the same backup and is lost whole.
    return maker.cuts.some(({ lostFrom }) => lostFrom <= uniquifier);
  }
  // In a later epoch a vnode that another device made may be known to this one only.
  return block.device === maker.device || maker.cuts.length > 0;
}

/** Same kind of thing, as far as a rename over it cares. */
export function isDirectory(kind: VnodeKind): boolean {
  return kind === 'directory';
}
