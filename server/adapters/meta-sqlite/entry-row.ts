/** Rows of the table `entry`: look-ups by name, and by the vnode that is named. */
import { makeFid, ROOT_VNODE, type Fid, type FidParts } from '../../../shared/model/fid.ts';
import type { RowOf, StoredEntry } from '../../../shared/model/stored.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import { MAX_DEPTH } from '../../limits.ts';
import { fromSortName, toSortName } from './sort-name.ts';
import type { Statements } from './statements.ts';
import { partsOf } from './vnode-row.ts';

const PRESENT_ENTRY =
  'SELECT vnode, uniquifier, from_commit FROM entry INDEXED BY entry_present' +
  ' WHERE volume = ? AND dir_vnode = ? AND dir_uniquifier = ? AND name = ? AND to_commit IS NULL';

const PRESENT_DIRECTORY =
  'SELECT dir_vnode, dir_uniquifier FROM entry INDEXED BY entry_by_vnode' +
  ' WHERE volume = ? AND vnode = ? AND uniquifier = ? AND to_commit IS NULL LIMIT 1';

const NAMES_AT =
  'SELECT dir_vnode, dir_uniquifier, name FROM entry INDEXED BY entry_by_vnode' +
  ' WHERE volume = ? AND vnode = ? AND uniquifier = ?' +
  ' AND from_commit <= ? AND (to_commit IS NULL OR to_commit > ?)' +
  ' ORDER BY dir_vnode, dir_uniquifier, name';

/** What a name in a directory leads to now, and since which commit; null if the name is free. */
export function presentEntry(statements: Statements, dir: Fid, name: string): StoredEntry | null {
  const { volume, vnode, uniquifier } = partsOf(dir);
  const row = statements.get<{ vnode: number; uniquifier: number; from_commit: CommitNumber }>(
    PRESENT_ENTRY,
    ...[volume, vnode, uniquifier, toSortName(name)],
  );
  if (row === null) return null;
  return { fid: makeFid(volume, row.vnode, row.uniquifier), since: row.from_commit };
}

/**
 * From a directory up to the root, which is in none, or to one that was `walked` before. A database that is damaged, or older than the limit, may
 * go on and on: what is beyond the limit is left out.
 */
export function ancestorsOf(
  statements: Statements,
  directory: Fid,
  walked: Set<Fid>,
): RowOf<'ancestors'> {
  const chain: Array<{ fid: Fid; dir: Fid }> = [];
  let fid = directory;
  let parts = partsOf(fid);
  while (parts.vnode !== ROOT_VNODE && !walked.has(fid) && chain.length <= MAX_DEPTH) {
    walked.add(fid);
    const row = statements.get<{ dir_vnode: number; dir_uniquifier: number }>(
      PRESENT_DIRECTORY,
      ...[parts.volume, parts.vnode, parts.uniquifier],
    );
    if (row === null) break;
    const dir = makeFid(parts.volume, row.dir_vnode, row.dir_uniquifier);
    chain.push({ fid, dir });
    fid = dir;
    parts = { volume: parts.volume, vnode: row.dir_vnode, uniquifier: row.dir_uniquifier };
  }
  return chain;
}

/** The names that a vnode had as of a commit, in order of directories, then of names. */
export function namesAt(
  statements: Statements,
  { volume, vnode, uniquifier }: FidParts,
  at: CommitNumber,
): Array<{ dir: Fid; name: string }> {
  const rows = statements.all<{ dir_vnode: number; dir_uniquifier: number; name: string }>(
    NAMES_AT,
    ...[volume, vnode, uniquifier, at, at],
  );
  return rows.map((row) => ({
    dir: makeFid(volume, row.dir_vnode, row.dir_uniquifier),
    name: fromSortName(row.name),
  }));
}
