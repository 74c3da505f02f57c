/**
 * Streaks of opens: of each folder in which programs read, what was opened last, and how often in a row that was the very next file in an order
 * of the folder. Pure bookkeeping; read-ahead.ts knows the listings, and what follows.
 *
 * Invariants
 * 1. Of a folder there is a streak for each order; an open that is not of the next file begins it anew, with nothing ahead.
 * 2. What is ahead was fetched, or is being fetched, for its streak, and nobody has opened it since.
 * 3. With more than one file ahead, they have no more bytes than half of what was opened in their streak; one alone has no more than all of it.
 * 4. A streak that ends with something ahead was a wrong guess: streaks of its folder have to be longer from then on, up to a bound, and less with
 *    each file that is opened after it came ahead.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import { FOLDERS_READ, MOST_DOUBT, OPENS_IN_ROW } from '../../limits.ts';
import type { RequestId } from '../events.ts';

/** By names, as people count; and as the files were made. */
export const ORDERS = ['names', 'made'] as const;
export type Order = (typeof ORDERS)[number];

export interface Streak {
  /** In a row, and the bytes of what was opened. */
  opens: number;
  bytes: number;
  /** When the last was opened, by uses of the cache. */
  use: number;
  /** What is asked for it counts from then on; null: nothing was yet. */
  since: RequestId | null;
  readonly ahead: Map<Fid, number>;
}

/** Where a folder was read last. */
export interface LastRead {
  readonly fid: Fid;
  readonly name: string;
}

export interface ReadFolder {
  readonly dir: Fid;
  last: LastRead;
  /** So many opens in a row more than usual make a streak. */
  doubt: number;
  readonly streaks: Record<Order, Streak>;
}

/** `use`: of the cache, by this open. */
export interface FileRead extends LastRead {
  readonly bytes: number;
  readonly use: number;
}

/** Tracks streaks of opens by folder, and lists those that are worth reading ahead for. */
export class FolderStreaks {
  /** The last is the one that was read last. */
  readonly #folders = new Map<Fid, ReadFolder>();

  get size(): number {
    return this.#folders.size;
  }

  get(dir: Fid): ReadFolder | undefined {
    return this.#folders.get(dir);
  }

  /** A program reads a file of the folder; `isNext`: whether that is the very next one after `last`. Gives what is known of the folder now. */
  opened(dir: Fid, file: FileRead, isNext: (order: Order, last: LastRead) => boolean): ReadFolder {
    const folder = this.#folders.get(dir) ?? newFolder(dir, file);
    const isAgain = folder.last.fid === file.fid;
    this.#folders.delete(dir);
    this.#folders.set(dir, folder);
    const [oldest] = this.#folders.keys();
    if (this.#folders.size > FOLDERS_READ && oldest !== undefined) this.#folders.delete(oldest);
    for (const order of ORDERS) {
      const streak = folder.streaks[order];
      if (streak.ahead.delete(file.fid)) folder.doubt = Math.max(0, folder.doubt - 1);
      if (isAgain) streak.use = file.use;
      else if (isNext(order, folder.last)) goOn(streak, file);
      else {
        if (streak.ahead.size > 0) folder.doubt = Math.min(MOST_DOUBT, folder.doubt + OPENS_IN_ROW);
        folder.streaks[order] = newStreak(file);
      }
    }
    folder.last = { fid: file.fid, name: file.name };
    return folder;
  }

  /** Folders in which something may be fetched ahead: those where nothing is yet, then the others; each time the one read last first. */
  proven(): Array<{ readonly folder: ReadFolder; readonly order: Order; readonly streak: Streak }> {
    const found = [...this.#folders.values()].reverse().flatMap((folder) => {
      const order = provenOrder(folder);
      return order === null ? [] : [{ folder, order, streak: folder.streaks[order] }];
    });
    const has = ({ streak }: { streak: Streak }): number => Number(streak.ahead.size > 0);
    return found.sort((a, b) => has(a) - has(b));
  }
}

/** The order in which the folder is read; null: none that has proven itself. */
export function provenOrder({ streaks, doubt }: ReadFolder): Order | null {
  const order = streaks.made.opens > streaks.names.opens ? 'made' : 'names';
  return streaks[order].opens >= OPENS_IN_ROW + doubt ? order : null;
}

/** Whether one more file may be ahead. */
export function mayLieAhead({ ahead, bytes }: Streak, size: number): boolean {
  if (ahead.size === 0) return size <= bytes;
  let unopened = size;
  for (const each of ahead.values()) unopened += each;
  return unopened <= bytes / 2;
}

function goOn(streak: Streak, { bytes, use }: FileRead): void {
  streak.opens += 1;
  streak.bytes += bytes;
  streak.use = use;
}

const newStreak = ({ bytes, use }: FileRead): Streak => ({
  ...{ opens: 1, bytes, use, since: null },
  ahead: new Map(),
});

function newFolder(dir: Fid, file: FileRead): ReadFolder {
  const { fid, name } = file;
  const streaks = { names: newStreak(file), made: newStreak(file) };
  return { dir, last: { fid, name }, doubt: 0, streaks };
}
