/**
 * Whether what a program read is what was written last: each write of a replay has a number, which it gives the file as its time of
 * modification, so that a reader can tell which write it sees without looking at contents.
 */
import { mtimeOf, type Mtime } from '../../../../shared/model/vnode.ts';

/** 2001-09-09: no real time of modification of a run. */
const FIRST = 1_000_000_000_000_000_000n;
const STEP = 1000n;

/** Gives the modification time that stands for the write with this number. */
export function mtimeOfStamp(stamp: number): Mtime {
  return mtimeOf(FIRST + BigInt(stamp) * STEP);
}

/** Null: nothing of a replay wrote it. */
export function stampOf(mtime: Mtime): number | null {
  const since = BigInt(mtime) - FIRST;
  return since < 0n || since % STEP !== 0n ? null : Number(since / STEP);
}

/** When its close began and had returned, in steps that only grow. */
interface Written {
  readonly stamp: number;
  readonly by: string;
  readonly began: number;
  ended: number | null;
}

/** What was written under each path, by whom, and what of it others have seen. */
export class Freshness {
  readonly #byStamp = new Map<number, Written>();
  /** Those whose close has returned, oldest first. */
  readonly #byPath = new Map<string, readonly Written[]>();
  /** By reader and writer: the beginning of the latest write that was seen. */
  readonly #seen = new Map<string, number>();
  #steps = 0;

  /** A close begins: from now on it may be seen. */
  closing(stamp: number, by: string): void {
    this.#steps += 1;
    this.#byStamp.set(stamp, { stamp, by, began: this.#steps, ended: null });
  }

  closed(path: string, stamp: number): void {
    const written = this.#byStamp.get(stamp);
    if (written === undefined) return;
    this.#steps += 1;
    written.ended = this.#steps;
    this.#byPath.set(path, [...(this.#byPath.get(path) ?? []), written]);
  }

  renamed(from: string, to: string): void {
    const written = this.#byPath.get(from);
    this.#byPath.delete(from);
    if (written === undefined) this.#byPath.delete(to);
    else this.#byPath.set(to, written);
  }

  removed(path: string): void {
    this.#byPath.delete(path);
  }

  /**
   * What a reader who opens the path now must see at least; null: nothing that another laptop wrote. Asked before the open, as what is
   * closed while it runs may be seen or not.
   */
  expected(path: string, reader: string): { readonly stamp: number; readonly by: string } | null {
    const written = this.#byPath.get(path)?.at(-1);
    return written === undefined || written.by === reader ? null : written;
  }

  /**
   * The same by what the reader has seen before: who has seen an update of a writer sees of each file what that writer had closed before it
   * began that update. Less would break the order of updates (MFS, section 5.1).
   */
  inOrder(path: string, reader: string): number | null {
    const before = this.#byPath.get(path)?.findLast(({ by, ended }) => {
      return by !== reader && ended !== null && ended < (this.#seen.get(`${reader} ${by}`) ?? 0);
    });
    return before?.stamp ?? null;
  }

  /** The reader has opened it, and seen this. */
  saw(mtime: Mtime, reader: string): void {
    const written = this.#byStamp.get(stampOf(mtime) ?? -1);
    if (written === undefined) return;
    const key = `${reader} ${written.by}`;
    this.#seen.set(key, Math.max(this.#seen.get(key) ?? 0, written.began));
  }
}

/** Whether a file with this time is older than what had to be seen. */
export function isStale(mtime: Mtime, expected: number | null): boolean {
  if (expected === null) return false;
  const stamp = stampOf(mtime);
  return stamp === null || stamp < expected;
}
