/**
 * The change feed: commits of a volume as change sets, put together from the rows that each of them began and ended.
 *
 * A row of `entry` that ended is a name freed, unless the same commit gave the name anew: that shows once, with the new fid.
 */
import type { ChangeSet, DeviceId, EntryChange } from '../../../shared/model/change.ts';
import { makeFid } from '../../../shared/model/fid.ts';
import type { FeedPage, KeyOf } from '../../../shared/model/stored.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { CommitNumber, VnodeStatus } from '../../../shared/model/vnode.ts';
import { markIn } from './copy-mark.ts';
import { headOf } from './read-listings.ts';
import { fromSortName } from './sort-name.ts';
import type { Statements } from './statements.ts';
import { statusOf, VNODE_COLUMNS, type VnodeRow } from './vnode-row.ts';

interface LogRow {
  readonly number: CommitNumber;
  readonly device: DeviceId;
  readonly seq: UpdateSeq;
  readonly copy_of: string | null;
}

interface EntryRow {
  readonly dir_vnode: number;
  readonly dir_uniquifier: number;
  readonly name: string;
  readonly changed: CommitNumber;
  readonly vnode: number;
  readonly uniquifier: number;
}

const LOG =
  'SELECT number, device, seq, copy_of FROM commit_log WHERE volume = ? AND number > ? ORDER BY number LIMIT ?';

const VNODES =
  `SELECT ${VNODE_COLUMNS} FROM vnode INDEXED BY vnode_by_commit` +
  ' WHERE volume = ? AND from_commit > ? AND from_commit <= ? ORDER BY from_commit, ordinal';

function entriesBy(column: 'from_commit' | 'to_commit', index: string): string {
  return (
    `SELECT dir_vnode, dir_uniquifier, name, ${column} AS changed, vnode, uniquifier` +
    ` FROM entry INDEXED BY ${index} WHERE volume = ? AND ${column} > ? AND ${column} <= ?` +
    ` ORDER BY ${column}, dir_vnode, dir_uniquifier, name`
  );
}

const SET = entriesBy('from_commit', 'entry_by_from');
const FREED = entriesBy('to_commit', 'entry_by_to');

/**
 * Up to `limit` commits after `since` as change sets, oldest first, and up to which commit the page
 * goes.
 */
export function feedPage(statements: Statements, key: KeyOf<'changes'>): FeedPage {
  const { volume, since, limit } = key;
  const log = statements.all<LogRow>(LOG, volume, since, limit);
  const last = log.at(-1)?.number;
  if (last === undefined) return { commits: [], upTo: headOf(statements, volume) };
  const range = [volume, since, last] as const;
  const vnodes = new ByCommit<VnodeStatus>();
  for (const row of statements.all<VnodeRow>(VNODES, ...range)) {
    vnodes.add(row.from_commit, statusOf(row));
  }
  const entries = new ByCommit<EntryChange>();
  const set = statements.all<EntryRow>(SET, ...range);
  const setAgain = new Set(set.map(placeText));
  // What is freed comes before what is set.
  for (const row of statements.all<EntryRow>(FREED, ...range)) {
    if (!setAgain.has(placeText(row))) entries.add(row.changed, changeOf(volume, row, false));
  }
  for (const row of set) entries.add(row.changed, changeOf(volume, row, true));
  const commits = log.map(({ number, device, seq, copy_of: mark }): ChangeSet => {
    const changed = { vnodes: vnodes.of(number), entries: entries.of(number) };
    return { commit: number, device, seq, ...changed, ...markIn(mark) };
  });
  return { commits, upTo: log.length < limit ? headOf(statements, volume) : last };
}

class ByCommit<T> {
  readonly #lists = new Map<CommitNumber, T[]>();

  add(commit: CommitNumber, item: T): void {
    const list = this.#lists.get(commit);
    if (list === undefined) this.#lists.set(commit, [item]);
    else list.push(item);
  }

  of(commit: CommitNumber): readonly T[] {
    return this.#lists.get(commit) ?? [];
  }
}

/** A name has no slash. */
function placeText(row: EntryRow): string {
  return `${row.changed}/${row.dir_vnode}/${row.dir_uniquifier}/${row.name}`;
}

function changeOf(volume: number, row: EntryRow, isSet: boolean): EntryChange {
  return {
    dir: makeFid(volume, row.dir_vnode, row.dir_uniquifier),
    name: fromSortName(row.name),
    fid: isSet ? makeFid(volume, row.vnode, row.uniquifier) : null,
  };
}
