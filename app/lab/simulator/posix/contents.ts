/**
 * The bytes of a file, in pages: those that nobody wrote are missing, and read as zeros. What was last synced is kept beside, and shares the pages
 * that did not change since; so do two files of which one was made from the other by reflink.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';

/** Bytes of a page, which is a block of the file system too. */
export const PAGE = 4096;

type Pages = Map<number, Uint8Array>;

interface Version {
  readonly size: number;
  readonly pages: Pages;
}

const NOTHING: Version = { size: 0, pages: new Map() };

/** What a power loss leaves of contents that were not synced. */
export type Remains = 'all' | 'synced' | 'short' | 'zeros' | 'mixed';

/** Keeps what is written to a file, and what of it would survive a loss of power. */
export class Contents {
  #size = 0;
  #pages: Pages = new Map();
  /** Pages that nobody shares: they are written to in place. */
  readonly #own = new Set<number>();
  #synced: Version = NOTHING;
  #isChanged = false;
  #version = 0;

  get size(): number {
    return this.#size;
  }

  /** Pages that take room. */
  get taken(): number {
    return this.#pages.size;
  }

  /** It grows with each change. */
  get version(): number {
    return this.#version;
  }

  /** Something is not durable. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** What is there of it; less than asked for at the end. */
  read(at: number, length: number): Uint8Array {
    const end = Math.min(at + length, this.#size);
    if (end <= at) return new Uint8Array(0);
    const bytes = new Uint8Array(end - at);
    for (let from = at; from < end;) {
      const index = Math.floor(from / PAGE);
      const upTo = Math.min(end, (index + 1) * PAGE);
      const page = this.#pages.get(index);
      const start = from - index * PAGE;
      if (page !== undefined) bytes.set(page.subarray(start, upTo - index * PAGE), from - at);
      from = upTo;
    }
    return bytes;
  }

  /** Pages that a write would take anew. */
  missing(at: number, length: number): number {
    if (length === 0) return 0;
    let count = 0;
    const last = Math.floor((at + length - 1) / PAGE);
    for (let index = Math.floor(at / PAGE); index <= last; index++) {
      if (!this.#pages.has(index)) count += 1;
    }
    return count;
  }

  write(at: number, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      const index = Math.floor((at + done) / PAGE);
      const start = at + done - index * PAGE;
      const count = Math.min(bytes.length - done, PAGE - start);
      this.#writable(index, start + count).set(bytes.subarray(done, done + count), start);
      done += count;
    }
    this.#size = Math.max(this.#size, at + bytes.length);
    this.#changed();
  }

  resize(size: number): void {
    if (size < this.#size) {
      const last = Math.floor(size / PAGE);
      const rest = size - last * PAGE;
      for (const index of this.#pages.keys()) {
        if (index > last || (index === last && rest === 0)) this.#drop(index);
      }
      const page = this.#pages.get(last);
      if (page !== undefined && page.length > rest) {
        this.#pages.set(last, page.slice(0, rest));
        this.#own.add(last);
      }
    }
    this.#size = size;
    this.#changed();
  }

  /** From now on it shares the pages of another. */
  share(other: Contents): void {
    other.#own.clear();
    this.#own.clear();
    this.#pages = new Map(other.#pages);
    this.#size = other.#size;
    this.#changed();
  }

  /** What is there now survives a loss of power. */
  sync(): void {
    if (!this.#isChanged) return;
    this.#own.clear();
    this.#synced = { size: this.#size, pages: new Map(this.#pages) };
    this.#isChanged = false;
  }

  /** The power went. What is left is durable. */
  lose(remains: Remains, random: SeededRandom): void {
    if (!this.#isChanged) return;
    if (remains !== 'all') {
      const { size, pages } = this.#left(remains, random);
      this.#pages = pages;
      this.resize(size);
    }
    this.sync();
  }

  #left(remains: Remains, random: SeededRandom): { size: number; pages: Pages } {
    const [size, synced] = [this.#size, this.#synced];
    if (remains === 'synced') return { size: synced.size, pages: new Map(synced.pages) };
    if (remains === 'short') {
      const least = Math.min(size, synced.size);
      return { size: random.between(least, size), pages: this.#pages };
    }
    const pages: Pages = new Map();
    for (const index of [...this.#pages.keys()].sort((a, b) => a - b)) {
      const before = synced.pages.get(index);
      const now = this.#pages.get(index);
      const isLost = now !== before && (remains === 'zeros' || random.chance(0.5));
      const left = isLost ? before : now;
      if (left !== undefined) pages.set(index, left);
    }
    return { size, pages };
  }

  /** A page that may be changed, long enough. */
  #writable(index: number, length: number): Uint8Array {
    const page = this.#pages.get(index);
    if (page !== undefined && page.length >= length && this.#own.has(index)) return page;
    const known = page?.length ?? 0;
    const room = page === undefined ? length : Math.min(PAGE, Math.max(length, known * 2));
    const own = new Uint8Array(Math.max(room, known));
    if (page !== undefined) own.set(page);
    this.#pages.set(index, own);
    this.#own.add(index);
    return own;
  }

  #drop(index: number): void {
    this.#pages.delete(index);
    this.#own.delete(index);
  }

  #changed(): void {
    this.#isChanged = true;
    this.#version += 1;
  }
}
