/** Updates that give a name to something: create, mkdir, symlink, link. */
import { parseFid, type Fid } from '../../../shared/model/fid.ts';
import { mountTarget } from '../../../shared/model/mount-point.ts';
import { utf8Length } from '../../../shared/model/names.ts';
import type { Update } from '../../../shared/model/update.ts';
import { dataVersion, type VnodeStatus } from '../../../shared/model/vnode.ts';
import { MAX_DEPTH, MAX_LINKS } from '../../limits.ts';
import type { RowView } from '../commit/row-view.ts';
import {
  accepted,
  changedDirectory,
  directoryOf,
  holderOf,
  isRefused,
  mayBecomeNew,
  refused,
  relinked,
  type Decision,
  type Maker,
  type Refused,
} from './decision.ts';
import { climb, withMade, type DepthBound } from './depth.ts';

type Make = Extract<Update, { op: 'create' | 'mkdir' | 'symlink' }>;
type Link = Extract<Update, { op: 'link' }>;

/**
 * Refusals in this order: the directory, the fid of a vnode that is there under another name, the name, the fid, what it mounts, the depth. (A device that offers a
 * vnode again learns that it is made, even if another device has offered it and renamed it since.) A new vnode has data version 0.
 */
export function decideMake(update: Make, view: RowView, maker: Maker): Decision {
  const dir = directoryOf(view, update.dir);
  if (isRefused(dir)) return dir;
  const taken = view.entry(update.dir, update.name);
  const holder = holderOfFid(view, update.fid, maker);
  if (holder !== null && taken?.fid !== update.fid) return refused('fid-in-use', holder);
  if (taken !== null) return refused('name-taken', holderOf(view, taken));
  if (!mayBecomeNew(view, update.fid, maker)) return refused('fid-in-use');
  const fault = update.op === 'mkdir' ? mountFault(update, maker) : null;
  if (fault !== null) return fault;
  const depth = update.op === 'mkdir' ? depthOfNew(update.dir, view, maker) : undefined;
  if (depth === 'too-deep') return refused('too-deep');
  const made = { before: null, after: { status: newStatus(update, maker), entries: 0 } };
  return accepted(
    [made, changedDirectory(dir, 1, update.at, maker)],
    [{ dir: update.dir, name: update.name, before: null, fid: update.fid }],
    depth,
  );
}

/** Rule M2: nobody mounts what they may not see, and no volume lies in itself. Null: no fault. */
function mountFault({ mounts }: Extract<Make, { op: 'mkdir' }>, maker: Maker): Refused | null {
  if (mounts === undefined) return null;
  if (mounts === maker.volume) return refused('cycle');
  return maker.sees(mounts) ? null : refused('no-right');
}

function depthOfNew(dir: Fid, view: RowView, maker: Maker): DepthBound | 'too-deep' {
  const above = climb(view, dir, null);
  if (above === 'too-deep' || above === MAX_DEPTH) return 'too-deep';
  const { bound } = maker.depth;
  return typeof above === 'number' ? withMade(bound, above + 1) : bound;
}

/** Refusals in this order: the vnode, the directory, the name. */
export function decideLink(update: Link, view: RowView, maker: Maker): Decision {
  const row = view.live(update.fid);
  const dir = directoryOf(view, update.dir);
  const taken = view.entry(update.dir, update.name);
  if (row === null) return refused('no-such-vnode');
  // A directory has one name, or paths would have cycles. MAX_LINKS bounds an item of a snapshot.
  if (row.status.kind === 'directory' || row.status.links >= MAX_LINKS) {
    return refused('wrong-kind', row.status);
  }
  if (isRefused(dir)) return dir;
  if (taken !== null) return refused('name-taken', holderOf(view, taken));
  return accepted(
    [relinked(row, 1, maker), changedDirectory(dir, 1, update.at, maker)],
    [{ dir: update.dir, name: update.name, before: null, fid: update.fid }],
  );
}

/** What has the fid already, as far as this volume's writers may know it. */
function holderOfFid(view: RowView, fid: Fid, maker: Maker): VnodeStatus | null {
  if (parseFid(fid)?.volume !== maker.volume) return null;
  return view.live(fid)?.status ?? null;
}

function newStatus(update: Make, maker: Maker): VnodeStatus {
  const common = {
    fid: update.fid,
    mtime: update.mtime,
    version: dataVersion(0),
    commit: maker.commit,
    digest: null,
    links: 1,
  };
  if (update.op === 'symlink') {
    const size = utf8Length(update.target);
    return { ...common, kind: 'symlink', mode: 0o777, size, target: update.target, xattrs: [] };
  }
  return {
    ...common,
    kind: update.op === 'mkdir' ? 'directory' : 'file',
    mode: update.mode,
    size: 0,
    target:
      update.op === 'mkdir' && update.mounts !== undefined ? mountTarget(update.mounts) : null,
    xattrs: update.xattrs,
  };
}
