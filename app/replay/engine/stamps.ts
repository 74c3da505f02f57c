/**
 * Whether what a program read is what was written last: each write of a replay has a number, which it gives the file as its time of
 * modification, so that a reader can tell which write it sees without looking at contents.
 */
import { mtimeOf, type Mtime } from '../../../shared/model/vnode.ts';

/** 2001-09-09: no real time of modification of a run. */
const FIRST = 1_000_000_000_000_000_000n;
const STEP = 1000n;

export function mtimeOfStamp(stamp: number): Mtime {
  return mtimeOf(FIRST + BigInt(stamp) * STEP);
}

/** Null: nothing of a replay wrote it. */
export function stampOf(mtime: Mtime): number | null {
  const since = BigInt(mtime) - FIRST;
  return since < 0n || since % STEP !== 0n ? null : Number(since / STEP);
}

interface Written {
  readonly stamp: number;
  readonly by: string;
}

/** What was closed last under each path, by whom. */
export class Freshness {
  readonly #last = new Map<string, Written>();

  closed(path: string, stamp: number, by: string): void {
    this.#last.set(path, { stamp, by });
  }

  renamed(from: string, to: string): void {
    const written = this.#last.get(from);
    this.#last.delete(from);
    if (written === undefined) this.#last.delete(to);
    else this.#last.set(to, written);
  }

  removed(path: string): void {
    this.#last.delete(path);
  }

  /**
   * What a reader who opens the path now must see at least; null: nothing that another laptop wrote. Asked before the open, as what is
   * closed while it runs may be seen or not.
   */
  expected(path: string, reader: string): number | null {
    const written = this.#last.get(path);
    return written === undefined || written.by === reader ? null : written.stamp;
  }
}

/** Whether a file with this time is older than what had to be seen. */
export function isStale(mtime: Mtime, expected: number | null): boolean {
  if (expected === null) return false;
  const stamp = stampOf(mtime);
  return stamp === null || stamp < expected;
}
