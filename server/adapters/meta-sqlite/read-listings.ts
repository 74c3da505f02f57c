/**
 * Pages of listings as of one commit: of a directory, of a volume.
 *
 * The present rows have an index of their own, so a page as of the newest commit costs nothing for all that ever was there;
 * one as of an older commit passes over the rows that had ended by then, or began later.
 */
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { DirectoryPage, KeyOf, VolumePage } from '../../../shared/model/stored.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { namesAt } from './entry-row.ts';
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

interface NamedRow {
  readonly name: string;
  readonly vnode: number;
  readonly uniquifier: number;
}

const HELD_AT = 'from_commit <= ? AND (to_commit IS NULL OR to_commit > ?)';

/** No name is empty, so this is before the first. */
const BEFORE_ALL = '';

function entriesOf(index: 'present' | 'all'): string {
  const [source, condition] =
    index === 'present'
      ? ['entry INDEXED BY entry_present', 'to_commit IS NULL AND ? = ?']
      : ['entry', HELD_AT];
  return (
    `SELECT name, vnode, uniquifier FROM ${source}` +
    ` WHERE volume = ? AND dir_vnode = ? AND dir_uniquifier = ? AND name > ? AND ${condition}` +
    ' ORDER BY name LIMIT ?'
  );
}

function vnodesOf(index: 'present' | 'all'): string {
  const [source, condition] =
    index === 'present'
      ? ['vnode INDEXED BY vnode_present', 'to_commit IS NULL AND ? = ?']
      : ['vnode', HELD_AT];
  return (
    `SELECT ${VNODE_COLUMNS} FROM ${source}` +
    ` WHERE volume = ? AND (vnode, uniquifier) > (?, ?) AND ${condition} AND links > 0` +
    ' ORDER BY vnode, uniquifier LIMIT ?'
  );
}

const ENTRIES = { present: entriesOf('present'), all: entriesOf('all') };
const VNODES = { present: vnodesOf('present'), all: vnodesOf('all') };

/** The newest commit of a volume; 0 where there is no such volume. */
export function headOf(statements: Statements, volume: VolumeId): CommitNumber {
  const row = statements.get<{ head: CommitNumber }>(
    'SELECT head FROM volume WHERE id = ?',
    volume,
  );
  return row?.head ?? (0 as CommitNumber);
}

/** A page of a directory's entries as of a commit, in the order of names. */
export function directoryPage(statements: Statements, key: KeyOf<'directory'>): DirectoryPage {
  const dir = partsOf(key.fid);
  const { at, limit } = key;
  const held = vnodeAt(statements, dir, at);
  const index = headOf(statements, dir.volume) <= at ? 'present' : 'all';
  const after = key.after === null ? BEFORE_ALL : toSortName(key.after);
  const rows = statements.all<NamedRow>(
    ENTRIES[index],
    ...[dir.volume, dir.vnode, dir.uniquifier, after, at, at, limit + 1],
  );
  const listed = rows.slice(0, limit).map(({ name, vnode, uniquifier }) => {
    const row = vnodeAt(statements, { volume: dir.volume, vnode, uniquifier }, at);
    if (row === null) {
      throw new GodwitError('damaged-database', `an entry of ${key.fid} names nothing`);
    }
    return { name: fromSortName(name), row };
  });
  const present = held ?? presentVnode(statements, dir);
  return {
    status: held === null ? null : statusOf(held),
    entries: listed.map(({ name, row }) => ({ name, status: statusOf(row) })),
    more: rows.length > limit,
    current:
      present === held &&
      [...(held === null ? [] : [held]), ...listed.map(({ row }) => row)].every(isPresent),
  };
}

/**
 * A page of a volume's vnodes as of a commit, in the order of their fids, with the entries of
 * directories.
 */
export function volumePage(statements: Statements, key: KeyOf<'snapshot'>): VolumePage {
  const { volume, at, limit } = key;
  const after = key.after === null ? { vnode: 0, uniquifier: 0 } : partsOf(key.after);
  const index = headOf(statements, volume) <= at ? 'present' : 'all';
  const rows = statements.all<VnodeRow>(
    VNODES[index],
    ...[volume, after.vnode, after.uniquifier, at, at, limit + 1],
  );
  return {
    vnodes: rows.slice(0, limit).map((row) => {
      const { vnode, uniquifier } = row;
      return {
        status: statusOf(row),
        names: namesAt(statements, { volume, vnode, uniquifier }, at),
      };
    }),
    more: rows.length > limit,
  };
}

function isPresent(row: VnodeRow): boolean {
  return row.to_commit === null;
}
