/**
 * A program's hand on a disk: the calls that the programs of this world make, each told to the ledger. What a call destroys is given up by who makes
 * it, and each state that a file is in for a moment is known.
 *
 * Paths are relative to the synced folder, with slashes; those that begin with `/` are as they are.
 */
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { digestOf } from '../disk/content-digest.ts';
import { OPEN } from '../posix/open-flags.ts';
import type { ProgramCalls, Stats } from '../posix/program-calls.ts';
import { readFile } from '../posix/program-calls.ts';
import type { Ledger } from './ledger.ts';
import { mountAbove, OF_MOUNTED } from './mount-above.ts';
import { idOf } from './outside-files.ts';
import { filesIn, isPlaceholderName } from './trees.ts';

export interface HandParts {
  readonly calls: ProgramCalls;
  /** A process that may read all: for the ledger alone. */
  readonly observer: ProgramCalls;
  /** The synced folder, absolute. */
  readonly root: string;
  /** A folder beside it, absolute. */
  readonly outside: string;
  readonly ledger: Ledger;
  readonly laptop: string;
  /** Its kind and number, for reports. */
  readonly program: string;
  readonly random: SeededRandom;
  /** A file was in a state that none was ever in. */
  readonly torn: (text: string) => void;
  /** For the trace. */
  readonly note: (line: string) => void;
  /** Does what the ledger asks of `calls`, which no fault of a disk keeps from it; left out: there are none. */
  readonly quietly?: <T>(act: () => T) => T;
  /** How often contents are long; left out: seldom. */
  readonly longChance?: number | undefined;
  /** Other volumes are mounted in the folder; left out: none is. */
  readonly hasMounts?: boolean;
}

/** How a file is opened; to read it where nothing else is said. */
export interface Opening {
  readonly write?: boolean;
  readonly create?: boolean;
  readonly exclusive?: boolean;
  readonly truncate?: boolean;
  readonly mode?: number;
}

/** Ours in the folder: no program looks into them. */
const OURS = /^\.godwit($|-[0-9a-f]{32}$)/;
/** Longer contents than most: they go another way through the daemon. */
const LONG_BYTES = 17_000;
const LONG_CHANCE = 0.06;
const encoder = new TextEncoder();

/** Makes a program's calls, and tells the ledger of each. */
export class Hand {
  readonly calls: ProgramCalls;
  readonly random: SeededRandom;
  readonly ledger: Ledger;
  readonly root: string;
  readonly outside: string;
  readonly #parts: HandParts;

  constructor(parts: HandParts) {
    this.#parts = parts;
    const { calls, random, ledger, root, outside } = parts;
    this.calls = calls;
    this.random = random;
    this.ledger = ledger;
    this.root = root;
    this.outside = outside;
  }

  /** Bytes that nobody wrote before. `length`: left out, a few lines, seldom many. */
  newBytes(length: number | null = null): Uint8Array {
    const { laptop, program, random, ledger, longChance = LONG_CHANCE } = this.#parts;
    const line = `${ledger.next()} ${laptop} ${program}\n`;
    const usual = random.chance(longChance)
      ? LONG_BYTES
      : random.between(line.length, 4 * line.length);
    const wanted = Math.max(length ?? usual, line.length);
    return encoder.encode(line.repeat(Math.ceil(wanted / line.length)).slice(0, wanted));
  }

  at(path: string): string {
    return path.startsWith('/') ? path : `${this.root}/${path}`;
  }

  // Looking

  /** Null: nothing is there, or nothing can be said of it. */
  look(path: string): Stats | null {
    return orNull(() => this.calls.lstat(this.at(path)));
  }

  isFile(path: string): boolean {
    return this.look(path)?.kind === 'file';
  }

  read(path: string): Uint8Array {
    return readFile(this.calls, this.at(path));
  }

  /** Everything beneath a folder that can be seen, parents first: paths with their kinds. */
  walk(from = ''): Array<readonly [path: string, stats: Stats]> {
    const found: Array<readonly [string, Stats]> = [];
    const visit = (dir: string): void => {
      for (const name of this.#names(dir)) {
        const path = dir === '' ? name : `${dir}/${name}`;
        const stats = this.look(path);
        if (stats === null) continue;
        found.push([path, stats]);
        if (stats.kind === 'directory') visit(path);
      }
    };
    visit(from);
    return found;
  }

  files(from = ''): string[] {
    return this.walk(from).flatMap(([path, { kind }]) => (kind === 'file' ? [path] : []));
  }

  folders(from = ''): string[] {
    return this.walk(from).flatMap(([path, { kind }]) => (kind === 'directory' ? [path] : []));
  }

  /** One of those that are there; null: there is none. */
  someFile(): string | null {
    const all = this.files().filter((path) => !isPlaceholderName(path));
    return all.length === 0 ? null : this.random.pick(all);
  }

  someFolder(): string | null {
    const all = this.folders();
    return all.length === 0 ? null : this.random.pick(all);
  }

  /** A path that may be taken or free, in a folder that is there. */
  somePath(names: readonly string[] = NAMES): string {
    const dir = this.random.chance(0.5) ? this.someFolder() : null;
    return `${dir === null ? '' : `${dir}/`}${this.random.pick(names)}`;
  }

  #names(dir: string): string[] {
    try {
      const all = this.calls.readdir(this.at(dir));
      return all.filter((name) => !OURS.test(name)).sort();
    } catch {
      return [];
    }
  }

  // Writing

  open(path: string, how: Opening = {}): number {
    const { write = false, create = false, exclusive = false, truncate = false, mode } = how;
    const flags =
      // Read as well: the ledger sees what is written over.
      (write ? OPEN.readWrite : OPEN.readOnly) |
      (create ? OPEN.create : 0) |
      (exclusive ? OPEN.exclusive : 0);
    const made = create ? this.#takesName(path) : () => undefined;
    const fd = this.calls.open(this.at(path), flags, mode ?? 0o644);
    made();
    if (write) this.#parts.note(`opens ${path}`);
    if (truncate) this.truncate(fd, 0);
    else if (write) this.#saw(fd);
    return fd;
  }

  write(fd: number, bytes: Uint8Array, at: number): void {
    this.#parts.note(`writes ${bytes.length} bytes`);
    const before = this.#bytesOf(fd);
    try {
      for (let done = 0; done < bytes.length;) {
        done += this.calls.pwrite(fd, bytes.subarray(done), at + done);
        this.#saw(fd);
      }
    } finally {
      this.#wroteOver(before, fd);
    }
  }

  /** The file in memory: what is written there, the times tell later. */
  mapped(fd: number): { write: (at: number, bytes: Uint8Array) => void; done: () => void } {
    const mapping = this.calls.map(fd);
    return {
      write: (at, bytes) => {
        const before = this.#bytesOf(fd);
        mapping.write(at, bytes);
        this.#wroteOver(before, fd);
      },
      done: () => {
        mapping.sync();
        mapping.unmap();
      },
    };
  }

  truncate(fd: number, length: number): void {
    this.#parts.note(`truncates to ${length}`);
    const before = this.#bytesOf(fd);
    this.calls.ftruncate(fd, length);
    this.#wroteOver(before, fd);
  }

  fsync(fd: number): void {
    this.calls.fsync(fd);
  }

  close(fd: number): void {
    this.#parts.note('closes');
    this.calls.close(fd);
  }

  /** A new file, whole, with nothing finished yet. */
  make(path: string, bytes: Uint8Array, { mode = 0o644, sync = false } = {}): void {
    const fd = this.open(path, { write: true, create: true, exclusive: true, mode });
    try {
      this.write(fd, bytes, 0);
      if (sync) this.fsync(fd);
    } finally {
      this.close(fd);
    }
  }

  /**
   * The same of an open file. What has no name any more was removed by a program, and nobody can keep it: of what the daemon takes away, it keeps
   * another name for a while.
   */
  finishOpen(fd: number, path: string, bytes: Uint8Array): void {
    if (this.calls.fstat(fd).links > 0) this.finish(path, bytes);
  }

  /** Throws ENOENT where another program has removed it meanwhile: the rename that would come fails so. */
  mustBeNamed(fd: number): void {
    if (this.calls.fstat(fd).links > 0) return;
    throw Object.assign(new Error('ENOENT: it was removed'), { code: 'ENOENT' });
  }

  /** The program is done with this file: these are its bytes. */
  finish(path: string, bytes: Uint8Array): void {
    this.#parts.note(`finishes ${path}`);
    const { ledger, laptop, program } = this.#parts;
    if (this.#isOutside(path)) {
      ledger.saw(bytes, this.#parts);
      this.#isLeftAt(path);
    } else if (!this.#isOfMounted(path)) ledger.finished(bytes, { laptop, program, path });
  }

  /** Bytes that were elsewhere in the folder, and went there, are here now. */
  movedTo(path: string, bytes: Uint8Array): void {
    const { ledger, laptop, program } = this.#parts;
    if (!this.#isOfMounted(path)) ledger.cameBack(bytes, { laptop, program, path });
  }

  /** It is the engine's own, which a program has copied with the directory of a mounted volume. */
  #isOfMounted(path: string): boolean {
    return this.#parts.hasMounts === true && OF_MOUNTED.test(path);
  }

  /** Whoever reads it finds bytes that were the whole of a file at some moment. */
  checkWhole(path: string): void {
    const { ledger, laptop, torn } = this.#parts;
    const digest = digestOf(this.read(path));
    if (!ledger.hasSeen(digest)) torn(`${laptop} reads in ${path} what no file was: ${digest}`);
  }

  /** What a placeholder stands for is removed on purpose, or written over. */
  gaveUpBehind(text: Uint8Array): void {
    this.ledger.gaveUpBehind(new TextDecoder().decode(text), this.#who());
  }

  // Names

  unlink(path: string): void {
    this.#parts.note(`unlinks ${path}`);
    const lost = this.#contentAt(path);
    const behind = this.#placeholderAt(path);
    const left = this.#leavesVolume(path, null);
    this.calls.unlink(this.at(path));
    left();
    if (lost !== null) this.ledger.gaveUp(lost, this.#who());
    if (behind !== null) this.gaveUpBehind(behind);
    if (this.#isOutside(path)) this.#isLeftAt(path);
  }

  /** Over what has the name, if something has. */
  rename(from: string, to: string, next: Uint8Array | null = null): void {
    this.#parts.note(`renames ${from} to ${to}`);
    const [one, other] = this.#quietly(() => [this.look(from), this.look(to)] as const);
    const isSame = one !== null && other !== null && one.ino === other.ino;
    const lost = isSame ? null : this.#contentAt(to);
    const behind = isSame ? null : this.#placeholderAt(to);
    const moved = this.#movesOver(from, to);
    const taken = this.#takesName(to);
    const left = this.#leavesVolume(from, to);
    this.calls.rename(this.at(from), this.at(to));
    left();
    taken();
    if (behind !== null) this.gaveUpBehind(behind);
    if (lost !== null) this.ledger.gaveUp(lost, this.#who(), next === null ? null : digestOf(next));
    moved();
  }

  link(file: string, path: string): void {
    this.#parts.note(`links ${file} to ${path}`);
    const taken = this.#takesName(path);
    this.calls.link(this.at(file), this.at(path));
    taken();
    if (this.#isOutside(path)) this.#isLeftAt(path);
  }

  symlink(target: string, path: string): void {
    const taken = this.#takesName(path);
    this.calls.symlink(target, this.at(path));
    taken();
  }

  mkdir(path: string, mode = 0o755): void {
    this.#parts.note(`makes ${path}`);
    const taken = this.#takesName(path);
    this.calls.mkdir(this.at(path), mode);
    taken();
  }

  rmdir(path: string): void {
    this.#parts.note(`removes the folder ${path}`);
    this.calls.rmdir(this.at(path));
  }

  exchange(one: string, other: string): void {
    this.#parts.note(`exchanges ${one} and ${other}`);
    const left = [this.#leavesVolume(one, other), this.#leavesVolume(other, one)];
    this.calls.exchange(this.at(one), this.at(other));
    for (const tell of left) tell();
  }

  chmod(path: string, mode: number): void {
    this.calls.chmod(this.at(path), mode);
  }

  touch(path: string, mtime: bigint): void {
    this.calls.utimes(this.at(path), mtime, mtime);
  }

  /** Syncs the directory that a name is in. */
  syncFolder(path: string): void {
    const cut = path.lastIndexOf('/');
    const fd = this.calls.open(this.at(cut < 0 ? '' : path.slice(0, cut)), OPEN.directory);
    this.calls.fsync(fd);
    this.calls.close(fd);
  }

  #who(): string {
    const { laptop, program } = this.#parts;
    return `${program} on ${laptop}`;
  }

  #isOutside(path: string): boolean {
    return path.startsWith('/');
  }

  #bytesOf(fd: number): Uint8Array {
    return this.#quietly(() => this.calls.pread(fd, this.calls.fstat(fd).size, 0));
  }

  #quietly<T>(act: () => T): T {
    const { quietly } = this.#parts;
    return quietly === undefined ? act() : quietly(act);
  }

  #saw(fd: number): void {
    this.ledger.saw(this.#bytesOf(fd), this.#parts);
  }

  #wroteOver(before: Uint8Array, fd: number): void {
    const now = this.#bytesOf(fd);
    const digest = this.ledger.saw(now, this.#parts);
    const old = digestOf(before);
    if (old === digest) return;
    if (isPlaceholderText(before)) this.gaveUpBehind(before);
    this.ledger.gaveUp(old, this.#who(), digest);
    this.ledger.outside.wrote(
      this.#parts.laptop,
      idOf(this.#quietly(() => this.calls.fstat(fd))),
      digest,
    );
  }

  /** Outside: what is there now is what programs left. */
  #isLeftAt(path: string): void {
    const { ledger, laptop, observer } = this.#parts;
    const bytes = this.#observed(path);
    const id = bytes === null ? null : idOf(observer.lstat(path));
    const file = bytes === null || id === null ? null : { id, digest: digestOf(bytes) };
    ledger.outside.left(laptop, path, file);
  }

  /** What is lost with a name; null: nothing that was somebody's. */
  #contentAt(path: string): Digest | null {
    const { observer } = this.#parts;
    return orNull(() => {
      const { kind, links } = observer.lstat(this.at(path));
      if (kind !== 'file' || links > 1) return null;
      return digestOf(readFile(observer, this.at(path)));
    });
  }

  /** The text of the placeholder that is there; null: it is none. */
  #placeholderAt(path: string): Uint8Array | null {
    const bytes = isPlaceholderName(path) ? this.#observed(path) : null;
    return bytes !== null && isPlaceholderText(bytes) ? bytes : null;
  }

  /** Who makes something at the name of a file for which a placeholder stands has written over that: gives what tells so when it is made. */
  #takesName(path: string): () => void {
    const behind = this.#isOutside(path) ? null : this.#placeholderAt(`${path}.godwit`);
    if (behind === null || this.#observed(path) !== null) return () => undefined;
    return () => this.gaveUpBehind(behind);
  }

  /** What leaves the folder is given up there, what comes in is finished: gives what tells so when it has moved. */
  #movesOver(from: string, to: string): () => void {
    const [out, into] = [!this.#isOutside(from), !this.#isOutside(to)];
    if (out && into) return () => undefined;
    const all = [from, ...this.#beneath(from)].flatMap((path) => {
      const bytes = this.#observed(path);
      return bytes === null ? [] : [{ rest: path.slice(from.length), bytes }];
    });
    return () => {
      const { ledger, laptop } = this.#parts;
      for (const { rest, bytes } of all) {
        const isText = isPlaceholderText(bytes);
        if (out && isText) this.gaveUpBehind(bytes);
        else if (out) ledger.gaveUp(digestOf(bytes), this.#who());
        else ledger.outside.left(laptop, from + rest, null);
        // A placeholder that comes back stands for what was removed with it.
        if (into && isText) continue;
        if (into) ledger.cameBack(bytes, { laptop, program: this.#parts.program, path: to + rest });
        else this.#isLeftAt(to + rest);
      }
    };
  }

  /** What a program takes out of a volume that is mounted in the folder is known: gives what tells so when it is done. `to` null: it is removed. */
  #leavesVolume(from: string, to: string | null): () => void {
    if (this.#parts.hasMounts !== true) return () => undefined;
    const mountOf = (path: string): string | null => {
      return this.#isOutside(path) ? null : mountAbove(this.#parts.observer, this.root, path);
    };
    const around = mountOf(from);
    if (around === null || (to !== null && mountOf(to) === around)) return () => undefined;
    const all = [from, ...this.#beneath(from)].flatMap((path) => this.#observed(path) ?? []);
    return () => {
      for (const bytes of all) this.ledger.movedOut(digestOf(bytes));
    };
  }

  /** Also what the program may not see. */
  #beneath(path: string): string[] {
    const { observer } = this.#parts;
    const at = this.at(path);
    if (this.#quietly(() => this.look(path))?.kind !== 'directory') return [];
    const all = [...filesIn(observer, at).keys()].map((found) => path + found.slice(at.length));
    return all.filter((found) => !this.#isOfMounted(found));
  }

  #observed(path: string): Uint8Array | null {
    const { observer } = this.#parts;
    return orNull(() => {
      if (observer.lstat(this.at(path)).kind !== 'file') return null;
      return readFile(observer, this.at(path));
    });
  }
}

/** What nothing can be said of is as what is not there. */
function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

/** Few, so that programs meet. */
export const NAMES = ['a', 'b', 'c', 'doc.txt', 'e.odt', 'main.c'] as const;

const STANDS_FOR = 'godwit-placeholder ';

function isPlaceholderText(bytes: Uint8Array): boolean {
  return bytes.length < LONG_BYTES && new TextDecoder().decode(bytes).includes(STANDS_FOR);
}
