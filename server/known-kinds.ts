/** The kinds of volumes, read again when they are some seconds old: figures of use ask for them, and nothing else. */
import type { VolumeKind } from '../shared/control/server-statistics.ts';
import type { VolumeId } from '../shared/model/fid.ts';
import type { Sqlite } from '../shared/sqlite/database.ts';
import { openServerDatabase } from './adapters/meta-sqlite/server-database.ts';
import { volumeKinds } from './maintenance/volumes/volume-kinds.ts';

/** Accounts change seldom, and a figure may be as old. */
const OLD_MS = 10_000;

/** Has a connection to the database of its own, from the first question on. */
export class KnownKinds {
  readonly #file: string;
  readonly #now: () => number;
  #database: Sqlite | null = null;
  #kinds: ReadonlyMap<VolumeId, VolumeKind> = new Map();
  #read = -Infinity;

  /** `now`: milliseconds of a clock that goes forward. */
  constructor(file: string, now: () => number) {
    this.#file = file;
    this.#now = now;
  }

  /** What cannot be read now is as it was: no figure is worth an error. */
  get(): ReadonlyMap<VolumeId, VolumeKind> {
    const now = this.#now();
    if (now - this.#read < OLD_MS) return this.#kinds;
    this.#read = now;
    try {
      this.#database ??= openServerDatabase(this.#file);
      this.#kinds = volumeKinds(this.#database);
    } catch {
      // The next question reads them.
    }
    return this.#kinds;
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
  }
}
