/**
 * The records and held rows on the disk: loaded whole at the start, then only their changes are written, together with
 * the position in the feed, in one transaction.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import { commitNumber, type CommitNumber } from '../../../shared/model/vnode.ts';
import type {
  DataVersion,
  Digest,
  Mtime,
  VnodeKind,
  VnodeStatus,
  Xattr,
} from '../../../shared/model/vnode.ts';
import type { Statement } from 'better-sqlite3';
import { databaseError, openOwnDatabase, type Sqlite } from '../../../shared/sqlite/database.ts';
import { FolderRecords, type VnodeRecord } from './folder-records.ts';
import { HeldRows } from './held-rows.ts';

const MIGRATIONS = new URL('../../../migrations/folder/', import.meta.url);

interface VnodeRow {
  fid: Fid;
  kind: VnodeKind;
  version: DataVersion;
  digest: Digest | null;
  size: number;
  mode: number;
  mtime: Mtime;
  target: string | null;
  xattrs: string | null;
  disk_inode: string | null;
  disk_size: number | null;
  disk_mode: number | null;
  disk_mtime: Mtime | null;
  disk_ctime: string | null;
  placeholder: number;
}

export interface Loaded {
  readonly records: FolderRecords;
  readonly held: HeldRows;
  /** null: no snapshot has been taken yet. */
  readonly position: CommitNumber | null;
  /** The last run ended in good order, so that all it logged is in the records. */
  readonly clean: boolean;
}

export class RecordStore {
  readonly #database: Sqlite;
  /** As written last by this process. */
  #position: CommitNumber | null | undefined = undefined;

  constructor(file: string) {
    this.#database = openOwnDatabase(file, MIGRATIONS.pathname);
  }

  state(key: string): string | null {
    const row = this.#database.prepare('SELECT value FROM state WHERE key = ?').get(key);
    return (row as { value: string } | undefined)?.value ?? null;
  }

  /** Throws `disk-full` and `disk-failing`. */
  setState(key: string, value: string): void {
    try {
      this.#run('INSERT OR REPLACE INTO state (key, value) VALUES (?, ?)', key, value);
    } catch (error) {
      throw databaseError(error, this.#database.name);
    }
  }

  load(root: Fid): Loaded {
    const records = new FolderRecords(root);
    for (const row of this.#all<VnodeRow>('SELECT * FROM vnode')) records.put(recordOf(row));
    const entries = this.#all<{ dir: Fid; name: string; fid: Fid; own: number }>(
      'SELECT * FROM entry',
    );
    for (const { dir, name, fid, own } of entries) records.link({ dir, name }, fid, own === 1);
    const freed = this.#all<{ dir: Fid; name: string; fid: Fid; own: number }>(
      'SELECT * FROM freed',
    );
    for (const { dir, name, fid, own } of freed) records.free({ dir, name }, fid, own === 1);
    records.changesSaved();

    const held = new HeldRows();
    for (const { status } of this.#all<{ status: string }>('SELECT status FROM held_vnode'))
      held.setVnode(JSON.parse(status) as VnodeStatus);
    for (const row of this.#all<{ dir: Fid; name: string; fid: Fid | null }>(
      'SELECT * FROM held_entry',
    ))
      held.setEntry(row);
    held.changesSaved();

    const position = this.state('position');
    return {
      records,
      held,
      position: position === null ? null : commitNumber(Number(position)),
      clean: this.state('clean') === '1',
    };
  }

  /**
   * Writes what has changed. Nothing is written where nothing has. Throws `disk-full` and `disk-failing`; then nothing is written, and
   * what has changed is for the next time.
   */
  save(
    records: FolderRecords,
    held: HeldRows,
    position: CommitNumber | null,
    told: string | null = null,
  ): void {
    const changes = records.changes();
    const rows = held.changes();
    const isSame = position === this.#position && records.changeCount === 0;
    if (isSame && rows.vnodes.length + rows.entries.length === 0) return;
    const write = this.#database.transaction(() => {
      for (const { fid, record } of changes.vnodes) this.#writeVnode(fid, record);
      this.#writeEntries(changes.entries);
      this.#writeFreed(changes.freed);
      for (const { fid, status } of rows.vnodes) {
        if (status === null) this.#run('DELETE FROM held_vnode WHERE fid = ?', fid);
        else
          this.#run('INSERT OR REPLACE INTO held_vnode VALUES (?, ?)', fid, JSON.stringify(status));
      }
      for (const { dir, name, row } of rows.entries) {
        if (row === null) this.#run('DELETE FROM held_entry WHERE dir = ? AND name = ?', dir, name);
        else this.#run('INSERT OR REPLACE INTO held_entry VALUES (?, ?, ?)', dir, name, row.fid);
      }
      if (position !== null) this.setState('position', String(position));
      if (told !== null) this.setState('told', told);
    });
    try {
      write.immediate();
    } catch (error) {
      throw databaseError(error, this.#database.name);
    }
    records.changesSaved();
    held.changesSaved();
    this.#position = position;
  }

  close(): void {
    this.#database.close();
  }

  #writeVnode(fid: Fid, record: VnodeRecord | null): void {
    if (record === null) {
      this.#run('DELETE FROM vnode WHERE fid = ?', fid);
      return;
    }
    const { kind, version, digest, size, mode, mtime, target, xattrs, placeholder, disk } = record;
    const absent = new Set(record.absent ?? []);
    this.#run(
      'INSERT OR REPLACE INTO vnode VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[fid, kind, version, digest, size, mode, mtime, target],
      xattrs.length === 0 ? null : JSON.stringify(xattrs.map((xattr) => rowOf(xattr, absent))),
      ...[disk?.inode ?? null, disk?.size ?? null, disk?.mode ?? null],
      ...[disk?.mtime ?? null, disk?.ctime ?? null],
      placeholder === true ? 1 : 0,
    );
  }

  #writeEntries(rows: ReturnType<FolderRecords['changes']>['entries']): void {
    for (const { dir, name, fid, own } of rows) {
      if (fid === null) this.#run('DELETE FROM entry WHERE dir = ? AND name = ?', dir, name);
      else
        this.#run('INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?)', dir, name, fid, own ? 1 : 0);
    }
  }

  #writeFreed(rows: ReturnType<FolderRecords['changes']>['freed']): void {
    for (const { place, fids } of rows) {
      const { dir, name } = place;
      this.#run('DELETE FROM freed WHERE dir = ? AND name = ?', dir, name);
      for (const { fid, own } of fids) {
        this.#run('INSERT INTO freed VALUES (?, ?, ?, ?)', dir, name, fid, own ? 1 : 0);
      }
    }
  }

  readonly #statements = new Map<string, Statement<unknown[]>>();

  #run(sql: string, ...values: Array<string | number | null>): void {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare<unknown[]>(sql);
      this.#statements.set(sql, statement);
    }
    statement.run(...values);
  }

  #all<Row>(sql: string): Row[] {
    return this.#database.prepare(sql).all() as Row[];
  }
}

/** An attribute, and whether this disk does not take it. */
type XattrRow = Xattr & { readonly absent?: true };

function rowOf(xattr: Xattr, absent: ReadonlySet<string>): XattrRow {
  return absent.has(xattr.name) ? { ...xattr, absent: true } : xattr;
}

function xattrsOf(text: string | null): Pick<VnodeRecord, 'xattrs' | 'absent'> {
  if (text === null) return { xattrs: [] };
  const rows = JSON.parse(text) as XattrRow[];
  const away = rows.filter(({ absent }) => absent === true).map(({ name }) => name);
  const xattrs = rows.map(({ name, value }) => ({ name, value }));
  return away.length === 0 ? { xattrs } : { xattrs, absent: away };
}

function recordOf(row: VnodeRow): VnodeRecord {
  const { fid, kind, version, digest, size, mode, mtime, target, disk_inode: inode } = row;
  return {
    ...{ fid, kind, version, digest, size, mode, mtime, target },
    ...xattrsOf(row.xattrs),
    ...(row.placeholder === 1 ? { placeholder: true } : {}),
    disk:
      inode === null
        ? null
        : {
            inode,
            size: row.disk_size ?? 0,
            mode: row.disk_mode ?? 0,
            // One text in memory for both, where they are equal.
            mtime: row.disk_mtime === mtime ? mtime : (row.disk_mtime ?? mtime),
            ctime: row.disk_ctime ?? '',
          },
  };
}
