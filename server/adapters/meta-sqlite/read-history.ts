/**
 * The past of a volume (shared/model/history.ts), from the rows that have ended and the log of commits.
 *
 * Each page is bounded by its limit, and each item of it by a few look-ups by key: a long history costs nothing but room.
 */
import { makeFid, type Fid, type FidParts } from '../../../shared/model/fid.ts';
import type {
  Moment,
  NameChange,
  OwnCommit,
  OwnCommitsPage,
  PastName,
  PastNamesPage,
  PastVersionsPage,
} from '../../../shared/model/history.ts';
import type { KeyOf } from '../../../shared/model/stored.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import {
  commitNumber,
  EMPTY_DIGEST,
  type CommitNumber,
  type DataVersion,
  type Digest,
} from '../../../shared/model/vnode.ts';
import { present } from '../../../shared/util/assert.ts';
import { fromSortName, toSortName } from './sort-name.ts';
import type { Statements } from './statements.ts';
import {
  partsOf,
  presentVnode,
  statusOf,
  vnodeAt,
  VNODE_COLUMNS,
  type VnodeRow,
} from './vnode-row.ts';

const VERSIONS =
  'SELECT version, min(from_commit) AS first, max(from_commit) AS last FROM vnode' +
  ' WHERE volume = ? AND vnode = ? AND uniquifier = ?' +
  " AND kind = 'file' AND digest IS NOT NULL AND links > 0 AND version < ?" +
  ' GROUP BY version ORDER BY version DESC LIMIT ?';

const MOMENT =
  'SELECT number, when_ms, device, device.name FROM commit_log' +
  ' LEFT JOIN device ON device.id = commit_log.device WHERE volume = ? AND number = ?';

const IN_DIRECTORY =
  'SELECT name, from_commit, to_commit, vnode, uniquifier FROM entry' +
  ' WHERE volume = ? AND dir_vnode = ? AND dir_uniquifier = ?';

const OWN =
  'SELECT number, when_ms FROM commit_log INDEXED BY commit_by_device' +
  ' WHERE volume = ? AND device = ? AND number < ? ORDER BY number DESC LIMIT ?';

const WRITTEN = `SELECT ${VNODE_COLUMNS} FROM vnode INDEXED BY vnode_by_commit WHERE volume = ? AND from_commit = ? ORDER BY ordinal`;

function entriesBy(column: 'from_commit' | 'to_commit', index: string): string {
  return (
    `SELECT dir_vnode, dir_uniquifier, name, vnode, uniquifier FROM entry INDEXED BY ${index}` +
    ` WHERE volume = ? AND ${column} = ? ORDER BY dir_vnode, dir_uniquifier, name`
  );
}

const SET = entriesBy('from_commit', 'entry_by_from');
const FREED = entriesBy('to_commit', 'entry_by_to');

interface EntryRow {
  readonly dir_vnode: number;
  readonly dir_uniquifier: number;
  readonly name: string;
  readonly vnode: number;
  readonly uniquifier: number;
}

interface NameRow {
  readonly name: string;
  readonly from_commit: CommitNumber;
  readonly to_commit: CommitNumber | null;
  readonly vnode: number;
  readonly uniquifier: number;
}

/** A page of the past data versions of a file, newest first, `limit` at most. */
export function pastVersions(
  statements: Statements,
  { fid, before, limit }: KeyOf<'past-versions'>,
): PastVersionsPage {
  const parts = partsOf(fid);
  const rows = statements.all<{ version: DataVersion; first: CommitNumber; last: CommitNumber }>(
    VERSIONS,
    ...[parts.volume, parts.vnode, parts.uniquifier],
    ...[before ?? Number.MAX_SAFE_INTEGER, limit + 1],
  );
  const versions = rows.slice(0, limit).map(({ first, last }) => {
    const status = statusOf(rowAt(statements, parts, last));
    const kept = isKept(statements, status.digest);
    return { status, since: momentOf(statements, parts.volume, first), kept };
  });
  return { versions, more: rows.length > limit };
}

/** A page of what had a name (or any name) in a directory, in the order of names and commits. */
export function pastNames(
  statements: Statements,
  { dir, name, after, limit }: KeyOf<'past-names'>,
): PastNamesPage {
  const { volume, vnode, uniquifier } = partsOf(dir);
  const [condition, ...values] =
    name === null
      ? [' AND (name, from_commit) > (?, ?)', after === null ? '' : toSortName(after.name)]
      : [' AND name = ? AND from_commit > ?', toSortName(name)];
  const rows = statements.all<NameRow>(
    `${IN_DIRECTORY}${condition} ORDER BY name, from_commit LIMIT ?`,
    ...[volume, vnode, uniquifier],
    ...[...values, after?.commit ?? 0, limit + 1],
  );
  const names = rows.slice(0, limit).map((row) => pastName(statements, volume, row));
  return { names, more: rows.length > limit };
}

function pastName(statements: Statements, volume: number, row: NameRow): PastName {
  const parts = { volume, vnode: row.vnode, uniquifier: row.uniquifier } as FidParts;
  const { to_commit: to } = row;
  const now = present(presentVnode(statements, parts), 'an entry names a vnode');
  return {
    name: fromSortName(row.name),
    fid: makeFid(parts.volume, parts.vnode, parts.uniquifier),
    since: momentOf(statements, volume, row.from_commit),
    until: to === null ? null : momentOf(statements, volume, to),
    status: statusOf(to === null ? now : rowAt(statements, parts, commitNumber(to - 1))),
    ended: now.links === 0,
  };
}

/** A page of the commits that a device made in a volume, newest first, with what each changed. */
export function ownCommits(
  statements: Statements,
  { volume, device, before, limit }: KeyOf<'own-commits'>,
): OwnCommitsPage {
  const rows = statements.all<{ number: CommitNumber; when_ms: WallTime }>(
    OWN,
    ...[volume, device, before ?? Number.MAX_SAFE_INTEGER, limit + 1],
  );
  const commits = rows.slice(0, limit).map(({ number, when_ms }): OwnCommit => {
    const written = statements.all<VnodeRow>(WRITTEN, volume, number);
    return {
      commit: number,
      when: when_ms,
      names: namesChanged(statements, volume, number),
      vnodes: written.map((row) => {
        const before = vnodeAt(statements, partsOf(statusOf(row).fid), commitNumber(number - 1));
        return { before: before === null ? null : statusOf(before), after: statusOf(row) };
      }),
    };
  });
  return { commits, more: rows.length > limit };
}

/** In the order of the feed: what is freed comes before what is set. */
function namesChanged(statements: Statements, volume: number, commit: CommitNumber): NameChange[] {
  const set = statements.all<EntryRow>(SET, volume, commit);
  const freed = statements.all<EntryRow>(FREED, volume, commit);
  const before = new Map(freed.map((row) => [placeText(row), vnodeFid(volume, row)]));
  const again = new Set(set.map(placeText));
  const change = (row: EntryRow, was: Fid | null, now: Fid | null): NameChange => {
    const dir = makeFid(volume, row.dir_vnode, row.dir_uniquifier);
    return { dir, name: fromSortName(row.name), was, now };
  };
  return [
    ...freed
      .filter((row) => !again.has(placeText(row)))
      .map((row) => change(row, vnodeFid(volume, row), null)),
    ...set.map((row) => change(row, before.get(placeText(row)) ?? null, vnodeFid(volume, row))),
  ];
}

const vnodeFid = (volume: number, row: EntryRow): Fid => makeFid(volume, row.vnode, row.uniquifier);

/** A name has no slash. */
const placeText = (row: EntryRow): string => `${row.dir_vnode}/${row.dir_uniquifier}/${row.name}`;

function momentOf(statements: Statements, volume: number, commit: CommitNumber): Moment {
  const row = statements.get<{ when_ms: WallTime; device: number; name: string | null }>(
    MOMENT,
    volume,
    commit,
  );
  const { when_ms: when, device, name: deviceName } = present(row, 'a row is of a commit');
  return { commit, when, device, deviceName };
}

function rowAt(statements: Statements, fid: FidParts, at: CommitNumber): VnodeRow {
  return present(vnodeAt(statements, fid, at), 'the vnode was there', { ...fid, at });
}

/** The row of contents is removed before the contents (rule D4). */
export function isKept(statements: Statements, digest: Digest | null): boolean {
  if (digest === null) return false;
  if (digest === EMPTY_DIGEST) return true;
  return statements.get('SELECT 1 FROM content WHERE digest = ?', digest) !== null;
}
