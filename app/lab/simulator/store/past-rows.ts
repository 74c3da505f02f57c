/** The past of a volume (shared/model/history.ts) from the rows in memory. */
import { volumeOf } from '../../../../shared/model/fid.ts';
import type {
  OwnCommitsPage,
  PastNamesPage,
  PastVersionsPage,
} from '../../../../shared/model/history.ts';
import { compareNames } from '../../../../shared/model/names.ts';
import type { KeyOf } from '../../../../shared/model/stored.ts';
import { commitNumber, type VnodeStatus } from '../../../../shared/model/vnode.ts';
import { present } from '../../../../shared/util/assert.ts';
import type { PlainRows } from './plain-rows.ts';
import type { EntryRow, VersionedRows } from './versioned-rows.ts';

interface Rows {
  readonly versioned: VersionedRows;
  readonly plain: PlainRows;
}

/** Lists the versions of a file, newest first, `limit` at most and all below `before`. */
export function pastVersions(
  { versioned, plain }: Rows,
  { fid, before, limit }: KeyOf<'past-versions'>,
): PastVersionsPage {
  const rows = versioned
    .all(fid)
    .filter(({ kind, digest, links }) => kind === 'file' && digest !== null && links > 0);
  // Of one version the newest row tells what it was, and the oldest who made it.
  const newest = new Map<number, VnodeStatus>(rows.map((status) => [status.version, status]));
  const versions = [...newest.keys()]
    .filter((version) => version < (before ?? Infinity))
    .sort((a, b) => b - a);
  const told = versions.slice(0, limit).map((version) => {
    const status = present(newest.get(version), 'a version has a row');
    const first = present(
      rows.find((row) => row.version === version),
      'a version has a row',
    );
    const since = plain.momentOf(volumeOf(fid), first.commit);
    return { status, since, kept: plain.isKept(status.digest) };
  });
  return { versions: told, more: versions.length > limit };
}

/**
 * Lists the names that a directory has or had, `limit` at most and all after `after`. `name` null:
 * all of them.
 */
export function pastNames(
  { versioned, plain }: Rows,
  { dir, name, after, limit }: KeyOf<'past-names'>,
): PastNamesPage {
  const volume = volumeOf(dir);
  const rows = versioned
    .namesOf(dir)
    .filter((row) => (name === null || row.name === name) && isAfter(row, after));
  const names = rows.slice(0, limit).map((row) => {
    const now = present(versioned.vnode(row.fid), 'an entry names a vnode').status;
    const then = row.to === null ? now : versioned.at(row.fid, commitNumber(row.to - 1));
    return {
      name: row.name,
      fid: row.fid,
      since: plain.momentOf(volume, row.from),
      until: row.to === null ? null : plain.momentOf(volume, row.to),
      status: present(then, 'the vnode was there'),
      ended: now.links === 0,
    };
  });
  return { names, more: rows.length > limit };
}

function isAfter({ name, from }: EntryRow, after: KeyOf<'past-names'>['after']): boolean {
  if (after === null) return true;
  return compareNames(name, after.name) > 0 || (name === after.name && from > after.commit);
}

/** Lists the commits of one device with what each changed, newest first and `limit` at most. */
export function ownCommits(
  { versioned, plain }: Rows,
  { volume, device, before, limit }: KeyOf<'own-commits'>,
): OwnCommitsPage {
  const lines = plain.ownLog(volume, device, before);
  const commits = lines.slice(0, limit).map(({ commit, when }) => ({
    commit,
    when,
    names: versioned.namesChanged(volume, commit),
    vnodes: versioned.changes(volume, commit).vnodes.map((status) => {
      return { before: versioned.at(status.fid, commitNumber(commit - 1)), after: status };
    }),
  }));
  return { commits, more: lines.length > limit };
}
