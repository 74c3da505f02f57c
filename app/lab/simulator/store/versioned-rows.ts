/** Vnodes and entries of the MetaStore in memory: every row with the commits from which and to which it holds. */
import { compareNames } from '../../../../shared/model/names.ts';
import {
  compareFids,
  parseFid,
  ROOT_VNODE,
  volumeOf,
  type Fid,
  type VolumeId,
} from '../../../../shared/model/fid.ts';
import type { ChangeSet, EntryChange } from '../../../../shared/model/change.ts';
import type { NameChange } from '../../../../shared/model/history.ts';
import type {
  DirectoryPage,
  RowOf,
  RowWrite,
  StoredEntry,
  StoredVnode,
  VnodeBlock,
  VolumePage,
} from '../../../../shared/model/stored.ts';
import type { CommitNumber, DataVersion, VnodeStatus } from '../../../../shared/model/vnode.ts';
import { assert, present } from '../../../../shared/util/assert.ts';
import type { UndoLog } from './undo-log.ts';

interface VnodeRow {
  readonly row: StoredVnode;
  readonly ordinal: number;
  to: CommitNumber | null;
}

export interface EntryRow {
  readonly dir: Fid;
  readonly name: string;
  readonly fid: Fid;
  readonly from: CommitNumber;
  to: CommitNumber | null;
}

interface Commit {
  readonly vnodes: VnodeRow[];
  readonly set: EntryRow[];
  readonly freed: EntryRow[];
}

type VnodeWrite = Extract<RowWrite, { kind: 'vnode' }>;
type EntryWrite = Extract<RowWrite, { kind: 'entry' }>;

/** Plain data, so that it can be copied as it is. */
interface Tables {
  readonly vnodes: Map<Fid, VnodeRow[]>;
  /** By directory, then by name. */
  readonly entries: Map<Fid, Map<string, EntryRow[]>>;
  readonly names: Map<Fid, EntryRow[]>;
  readonly commits: Map<string, Commit>;
}

/** Reads and writes the vnodes and entries of the MetaStore in memory, with all their versions. */
export class VersionedRows {
  readonly #tables: Tables;

  constructor(
    tables: Tables = {
      vnodes: new Map(),
      entries: new Map(),
      names: new Map(),
      commits: new Map(),
    },
  ) {
    this.#tables = tables;
  }

  clone(): VersionedRows {
    return new VersionedRows(structuredClone(this.#tables));
  }

  /** A vnode was made of the block, whether it is there still or not. */
  hasAnyOf({ volume, first, count, uniquifier }: VnodeBlock): boolean {
    for (const fid of this.#tables.vnodes.keys()) {
      const parts = parseFid(fid);
      if (parts === null || parts.volume !== volume || parts.uniquifier !== uniquifier) continue;
      if (parts.vnode >= first && parts.vnode < first + count) return true;
    }
    return false;
  }

  writeVnode({ row, previous, ordinal }: VnodeWrite, undo: UndoLog): void {
    const { fid, commit } = row.status;
    const rows = this.#tables.vnodes.get(fid) ?? [];
    const last = rows.at(-1);
    const before = last?.row.status.commit ?? null;
    assert(before === previous, 'a vnode replaces its present row', { fid, previous, before });
    const made = { row, ordinal, to: null };
    const changes = this.#commit(volumeOf(fid), commit);
    if (last !== undefined) last.to = commit;
    rows.push(made);
    this.#tables.vnodes.set(fid, rows);
    changes.vnodes.push(made);
    undo.add(() => {
      if (last !== undefined) last.to = null;
      rows.pop();
      changes.vnodes.pop();
    });
  }

  writeEntry({ dir, name, fid, commit, previous }: EntryWrite, undo: UndoLog): void {
    const last = this.#tables.entries.get(dir)?.get(name)?.at(-1);
    const open = last?.to === null ? last : undefined;
    const before = open?.from ?? null;
    assert(before === previous, 'an entry replaces its present row', { dir, previous, before });
    const changes = this.#commit(volumeOf(dir), commit);
    if (open !== undefined) {
      open.to = commit;
      changes.freed.push(open);
      undo.add(() => {
        open.to = null;
        changes.freed.pop();
      });
    }
    if (fid !== null) this.#addEntry({ dir, name, fid, from: commit, to: null }, changes, undo);
  }

  #addEntry(row: EntryRow, changes: Commit, undo: UndoLog): void {
    const { dir, name, fid } = row;
    const { entries, names } = this.#tables;
    const inDir = entries.get(dir) ?? new Map<string, EntryRow[]>();
    const ofName = inDir.get(name) ?? [];
    const ofVnode = names.get(fid) ?? [];
    entries.set(dir, inDir.set(name, ofName));
    names.set(fid, ofVnode);
    const lists = [ofName, ofVnode, changes.set];
    for (const list of lists) list.push(row);
    undo.add(() => {
      for (const list of lists) list.pop();
    });
  }

  vnode(fid: Fid): StoredVnode | null {
    return this.#tables.vnodes.get(fid)?.at(-1)?.row ?? null;
  }

  entry(dir: Fid, name: string): StoredEntry | null {
    const last = this.#tables.entries.get(dir)?.get(name)?.at(-1);
    return last?.to === null ? { fid: last.fid, since: last.from } : null;
  }

  ancestors(fid: Fid): RowOf<'ancestors'> {
    const chain: Array<{ fid: Fid; dir: Fid }> = [];
    for (let at = fid; parseFid(at)?.vnode !== ROOT_VNODE;) {
      const row = this.#tables.names.get(at)?.find((each) => each.to === null);
      if (row === undefined) break;
      chain.push({ fid: at, dir: row.dir });
      at = row.dir;
    }
    return chain;
  }

  /** Without a bound: what a world holds is small. */
  height(fid: Fid): number {
    let height = -1;
    for (let level = [fid]; level.length > 0; height++) {
      level = level.flatMap((dir) =>
        [...(this.#tables.entries.get(dir)?.values() ?? [])].flatMap((rows) => {
          const last = rows.at(-1);
          const isThere = last?.to === null && this.vnode(last.fid)?.status.kind === 'directory';
          return isThere ? [last.fid] : [];
        }),
      );
    }
    return height;
  }

  version(fid: Fid, version: DataVersion): VnodeStatus | null {
    const rows = this.#tables.vnodes.get(fid) ?? [];
    const row = rows.findLast(
      ({ row: { status } }) => status.version === version && status.links > 0,
    );
    return row?.row.status ?? null;
  }

  directory(fid: Fid, at: CommitNumber, after: string | null, limit: number): DirectoryPage {
    const dir = this.#asOf(fid, at);
    const last = this.#tables.vnodes.get(fid)?.at(-1) ?? null;
    const rows = [...(this.#tables.entries.get(fid)?.values() ?? [])]
      .flatMap((versions) => versions.filter((row) => holds(row.from, row.to, at)))
      .filter(({ name }) => after === null || compareNames(name, after) > 0)
      .sort((a, b) => compareNames(a.name, b.name));
    const listed = rows.slice(0, limit).map(({ name, fid: child }) => ({
      name,
      row: present(this.#asOf(child, at), 'an entry names a vnode'),
    }));
    return {
      status: dir?.row.status ?? null,
      entries: listed.map(({ name, row }) => ({ name, status: row.row.status })),
      more: rows.length > limit,
      current: dir === last && listed.every(({ row }) => row.to === null),
    };
  }

  snapshot(volume: VolumeId, at: CommitNumber, after: Fid | null, limit: number): VolumePage {
    const start = after === null ? null : present(parseFid(after), 'a fid');
    const rows = [...this.#tables.vnodes.keys()]
      .filter((fid) => volumeOf(fid) === volume)
      .map((fid) => ({ parts: present(parseFid(fid), 'a fid'), row: this.#asOf(fid, at) }))
      .filter(({ parts }) => start === null || byNumber(parts, start) > 0)
      .sort((a, b) => byNumber(a.parts, b.parts))
      .flatMap(({ row }) => (row === null || row.row.status.links === 0 ? [] : [row.row.status]));
    return {
      vnodes: rows
        .slice(0, limit)
        .map((status) => ({ status, names: this.#placesOf(status.fid, at) })),
      more: rows.length > limit,
    };
  }

  changes(volume: VolumeId, commit: CommitNumber): Pick<ChangeSet, 'vnodes' | 'entries'> {
    const { vnodes, set, freed } = this.#commit(volume, commit);
    const again = new Set(set.map(({ dir, name }) => `${dir}/${name}`));
    const gone = freed.filter(({ dir, name }) => !again.has(`${dir}/${name}`));
    const inOrder = (rows: EntryRow[]) =>
      rows.sort((a, b) => compareFids(a.dir, b.dir) || compareNames(a.name, b.name));
    const entries: EntryChange[] = [
      ...inOrder(gone).map(({ dir, name }) => ({ dir, name, fid: null })),
      ...inOrder([...set]).map(({ dir, name, fid }) => ({ dir, name, fid })),
    ];
    const ordered = [...vnodes].sort((a, b) => a.ordinal - b.ordinal);
    return { vnodes: ordered.map(({ row }) => row.status), entries };
  }

  /** The row of a vnode as of a commit. */
  at(fid: Fid, at: CommitNumber): VnodeStatus | null {
    return this.#asOf(fid, at)?.row.status ?? null;
  }

  /** All rows of a vnode, the oldest first. */
  /** Every row of every vnode, those of one vnode together and the oldest first. `to`: null where it is the present one. */
  *histories(): Generator<ReadonlyArray<{ status: VnodeStatus; to: CommitNumber | null }>> {
    for (const rows of this.#tables.vnodes.values()) {
      yield rows.map(({ row, to }) => ({ status: row.status, to }));
    }
  }

  all(fid: Fid): VnodeStatus[] {
    return (this.#tables.vnodes.get(fid) ?? []).map(({ row }) => row.status);
  }

  /** All that the names of a directory stood for: in order of names, of one name the oldest first. */
  namesOf(dir: Fid): EntryRow[] {
    const rows = [...(this.#tables.entries.get(dir)?.values() ?? [])].flat();
    return rows.sort((a, b) => compareNames(a.name, b.name) || a.from - b.from);
  }

  /** What the names that a commit changed stood for before. */
  namesChanged(volume: VolumeId, commit: CommitNumber): NameChange[] {
    const { freed } = this.#commit(volume, commit);
    return this.changes(volume, commit).entries.map(({ dir, name, fid }) => {
      const before = freed.find((row) => row.dir === dir && row.name === name);
      return { dir, name, was: before?.fid ?? null, now: fid };
    });
  }

  #asOf(fid: Fid, at: CommitNumber): VnodeRow | null {
    const rows = this.#tables.vnodes.get(fid) ?? [];
    return rows.findLast(({ row }) => row.status.commit <= at) ?? null;
  }

  #placesOf(fid: Fid, at: CommitNumber) {
    return (this.#tables.names.get(fid) ?? [])
      .filter((row) => holds(row.from, row.to, at))
      .map(({ dir, name }) => ({ dir, name }))
      .sort((a, b) => compareFids(a.dir, b.dir) || compareNames(a.name, b.name));
  }

  #commit(volume: VolumeId, commit: CommitNumber): Commit {
    const key = `${volume} ${commit}`;
    const found = this.#tables.commits.get(key) ?? { vnodes: [], set: [], freed: [] };
    this.#tables.commits.set(key, found);
    return found;
  }
}

function holds(from: CommitNumber, to: CommitNumber | null, at: CommitNumber): boolean {
  return from <= at && (to === null || to > at);
}

function byNumber(
  a: { readonly vnode: number; readonly uniquifier: number },
  b: { readonly vnode: number; readonly uniquifier: number },
): number {
  return a.vnode - b.vnode || a.uniquifier - b.uniquifier;
}
