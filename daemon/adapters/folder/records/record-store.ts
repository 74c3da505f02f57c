/**
 * The records and held rows on the disk: loaded whole at the start, then only their changes are written, together with
 * the position in the feed, in one transaction.
 *
 * Each row is sealed (shared/sqlite/sealed-rows.ts). Where one is not as it was written, nothing of the records is used: they are set aside,
 * and the folder is looked at as if it were new. What is equal on both sides is taken as it is then; nothing is taken for a removal.
 */
import { join } from 'node:path';
import { RECORDS_FILE } from '../../../../shared/control/config.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { commitNumber, type CommitNumber } from '../../../../shared/model/vnode.ts';
import type {
  DataVersion,
  Digest,
  Mtime,
  VnodeKind,
  VnodeStatus,
  Xattr,
} from '../../../../shared/model/vnode.ts';
import { databaseError, openOwnDatabase, type Sqlite } from '../../../../shared/sqlite/database.ts';
import type { Row } from '../../../../shared/sqlite/sealed-rows.ts';
import { SealedRows, wordsOf } from '../../../../shared/sqlite/sealed-rows.ts';
import { isDatabaseThere, moveAside } from '../../../../shared/sqlite/set-aside.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { KeptStates } from '../kept-states.ts';
import { FolderRecords, type VnodeRecord } from './folder-records.ts';
import { HeldRows } from './held-rows.ts';

const MIGRATIONS = new URL('../../../../migrations/folder', import.meta.url);

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
  unused: number;
}

export interface Loaded {
  readonly records: FolderRecords;
  readonly held: HeldRows;
  /** The last run ended in good order, so that all it logged is in the records. */
  readonly clean: boolean;
  /** There were records, and they were set aside: what is in the view may be ours. */
  readonly anew: boolean;
}

/** What the records know the folder by, and which volume it is: of those that are set aside these go on. */
const GOES_ON = ['token', 'volume'];
const ANEW = 'anew';

const fileIn = (dataDir: string): string => join(dataDir, RECORDS_FILE);

/** Where the records of a folder are kept. What was saved is there at the next start, all of it or none, a power loss included. */
export type KeptRecords = Pick<RecordStore, 'state' | 'setState' | 'save' | 'close'>;

/** Reads and writes the records and held rows in the folder's database. */
export class RecordStore implements KeptStates {
  readonly #database: Sqlite;
  readonly #rows: SealedRows;
  readonly #state = new Map<string, string>();
  /** As written last by this process. */
  #position: CommitNumber | null | undefined = undefined;

  constructor(file: string) {
    this.#database = openOwnDatabase(file, MIGRATIONS.pathname);
    try {
      this.#rows = new SealedRows(this.#database);
      this.#all<{ key: string; value: string }>('state', ({ key, value }) => {
        this.#state.set(key, value);
      });
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  state(key: string): string | null {
    return this.#state.get(key) ?? null;
  }

  /** Throws `disk-full` and `disk-failing`. */
  setState(key: string, value: string): void {
    this.#write(() => this.#rows.table('state').put({ key, value }));
    this.#state.set(key, value);
  }

  /** Throws `damaged-database`; what was read until then is not to be used. */
  load(root: Fid): Loaded {
    const records = new FolderRecords(root);
    this.#whole<VnodeRow>('vnode', (row) => records.put(recordOf(row)));
    this.#whole<PlacedRow>('entry', ({ dir, name, fid, own }) => {
      records.link({ dir, name }, fid, own === 1);
    });
    this.#whole<PlacedRow>('freed', ({ dir, name, fid, own }) => {
      records.free({ dir, name }, fid, own === 1);
    });
    records.changesSaved();

    const held = new HeldRows();
    this.#whole<{ status: string }>('held_vnode', ({ status }) => {
      held.setVnode(JSON.parse(status) as VnodeStatus);
    });
    this.#whole<{ dir: Fid; name: string; fid: Fid | null }>('held_entry', (row) => {
      held.setEntry(row);
    });
    held.changesSaved();
    this.#rows.sealTheRest();

    const position = this.state('position');
    held.merged = position === null ? null : commitNumber(Number(position));
    return {
      records,
      held,
      clean: this.state('clean') === '1',
      anew: this.state(ANEW) === '1',
    };
  }

  /**
   * Writes what has changed. Nothing is written where nothing has. Throws `disk-full` and `disk-failing`; then nothing is written, and
   * what has changed is for the next time.
   */
  save(records: FolderRecords, held: HeldRows, told: string | null = null): void {
    const position = held.merged;
    const changes = records.changes();
    const rows = held.changes();
    const isSame = position === this.#position && records.changeCount === 0;
    if (isSame && rows.vnodes.length + rows.entries.length === 0) return;
    const state = new Map<string, string>();
    if (position !== null) state.set('position', String(position));
    if (told !== null) state.set('told', told);
    this.#write(() => {
      for (const { fid, record } of changes.vnodes) this.#writeVnode(fid, record);
      this.#writeEntries(changes.entries);
      this.#writeFreed(changes.freed);
      const [vnodes, entries] = [this.#rows.table('held_vnode'), this.#rows.table('held_entry')];
      for (const { fid, status } of rows.vnodes) {
        if (status === null) vnodes.drop([fid]);
        else vnodes.put({ fid, status: JSON.stringify(status) });
      }
      for (const { dir, name, row } of rows.entries) {
        if (row === null) entries.drop([dir, name]);
        else entries.put({ dir, name, fid: row.fid });
      }
      for (const [key, value] of state) this.#rows.table('state').put({ key, value });
    });
    for (const [key, value] of state) this.#state.set(key, value);
    records.changesSaved();
    held.changesSaved();
    this.#position = position;
  }

  close(): void {
    this.#database.close();
  }

  #writeVnode(fid: Fid, record: VnodeRecord | null): void {
    const table = this.#rows.table('vnode');
    if (record === null) return table.drop([fid]);
    const { kind, version, digest, size, mode, mtime, target, xattrs, disk } = record;
    const absent = new Set(record.absent ?? []);
    table.put({
      ...{ fid, kind, version, digest, size, mode, mtime, target },
      xattrs:
        xattrs.length === 0 ? null : JSON.stringify(xattrs.map((xattr) => rowOf(xattr, absent))),
      disk_inode: disk?.inode ?? null,
      disk_size: disk?.size ?? null,
      disk_mode: disk?.mode ?? null,
      disk_mtime: disk?.mtime ?? null,
      disk_ctime: disk?.ctime ?? null,
      placeholder: record.placeholder === true ? 1 : 0,
      unused: record.unused === true ? 1 : 0,
    });
  }

  #writeEntries(rows: ReturnType<FolderRecords['changes']>['entries']): void {
    const table = this.#rows.table('entry');
    for (const { dir, name, fid, own } of rows) {
      if (fid === null) table.drop([dir, name]);
      else table.put({ dir, name, fid, own: own ? 1 : 0 });
    }
  }

  #writeFreed(rows: ReturnType<FolderRecords['changes']>['freed']): void {
    const table = this.#rows.table('freed');
    for (const { place, fids } of rows) {
      const { dir, name } = place;
      table.drop([dir, name]);
      for (const { fid, own } of fids) table.put({ dir, name, fid, own: own ? 1 : 0 });
    }
  }

  /** All or nothing of it. Throws `disk-full` and `disk-failing`. */
  #write(work: () => void): void {
    try {
      this.#rows.write(work);
    } catch (error) {
      throw databaseError(error, this.#database.name);
    }
  }

  /** Throws before anybody builds on it. */
  #whole<R>(table: string, take: (row: R) => void): void {
    this.#all(table, take);
    const damage = this.#rows.found();
    if (damage.length === 0) return;
    const what = damage.map(wordsOf).join(', ');
    throw new GodwitError('damaged-database', `${this.#database.name} is damaged (${what})`);
  }

  #all<R>(table: string, take: (row: R) => void): void {
    this.#rows.table(table).load((row: Row) => take(row as unknown as R));
  }
}

/** Where something is, as a row. */
interface PlacedRow {
  dir: Fid;
  name: string;
  fid: Fid;
  own: number;
}

export interface OpenedRecords {
  readonly store: KeptRecords;
  readonly loaded: Loaded;
  /** What was found, for people, where the records were set aside; null: nothing was. */
  readonly lost: string | null;
}

/** The records of a folder; those that are damaged are set aside, and others begun. Throws what opening a database does. */
export function openRecords(dataDir: string, root: Fid): OpenedRecords {
  const open = (): Pick<OpenedRecords, 'store' | 'loaded'> => {
    let store: RecordStore | null = null;
    try {
      store = new RecordStore(fileIn(dataDir));
      return { store, loaded: store.load(root) };
    } catch (error) {
      store?.close();
      throw databaseError(error, fileIn(dataDir));
    }
  };
  try {
    return { ...open(), lost: null };
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code !== 'damaged-database') throw error;
    const aside = setRecordsAside(dataDir);
    const what = 'the folder is compared with the server as if it were new';
    return { ...open(), lost: `${error.message}: ${what}; the records are in ${aside ?? dataDir}` };
  }
}

/** The next start looks at the folder as if it were new, but knows it. Gives where the records are; null: there were none. */
export function setRecordsAside(dataDir: string): string | null {
  const file = fileIn(dataDir);
  if (!isDatabaseThere(file)) return null;
  const known = goesOn(file);
  const aside = moveAside(file, dataDir);
  const store = new RecordStore(file);
  try {
    for (const [key, value] of known) store.setState(key, value);
    store.setState(ANEW, '1');
  } finally {
    store.close();
  }
  return aside;
}

/** What of it can be believed. */
function goesOn(file: string): Array<[key: string, value: string]> {
  let store: RecordStore | null = null;
  try {
    store = new RecordStore(file);
    const known = new Map(GOES_ON.map((key) => [key, store?.state(key) ?? null] as const));
    return [...known].filter((each): each is [string, string] => each[1] !== null);
  } catch {
    return [];
  } finally {
    store?.close();
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
    ...(row.unused === 1 ? { unused: true } : {}),
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
