/**
 * Where each content lies in the packs (migrations/contents), in SQLite.
 *
 * It is not synced at each commit: opening the packs continues from the length that each had when it was indexed last
 * (recover-packs.ts). Later records win, whatever the order of `apply`: it compares places.
 */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Digest } from '../../../shared/model/vnode.ts';
import { databaseError, openDatabase, type Sqlite } from '../../../shared/sqlite/database.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { PackId } from './pack-name.ts';
import type { Found } from './record.ts';

export interface Place {
  readonly pack: number;
  readonly mark: string;
  readonly offset: number;
  readonly length: number;
  readonly when: number;
}

export interface IndexedPack extends PackId {
  readonly length: number;
}

const MIGRATIONS = fileURLToPath(new URL('../../../migrations/contents/', import.meta.url));
/** Random digests touch a page each: those of a million contents stay in memory. In KiB, negative as SQLite has it. */
const CACHE = -96_000;
/** In pages. Each checkpoint costs two syncs, on this thread: rare ones. */
const CHECKPOINT = 16_384;

/** Finds the pack and offset of each content, in SQLite. It can be rebuilt from the packs. */
export class PackIndex {
  readonly #database: Sqlite;
  readonly #get;
  readonly #put;
  readonly #drop;
  readonly #bury;
  readonly #length;
  readonly #touch;

  /** `damaged` is called if the index can't be read and is dropped; null: it is left alone, and the error is thrown. */
  static open(file: string, damaged: (() => void) | null): PackIndex {
    try {
      return new PackIndex(openDatabase(file, MIGRATIONS));
    } catch (error) {
      const isDamaged = error instanceof GodwitError && error.code === 'damaged-database';
      if (!isDamaged || damaged === null) throw error;
      damaged();
      PackIndex.drop(file);
      return new PackIndex(openDatabase(file, MIGRATIONS));
    }
  }

  /** It must not be open. */
  static drop(file: string): void {
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  }

  private constructor(database: Sqlite) {
    this.#database = database;
    database.pragma('synchronous = NORMAL');
    database.pragma(`cache_size = ${CACHE}`);
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT}`);
    this.#get = database.prepare<[Buffer], Place>(
      'SELECT pack, mark, offset, place.length, when_ms AS "when" FROM place JOIN pack ON number = pack' +
        ' WHERE digest = ?',
    );
    this.#put = database.prepare('INSERT OR REPLACE INTO place VALUES (?, ?, ?, ?, ?)');
    this.#drop = database.prepare('DELETE FROM place WHERE digest = ?');
    this.#bury = database.prepare('INSERT OR IGNORE INTO dead VALUES (?, ?, ?)');
    this.#touch = database.prepare('UPDATE place SET when_ms = ? WHERE digest = ?');
    this.#length = database.prepare('INSERT OR REPLACE INTO pack VALUES (?, ?, ?)');
  }

  get(digest: Digest): Place | null {
    return this.#coded(() => this.#get.get(keyOf(digest)) ?? null);
  }

  /** Records of a pack, and how far it is indexed with them. */
  apply({ number, mark }: PackId, length: number, records: readonly Found[]): void {
    const apply = this.#database.transaction(() => {
      this.#length.run(number, mark, length);
      for (const record of records) this.#applyOne(number, record);
    });
    this.#coded(() => apply.immediate());
  }

  /** SQLite finds a damaged page when it first needs it. Throws GodwitError `damaged-database`, or as the disk does. */
  #coded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw databaseError(error, this.#database.name);
    }
  }

  #applyOne(pack: number, { kind, digest, offset, length, when }: Found): void {
    const key = keyOf(digest);
    const before = this.#get.get(key);
    const isLater =
      before === undefined ||
      pack > before.pack ||
      (pack === before.pack && offset >= before.offset);
    if (kind === 'content' && !isLater) {
      this.#bury.run(key, pack, offset);
      return;
    }
    if (!isLater) return;
    if (before !== undefined && (before.pack !== pack || before.offset !== offset)) {
      this.#bury.run(key, before.pack, before.offset);
    }
    if (kind === 'content') this.#put.run(key, pack, offset, length, when);
    else this.#drop.run(key);
  }

  pack(number: number): IndexedPack | null {
    return (
      this.#database
        .prepare<[number], IndexedPack>('SELECT number, mark, length FROM pack WHERE number = ?')
        .get(number) ?? null
    );
  }

  /** In the order of their numbers. */
  packs(): IndexedPack[] {
    return this.#database
      .prepare<[], IndexedPack>('SELECT number, mark, length FROM pack ORDER BY number')
      .all();
  }

  /** Every content. The index may be written meanwhile: each result was true at some time during the call. */
  *places(): Generator<Place & { readonly digest: Digest }> {
    const page = this.#database.prepare<[Buffer, number], Place & { key: Buffer }>(
      'SELECT digest AS key, pack, mark, offset, place.length, when_ms AS "when" FROM place' +
        ' JOIN pack ON number = pack WHERE digest > ? ORDER BY digest LIMIT ?',
    );
    let after: Buffer = Buffer.alloc(0);
    for (;;) {
      const rows = page.all(after, PAGE);
      for (const { key, ...place } of rows) yield { ...place, digest: digestOf(key) };
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.key;
    }
  }

  /** Bytes and number of the contents that lie in each pack. */
  liveIn(): Map<number, { readonly bytes: number; readonly count: number }> {
    const rows = this.#database
      .prepare<[], { pack: number; bytes: number; count: number }>(
        'SELECT pack, sum(length) AS bytes, count(*) AS count FROM place GROUP BY pack',
      )
      .all();
    return new Map(rows.map(({ pack, ...live }) => [pack, live]));
  }

  /** The contents that lie in a pack. Scans all places. */
  digestsIn(pack: number): Array<{ readonly digest: Digest; readonly offset: number }> {
    return this.#database
      .prepare<[number], { key: Buffer; offset: number }>(
        'SELECT digest AS key, offset FROM place WHERE pack = ? ORDER BY offset',
      )
      .all(pack)
      .map(({ key, offset }) => ({ digest: digestOf(key), offset }));
  }

  /** How many contents lie in a pack. Scans all places. */
  liveCountIn(pack: number): number {
    const count = this.#database.prepare<[number], number>(
      'SELECT count(*) FROM place WHERE pack = ?',
    );
    return count.pluck().get(pack) ?? 0;
  }

  /** Is that record known to have been removed, or to be another one's predecessor? */
  isBuried(digest: Digest, pack: number, offset: number): boolean {
    return (
      this.#database
        .prepare('SELECT 1 FROM dead WHERE digest = ? AND pack = ? AND offset = ?')
        .get(keyOf(digest), pack, offset) !== undefined
    );
  }

  /** A content that is there was put again. Not in the pack: who makes the index again has the older time. */
  touch(digest: Digest, when: number): void {
    this.#coded(() => this.#touch.run(when, keyOf(digest)));
  }

  /** Does another pack hold a record of it, which only a removal keeps from coming back? */
  isBuriedOutside(digest: Digest, pack: number): boolean {
    return (
      this.#database
        .prepare('SELECT 1 FROM dead WHERE digest = ? AND pack <> ? LIMIT 1')
        .get(keyOf(digest), pack) !== undefined
    );
  }

  /** A pack that is gone. Gives how many contents were in it still, and are lost. */
  forget(pack: number): number {
    const forget = this.#database.transaction(() => {
      const lost = this.#database.prepare('DELETE FROM place WHERE pack = ?').run(pack).changes;
      this.#database.prepare('DELETE FROM dead WHERE pack = ?').run(pack);
      this.#database.prepare('DELETE FROM pack WHERE number = ?').run(pack);
      return lost;
    });
    return forget.immediate();
  }

  /** It is to be made again. */
  clear(): void {
    this.#database.transaction(() => {
      for (const table of ['place', 'dead', 'pack']) this.#database.exec(`DELETE FROM ${table}`);
    })();
  }

  close(): void {
    this.#database.close();
  }
}

/** Rows read at once: no statement stays open over a write. */
const PAGE = 1000;

const keyOf = (digest: Digest): Buffer => Buffer.from(digest, 'hex');
const digestOf = (key: Buffer): Digest => key.toString('hex') as Digest;
