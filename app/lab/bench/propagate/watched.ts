/**
 * A file whose every version is known, and somebody who reads it again and again. What is read must be one of the versions, whole, and none that
 * is older than what was read before.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

/** Between two looks: little beside what is measured. */
const LOOK_MS = 2;

/** Makes random contents of one size for each version of a file, and recognises them again. */
export class Versions {
  readonly #all: Buffer[] = [];
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  get last(): number {
    return this.#all.length - 1;
  }

  /** Contents that no delta makes smaller. */
  next(): Buffer {
    const contents = randomBytes(this.#size);
    this.#all.push(contents);
    return contents;
  }

  /** Which one that is; -1: none. */
  indexOf(contents: Buffer): number {
    return this.#all.findLastIndex((version) => version.equals(contents));
  }
}

export interface Bad {
  /** Neither version, or a part of one. */
  torn: number;
  empty: number;
  missing: number;
  /** An older version than one that was read before. */
  older: number;
}

/**
 * Reads a file again and again, and counts the reads that were torn, empty, missing or older than
 * before.
 */
export class Watcher {
  readonly bad: Bad = { torn: 0, empty: 0, missing: 0, older: 0 };
  reads = 0;
  readonly #versions: Versions;
  readonly #waiting = new Set<() => void>();
  #seen = 0;
  /** When the last read began that gave this version or an older one, by version. */
  readonly #begun = new Map<number, number>();

  constructor(versions: Versions) {
    this.#versions = versions;
  }

  /** Reads until `signal` aborts. `read` gives null if the file does not exist. */
  async watch(read: () => Promise<Buffer | null>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const at = performance.now();
      const contents = await read();
      // What was answered when the run was over is nobody's.
      if (signal.aborted) return;
      this.note(contents, at);
      await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  note(contents: Buffer | null, at: number): void {
    this.reads += 1;
    if (contents === null) return void (this.bad.missing += 1);
    if (contents.length === 0) return void (this.bad.empty += 1);
    const version = this.#versions.indexOf(contents);
    if (version < 0) return void (this.bad.torn += 1);
    if (version < this.#seen) this.bad.older += 1;
    this.#seen = Math.max(this.#seen, version);
    this.#begun.set(version, at);
    for (const look of this.#waiting) look();
  }

  /** When that version, or a later one, has been read: the time of that. */
  seen(version: number): Promise<number> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#seen < version) return;
        this.#waiting.delete(look);
        resolve(performance.now());
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** When the last read began that was answered with that version; 0: none was. */
  lastAnswered(version: number): number {
    return this.#begun.get(version) ?? 0;
  }

  get badReads(): number {
    const { torn, empty, missing, older } = this.bad;
    return torn + empty + missing + older;
  }
}
