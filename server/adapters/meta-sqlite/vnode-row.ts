/** Rows of the table `vnode`, and the look-ups by fid that all reads share. */
import { makeFid, parseFid, type Fid, type FidParts } from '../../../shared/model/fid.ts';
import type { StoredVnode } from '../../../shared/model/stored.ts';
import type {
  CommitNumber,
  DataVersion,
  Digest,
  Mtime,
  VnodeKind,
  VnodeStatus,
  Xattr,
} from '../../../shared/model/vnode.ts';
import { present } from '../../../shared/util/assert.ts';
import { parseStored } from './store-error.ts';
import type { Statements } from './statements.ts';

export const VNODE_COLUMNS =
  'volume, vnode, uniquifier, from_commit, to_commit, kind, mode, mtime, size, version, digest, target, links, entries, xattrs';

export interface VnodeRow {
  readonly volume: number;
  readonly vnode: number;
  readonly uniquifier: number;
  readonly from_commit: CommitNumber;
  readonly to_commit: CommitNumber | null;
  readonly kind: VnodeKind;
  readonly mode: number;
  readonly mtime: Mtime;
  readonly size: number;
  readonly version: DataVersion;
  readonly digest: Digest | null;
  readonly target: string | null;
  readonly links: number;
  readonly entries: number;
  readonly xattrs: string | null;
}

const BY_FID = `SELECT ${VNODE_COLUMNS} FROM vnode WHERE volume = ? AND vnode = ? AND uniquifier = ?`;

export function partsOf(fid: Fid): FidParts {
  return present(parseFid(fid), 'a fid of ours is well-formed', { fid });
}

/** The last row of a vnode: the present one. */
export function presentVnode(statements: Statements, fid: FidParts): VnodeRow | null {
  return statements.get<VnodeRow>(
    `${BY_FID} ORDER BY from_commit DESC LIMIT 1`,
    ...[fid.volume, fid.vnode, fid.uniquifier],
  );
}

/**
 * The row of a vnode as of a commit; null if it did not exist by then. The row may have ended
 * since.
 */
export function vnodeAt(statements: Statements, fid: FidParts, at: CommitNumber): VnodeRow | null {
  return statements.get<VnodeRow>(
    `${BY_FID} AND from_commit <= ? ORDER BY from_commit DESC LIMIT 1`,
    ...[fid.volume, fid.vnode, fid.uniquifier, at],
  );
}

/** The newest row with this data version under which the vnode had a name. */
export function vnodeOfVersion(
  statements: Statements,
  fid: FidParts,
  version: DataVersion,
): VnodeRow | null {
  return statements.get<VnodeRow>(
    `${BY_FID} AND version = ? AND links > 0 ORDER BY from_commit DESC LIMIT 1`,
    ...[fid.volume, fid.vnode, fid.uniquifier, version],
  );
}

/** The status of a vnode as the model has it. */
export function statusOf(row: VnodeRow): VnodeStatus {
  return {
    fid: makeFid(row.volume, row.vnode, row.uniquifier),
    kind: row.kind,
    mode: row.mode,
    mtime: row.mtime,
    size: row.size,
    version: row.version,
    commit: row.from_commit,
    digest: row.digest,
    target: row.target,
    links: row.links,
    xattrs: parseXattrs(row),
  };
}

export function storedVnode(row: VnodeRow): StoredVnode {
  return { status: statusOf(row), entries: row.entries };
}

/** Extended attributes as JSON for their column; null if there are none. */
export function formatXattrs(xattrs: readonly Xattr[]): string | null {
  if (xattrs.length === 0) return null;
  return JSON.stringify(xattrs.map(({ name, value }) => [name, value]));
}

function parseXattrs({ volume, vnode, xattrs }: VnodeRow): Xattr[] {
  if (xattrs === null) return [];
  const what = `the extended attributes of vnode ${volume}.${vnode}`;
  const pairs = parseStored<ReadonlyArray<readonly [string, string]>>(xattrs, what);
  return pairs.map(([name, value]) => ({ name, value }));
}
