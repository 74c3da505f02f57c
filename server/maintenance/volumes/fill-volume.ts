/**
 * A volume that begins with all that another one has: its rows are written a part at a time, while a server goes on.
 *
 * Nobody sees it before it is whole. The row of the volume and those of its commits come last, in one transaction. Until then its number stands among
 * those of which rows may be left (removed-volumes.ts): who is killed here leaves what the next collection removes. Whoever calls this holds the lock
 * of maintenance, so that no collection runs meanwhile: neither that nor what the rows name goes.
 */
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { Random } from '../../../shared/ports/random.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import {
  SEALED_ENTRY,
  SEALED_VNODE,
  sealedEntry,
  sealedVnode,
  sealOf,
  type CommitRow,
  type EndedRow,
} from '../../adapters/meta-sqlite/commit-seal.ts';
import { Statements } from '../../adapters/meta-sqlite/statements.ts';
import type { Walked } from '../../adapters/meta-sqlite/walk-volume.ts';
import { dropLeft, isBegun, isWhole } from './removed-volumes.ts';
import { drawn, giveTo, ownerNamed, refuseTaken } from './volumes.ts';

export interface FilledVolume {
  readonly name: string;
  /** The name of a person, who may write in it; null: nobody's. */
  readonly owner: string | null;
  /** In bytes; null: none. */
  readonly quota: number | null;
  /** The contents are new to the server: each gets its row. */
  readonly isNew?: boolean;
}

export interface Filled {
  readonly number: VolumeId;
  /** Files and symlinks. */
  readonly files: number;
  /** What its files count for, in bytes. */
  readonly used: number;
}

export interface FillWith {
  readonly database: Sqlite;
  readonly now: WallTime;
  readonly random: Random;
  /** Others have their turn. */
  readonly breathe: () => Promise<void>;
}

/** Names, and what they name, in one commit: the feed tells it as one. */
const PER_COMMIT = 8;
/** Names in one transaction: a server that runs waits for it, some milliseconds. */
const AT_ONCE = 128;
/** The server itself. */
const SERVER = 0;
const NOTHING_ENDED: EndedRow = [null, null];

const INSERT_VNODE =
  `INSERT INTO vnode (volume, from_commit, ${SEALED_VNODE})` +
  ' VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
const INSERT_CONTENT = 'INSERT OR IGNORE INTO content (digest, size) VALUES (?, ?)';
const INSERT_COMMIT =
  'INSERT INTO commit_log (volume, number, device, seq, when_ms, seal) VALUES (?, ?, ?, ?, ?, ?)';
const INSERT_ENTRY = `INSERT INTO entry (volume, from_commit, ${SEALED_ENTRY}) VALUES (?, ?, ?, ?, ?, ?, ?)`;

/**
 * Makes the volume with these rows. Their contents are there. Rejects GodwitError `exists`, `not-found` (the owner), `usage`; or as `rows` do: nothing
 * is left of it then.
 */
export async function fillVolume(
  asked: FilledVolume,
  rows: Iterable<Walked> | AsyncIterable<Walked>,
  given: FillWith,
): Promise<Filled> {
  const { database, random, breathe } = given;
  // The last transaction is synced, and with it all before it.
  database.pragma('synchronous = NORMAL');
  const number = inOne(database, () => {
    refuseTaken(database, asked.name);
    ownerNamed(database, asked.owner);
    const id = drawn(database, random);
    isBegun(database, id);
    return id;
  });
  try {
    const filling = new Filling(given, number, asked.isNew === true);
    let part: Walked[] = [];
    for await (const each of rows) {
      part.push(each);
      if (part.length < AT_ONCE) continue;
      filling.write(part);
      part = [];
      await breathe();
    }
    filling.write(part);
    database.pragma('synchronous = FULL');
    return inOne(database, () => filling.finish(asked));
  } catch (error) {
    // Where that fails too, a collection does it.
    await dropLeft(database, number, breathe).catch(() => undefined);
    throw error;
  } finally {
    database.pragma('synchronous = FULL');
  }
}

class Filling {
  readonly #database: Sqlite;
  readonly #statements: Statements;
  readonly #number: VolumeId;
  readonly #now: WallTime;
  /** Of the commits, one after the other. */
  readonly #seals: string[] = [];
  readonly #isNew: boolean;
  #files = 0;
  #used = 0;
  #lastUniquifier = 1;

  constructor({ database, now }: FillWith, number: VolumeId, isNew: boolean) {
    this.#database = database;
    this.#statements = new Statements(database);
    this.#now = now;
    this.#number = number;
    this.#isNew = isNew;
  }

  /** In a transaction of its own. */
  write(part: readonly Walked[]): void {
    inOne(this.#database, () => {
      for (let from = 0; from < part.length; from += PER_COMMIT) {
        this.#writeCommit(part.slice(from, from + PER_COMMIT));
      }
    });
  }

  #writeCommit(part: readonly Walked[]): void {
    const commit = this.#seals.length + 1;
    const lines: string[] = [];
    for (const [ordinal, { row, name }] of part.entries()) {
      if (row !== null) {
        const { vnode, uniquifier, kind, mode, mtime, size, version, digest, target } = row;
        const { links, entries, xattrs } = row;
        const columns = [
          ...[vnode, uniquifier, ordinal, kind, mode, mtime, size, version],
          ...[digest, target, links, entries, xattrs],
        ];
        this.#statements.run(INSERT_VNODE, ...[this.#number, commit, ...columns]);
        lines.push(sealedVnode(columns, NOTHING_ENDED));
        if (this.#isNew && digest !== null) this.#statements.run(INSERT_CONTENT, digest, size);
        if (kind === 'file') this.#used += size;
        if (kind !== 'directory') this.#files += 1;
        this.#lastUniquifier = Math.max(this.#lastUniquifier, uniquifier);
      }
      if (name === null) continue;
      const { dir_vnode: dir, dir_uniquifier: dirUniquifier, vnode, uniquifier } = name;
      const columns = [dir, dirUniquifier, name.name, vnode, uniquifier];
      this.#statements.run(INSERT_ENTRY, ...[this.#number, commit, ...columns]);
      lines.push(sealedEntry(columns));
    }
    this.#seals.push(sealOf(this.#logRow(commit), lines));
  }

  /** Its name, its commits and whose it is. In a transaction of the caller. */
  finish({ name, owner, quota }: FilledVolume): Filled {
    const number = this.#number;
    refuseTaken(this.#database, name);
    this.#statements.run(
      'INSERT INTO volume (id, name, head, used) VALUES (?, ?, ?, ?)',
      ...[number, name, this.#seals.length, this.#used],
    );
    for (const [index, seal] of this.#seals.entries()) {
      const { volume, number: commit, device, seq, when_ms: when } = this.#logRow(index + 1);
      const columns = [volume, commit, device, seq, when, seal];
      this.#statements.run(INSERT_COMMIT, ...columns);
    }
    // Blocks that devices get begin behind all numbers that are in use.
    this.#statements.run(
      'INSERT INTO block (volume, uniquifier, first, count, device) VALUES (?, ?, 0, 0, ?)',
      ...[number, this.#lastUniquifier, SERVER],
    );
    const person = ownerNamed(this.#database, owner);
    giveTo(this.#database, this.#statements, number, { person, quota });
    isWhole(this.#database, number);
    return { number, files: this.#files, used: this.#used };
  }

  #logRow(number: number): CommitRow {
    const by = { device: SERVER, seq: 0, when_ms: this.#now };
    return { volume: this.#number, number, ...by, copy_of: null };
  }
}

function inOne<T>(database: Sqlite, work: () => T): T {
  return database.transaction(work).immediate();
}
