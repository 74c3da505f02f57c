/**
 * All that a volume has as of one commit, row by row: each directory before what is in it, and each vnode with the first of its names.
 *
 * Rows as of a commit do not change, so the walk may be done a part at a time, while a server goes on. In memory are the numbers of
 * directories, and of the files with several names.
 */
import { ROOT_UNIQUIFIER, ROOT_VNODE, type VolumeId } from '../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Statements } from './statements.ts';
import { vnodeAt, type VnodeRow } from './vnode-row.ts';

/** A name, as the database has it (sort-name.ts). */
export interface WalkedName {
  readonly dir_vnode: number;
  readonly dir_uniquifier: number;
  readonly name: string;
  readonly vnode: number;
  readonly uniquifier: number;
}

export interface Walked {
  /** Null: it came before, with another name. */
  readonly row: VnodeRow | null;
  /** Null: it is the root. */
  readonly name: WalkedName | null;
}

type Place = Pick<VnodeRow, 'vnode' | 'uniquifier'>;

const NAMES =
  'SELECT dir_vnode, dir_uniquifier, name, vnode, uniquifier FROM entry' +
  ' WHERE volume = ? AND dir_vnode = ? AND dir_uniquifier = ? AND name > ?' +
  ' AND from_commit <= ? AND (to_commit IS NULL OR to_commit > ?) ORDER BY name LIMIT ?';
/** No name is empty, so this is before the first. */
const BEFORE_ALL = '';
/** Some milliseconds of work. */
const PAGE = 500;

/** Throws GodwitError `damaged-database`. */
export function* walkVolume(
  statements: Statements,
  volume: VolumeId,
  at: CommitNumber,
): Generator<Walked, void, undefined> {
  const rowOf = ({ vnode, uniquifier }: Place): VnodeRow => {
    const row = vnodeAt(statements, { volume, vnode, uniquifier }, at);
    if (row !== null && row.links > 0) return row;
    const what = `${volume}.${vnode}.${uniquifier} is named and not there`;
    throw new GodwitError('damaged-database', what);
  };
  const root = rowOf({ vnode: ROOT_VNODE, uniquifier: ROOT_UNIQUIFIER });
  yield { row: root, name: null };
  const directories: Place[] = [root];
  const withNames = new Set<string>();
  for (let next = directories.pop(); next !== undefined; next = directories.pop()) {
    for (const name of namesIn(statements, volume, next, at)) {
      const key = `${name.vnode}.${name.uniquifier}`;
      if (withNames.has(key)) {
        yield { row: null, name };
        continue;
      }
      const row = rowOf(name);
      if (row.kind === 'directory') directories.push(name);
      // Of a directory that a damaged database names twice the walk would have no end.
      if (row.kind === 'directory' || row.links > 1) withNames.add(key);
      yield { row, name };
    }
  }
}

function* namesIn(
  statements: Statements,
  volume: VolumeId,
  { vnode, uniquifier }: Place,
  at: CommitNumber,
): Generator<WalkedName, void, undefined> {
  let after = BEFORE_ALL;
  for (;;) {
    const key = [volume, vnode, uniquifier, after, at, at, PAGE];
    const page = statements.all<WalkedName>(NAMES, ...key);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.name;
  }
}
