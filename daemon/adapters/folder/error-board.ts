/** What is wrong just now, for people: one entry for each code and path, gone when it is right again. */
import type { ErrorStatus } from '../../../shared/control/snapshot.ts';
import { compareNames } from '../../../shared/model/names.ts';
import { ERROR_CODES, NOTES, type ErrorCode } from '../../../shared/wire/error-codes.ts';

/** A folder full of bad names must not fill the status: the rest is counted in the log. */
const MAX_ENTRIES = 200;
/** Nor must notes keep out what is wrong. */
const MAX_NOTES = 20;
/** Told of what was done to a file: that it is looked at again, and is fine, ends them not. */
const TOLD_OF_FILES: readonly ErrorCode[] = ['attributes-left', 'rights-dropped'];

/** And of the disk that is mounted at a path: they are so for as long as it is there (disk/folder-disks.ts). */
const STAY: readonly ErrorCode[] = [...TOLD_OF_FILES, 'disk-limits'];

/** Keeps the present errors and notes of the folder for the status, one for each code and path. */
export class ErrorBoard {
  readonly #entries = new Map<string, ErrorStatus>();
  /** What a look at the disk has found at a name, by key: it ends with the name. */
  readonly #found = new Set<string>();
  /** Keys of what was there when somebody asked for a look, or is being tried again, and has not been found again since. */
  readonly #untried = new Set<string>();
  /** What was told of files at names that a look has not found: it goes on where they were moved to. */
  readonly #ended = new Map<string, ErrorStatus>();
  readonly #changed: () => void;
  readonly #full: () => void;

  /** `full`: is told each time that the disk is full. */
  constructor(changed: () => void, full: () => void = () => undefined) {
    this.#changed = changed;
    this.#full = full;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  set(code: ErrorCode, path: string | null, message?: string): void {
    if (code === 'disk-full') this.#full();
    const key = keyOf(code, path);
    const text = message ?? ERROR_CODES[code].summary;
    this.#ended.delete(key);
    const isFoundAgain = this.#untried.delete(key);
    if (this.#entries.get(key)?.message === text) {
      if (isFoundAgain) this.#changed();
      return;
    }
    if (!this.#entries.has(key) && !this.#hasRoom(code)) return;
    this.#entries.set(key, { code, message: text, remedy: ERROR_CODES[code].remedy, path });
    this.#changed();
  }

  /** Somebody asks for a look at everything: what is here may have been put right, until it is found again. */
  asked(): void {
    if (this.isEmpty) return;
    for (const key of this.#entries.keys()) this.#untried.add(key);
    this.#changed();
  }

  /** It is being tried again: how that ends is not known. */
  trying(code: ErrorCode, path: string | null): void {
    const key = keyOf(code, path);
    if (!this.#entries.has(key) || this.#untried.has(key)) return;
    this.#untried.add(key);
    this.#changed();
  }

  /** As `set`, of what a look at the disk has found at the path: it is over when the path is gone. */
  found(code: ErrorCode, path: string, message?: string): void {
    this.set(code, path, message);
    const key = keyOf(code, path);
    if (this.#entries.has(key)) this.#found.add(key);
  }

  #delete(key: string): void {
    this.#found.delete(key);
    this.#untried.delete(key);
    if (this.#entries.delete(key)) this.#changed();
  }

  #hasRoom(code: ErrorCode): boolean {
    if (this.#entries.size >= MAX_ENTRIES) return false;
    if (!NOTES.has(code)) return true;
    const notes = [...this.#entries.values()].filter((entry) => NOTES.has(entry.code));
    return notes.length < MAX_NOTES;
  }

  clear(code: ErrorCode, path: string | null): void {
    const key = keyOf(code, path);
    this.#ended.delete(key);
    this.#delete(key);
  }

  /** The path is fine in every respect. */
  clearPath(path: string): void {
    if (this.#entries.size === 0) return;
    for (const [key, entry] of this.#entries) {
      if (entry.path !== path || STAY.some((code) => code === entry.code)) continue;
      this.#delete(key);
    }
  }

  /** These are all names of a directory: what was told of others there, and of what was below them, is over. */
  keepThere(directory: readonly string[], names: ReadonlySet<string>): void {
    const above = directory.map((name) => `${name}/`).join('');
    this.#end((path) => {
      if (path.length === above.length || !path.startsWith(above)) return false;
      return !names.has(path.slice(above.length).split('/', 1)[0] ?? '');
    });
  }

  /** Nothing has this name: what was told of it, and of what was below it, is over. */
  gone(path: string): void {
    this.#end((other) => isAtOrBelow(other, path));
  }

  /** What was at the first name is at the second: what was told of it and of the files below it goes along, also where a look has ended it. */
  moved(from: string, to: string): void {
    if (this.#entries.size + this.#ended.size === 0) return;
    for (const { code, path, message } of [...this.#entries.values(), ...this.#ended.values()]) {
      if (path === null || !isOfFile(code) || !isAtOrBelow(path, from)) continue;
      this.clear(code, path);
      this.set(code, to + path.slice(from.length), message);
    }
  }

  /** The file at this name, with all below it, was removed: what was told of it goes on nowhere. What a look has found at the name now stays. */
  removed(path: string): void {
    for (const rows of [this.#entries, this.#ended]) {
      for (const { code, path: other } of [...rows.values()]) {
        if (other !== null && isOfFile(code) && isAtOrBelow(other, path)) this.clear(code, other);
      }
    }
  }

  /** Ends what a look at the disk has found out about paths that are not there any more. */
  #end(isGone: (path: string) => boolean): void {
    for (const [key, entry] of this.#entries) {
      const isTold = isOfFile(entry.code);
      const isOfName = this.#found.has(key) || isTold;
      if (entry.path === null || !isOfName || !isGone(entry.path)) continue;
      this.#delete(key);
      if (isTold) this.#remember(key, entry);
    }
  }

  #remember(key: string, entry: ErrorStatus): void {
    const [oldest] = this.#ended.keys();
    if (this.#ended.size >= MAX_NOTES && oldest !== undefined) this.#ended.delete(oldest);
    this.#ended.set(key, entry);
  }

  /** Of the names in a directory these are still wrong in this way; what else was, is right again. */
  keepOnly(code: ErrorCode, directory: readonly string[], names: ReadonlySet<string>): void {
    if (this.#entries.size === 0) return;
    const above = directory.map((name) => `${name}/`).join('');
    for (const [key, { code: other, path }] of this.#entries) {
      if (other !== code || path === null || !path.startsWith(above)) continue;
      const name = path.slice(above.length);
      if (!name.includes('/') && !names.has(name)) this.#delete(key);
    }
  }

  has(code: ErrorCode, path: string | null): boolean {
    return this.#entries.has(keyOf(code, path));
  }

  /** What is said of the path, with this code or with any; null: nothing is. */
  messageOf(path: string, code?: ErrorCode): string | null {
    if (this.#entries.size === 0) return null;
    if (code !== undefined) return this.#entries.get(keyOf(code, path))?.message ?? null;
    for (const entry of this.#entries.values()) if (entry.path === path) return entry.message;
    return null;
  }

  /** Paths that have an entry, so that they are looked at again. */
  paths(): string[] {
    return [...this.#entries.values()].flatMap(({ path }) => (path === null ? [] : [path]));
  }

  list(): ErrorStatus[] {
    const told = [...this.#entries].map(([key, entry]) =>
      this.#untried.has(key) ? { ...entry, untried: true as const } : entry,
    );
    return told.sort(
      (a, b) => compareNames(a.path ?? '', b.path ?? '') || compareNames(a.code, b.code),
    );
  }
}

const isOfFile = (code: string): code is ErrorCode => TOLD_OF_FILES.some((each) => each === code);

const isAtOrBelow = (path: string, above: string): boolean =>
  path === above || path.startsWith(`${above}/`);

const keyOf = (code: ErrorCode, path: string | null): string => `${code}\0${path ?? ''}`;
