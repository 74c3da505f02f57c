/** The calls of the simulated kernel on what is in files: reads, writes, lengths, syncs and mappings, and what each does to times and rights. */
import { touchAccess } from './access-time.ts';
import { isIn, isRoot, SETGID, SETUID } from './access-rights.ts';
import { PAGE } from './contents.ts';
import type { Inode } from './inode.ts';
import type { Kernel } from './kernel.ts';
import { fail } from './kernel-error.ts';
import type { Place } from './mount.ts';
import { OPEN } from './open-flags.ts';
import type { OpenFile, Process } from './process.ts';
import type { Mapping } from './program-calls.ts';

const CAPABILITY = 'security.capability';
const NOTHING = new Uint8Array(0);
/** The longest file, in bytes: JavaScript counts no further, and a real one ends near. */
const LONGEST = 2 ** 53 - 1;

/** `at` null: from where the last read ended. */
export function read(
  kernel: Kernel,
  caller: Process,
  fd: number,
  { length, at }: { length: number; at: number | null },
): Uint8Array {
  const file = caller.used(fd);
  if (!file.reads) fail('EBADF');
  const { inode } = file;
  if (inode.kind === 'directory') fail('EISDIR');
  kernel.meet('read', file.place);
  if (inode.contents === null) return NOTHING;
  const bytes = inode.contents.read(at ?? file.position, length);
  if (at === null) file.position += bytes.length;
  if (length > 0) touchAccess(kernel, file.place);
  return bytes;
}

/** `at` null: where the last write ended. Gives how many bytes were written. */
export function write(
  kernel: Kernel,
  caller: Process,
  fd: number,
  { bytes, at }: { bytes: Uint8Array; at: number | null },
): number {
  const file = caller.used(fd);
  if (!file.writes) fail('EBADF');
  if (at !== null && at < 0) fail('EINVAL');
  const { inode } = file;
  const { contents } = inode;
  kernel.meet('write', file.place);
  if (contents === null || bytes.length === 0) return 0;
  const isAppended = (file.bits & OPEN.append) !== 0;
  const start = isAppended ? contents.size : (at ?? file.position);
  if (start + bytes.length > LONGEST) fail('EFBIG');
  const count = fitting(inode, start, bytes.length);
  writeBytes(inode, start, count === bytes.length ? bytes : bytes.subarray(0, count));
  if (at === null) file.position = start + count;
  tame(caller, inode);
  stampContents(kernel, inode);
  kernel.tellChange(file.place);
  return count;
}

/** How many of the bytes have room. Throws ENOSPC or EDQUOT where none have. */
function fitting(inode: Inode, start: number, length: number): number {
  const { fs, contents } = inode;
  const wanted = contents?.missing(start, length) ?? 0;
  if (wanted === 0) return length;
  const { blocks, code } = fs.room(inode.uid, wanted);
  if (blocks >= wanted) return length;
  let count = 0;
  for (let end = Math.min(length, PAGE - (start % PAGE)); ; end = Math.min(length, end + PAGE)) {
    if ((contents?.missing(start, end) ?? 0) > blocks) break;
    count = end;
    if (end === length) break;
  }
  return count > 0 ? count : fail(code);
}

function writeBytes(inode: Inode, start: number, bytes: Uint8Array): void {
  const { fs, contents } = inode;
  if (contents === null) return;
  const before = contents.taken;
  contents.write(start, bytes);
  fs.give(inode.uid, contents.taken - before);
}

/** What lends rights goes with a write: capabilities always, setuid and setgid but for root. */
function tame(caller: Process, inode: Inode): void {
  const { fs, mode, xattrs } = inode;
  const lends = !isRoot(caller) && (mode & (SETUID | SETGID)) !== 0;
  if (!lends && xattrs?.has(CAPABILITY) !== true) return;
  fs.remember(inode);
  inode.xattrs = withoutCapability(xattrs);
  if (lends) inode.mode = tamedMode(caller, inode);
}

export function withoutCapability(
  xattrs: ReadonlyMap<string, Uint8Array> | null,
): ReadonlyMap<string, Uint8Array> | null {
  if (xattrs?.has(CAPABILITY) !== true) return xattrs;
  return new Map([...xattrs].filter(([name]) => name !== CAPABILITY));
}

/** Without setuid; and without setgid where it lends a group, or is of one that the process is not in. */
export function tamedMode(caller: Process, { mode, gid }: Inode): number {
  const isForeign = !isRoot(caller) && !isIn(caller, gid);
  const lendsGroup = (mode & 0o010) !== 0 || isForeign;
  return mode & ~(lendsGroup ? SETUID | SETGID : SETUID);
}

function stampContents(kernel: Kernel, inode: Inode): void {
  const { fs } = inode;
  fs.remember(inode);
  const now = fs.cut(kernel.now());
  inode.mtime = now;
  inode.ctime = now;
}

/** A file has another length from now on. Throws EFBIG, and as a write does. */
export function resizeFile(kernel: Kernel, caller: Process, place: Place, length: number): void {
  const { inode } = place;
  const { contents, fs } = inode;
  if (length < 0 || contents === null) return fail('EINVAL');
  if (length > LONGEST) fail('EFBIG');
  kernel.meet('resize', place);
  const before = contents.taken;
  contents.resize(length);
  fs.give(inode.uid, contents.taken - before);
  tame(caller, inode);
  stampContents(kernel, inode);
  kernel.tellChange(place);
}

export function ftruncate(kernel: Kernel, caller: Process, fd: number, length: number): void {
  const file = caller.used(fd);
  if (!file.writes || file.inode.contents === null) fail('EINVAL');
  resizeFile(kernel, caller, file.place, length);
}

/** fsync: what was written, and all names and attributes so far, is durable. */
export function sync(kernel: Kernel, caller: Process, fd: number): void {
  syncPlace(kernel, caller.used(fd).place);
}

export function syncPlace(kernel: Kernel, place: Place): void {
  const { inode } = place;
  kernel.meet('sync', place);
  if (inode.kind === 'fifo' || inode.kind === 'socket') fail('EINVAL');
  const { directorySync } = inode.fs.switches;
  if (inode.kind === 'directory' && directorySync !== null) fail(directorySync);
  settleMapped(kernel, inode);
  inode.fs.sync(inode);
}

/** Pages that were written through mappings are written out: where no time said so before, one does now. */
function settleMapped(kernel: Kernel, inode: Inode): void {
  if (inode.mappedPages.size === 0) return;
  inode.mappedPages.clear();
  if (inode.fs.switches.mappedTimes === 'at sync') stampContents(kernel, inode);
}

/** The kernel writes out what is old, as it does now and then. */
export function writeOut(kernel: Kernel, inode: Inode): void {
  settleMapped(kernel, inode);
  inode.contents?.sync();
}

export function map(kernel: Kernel, caller: Process, fd: number): Mapping {
  const file = caller.used(fd);
  if (!file.reads || !file.writes || file.inode.contents === null) fail('EACCES');
  file.users += 1;
  return new FileMapping(kernel, file);
}

class FileMapping implements Mapping {
  readonly #kernel: Kernel;
  readonly #file: OpenFile;
  #isMapped = true;

  constructor(kernel: Kernel, file: OpenFile) {
    this.#kernel = kernel;
    this.#file = file;
  }

  write(at: number, bytes: Uint8Array): void {
    const { inode } = this.#file;
    if (!this.#isMapped || at < 0 || at + bytes.length > inode.size) fail('EFAULT');
    if (bytes.length === 0) return;
    fitting(inode, at, bytes.length);
    writeBytes(inode, at, bytes);
    const isFirst = this.#touch(at, bytes.length);
    if (isFirst && inode.fs.switches.mappedTimes === 'first') stampContents(this.#kernel, inode);
  }

  sync(): void {
    if (this.#isMapped) syncPlace(this.#kernel, this.#file.place);
  }

  unmap(): void {
    if (!this.#isMapped) return;
    this.#isMapped = false;
    if (this.#file.inode.fs.switches.mappedTimes === 'at sync') {
      settleMapped(this.#kernel, this.#file.inode);
    }
    this.#kernel.closeFile(this.#file);
  }

  /** True: one of the pages was not written to since it was last written out. */
  #touch(at: number, length: number): boolean {
    const { mappedPages } = this.#file.inode;
    const before = mappedPages.size;
    const last = Math.floor((at + length - 1) / PAGE);
    for (let index = Math.floor(at / PAGE); index <= last; index++) mappedPages.add(index);
    return mappedPages.size > before;
  }
}

/** Makes a new file share the blocks of another. */
export function shareContents(kernel: Kernel, from: Place, to: Place): void {
  if (from.inode.fs !== to.inode.fs) fail('EXDEV');
  if (!from.inode.fs.switches.reflink) fail('ENOTSUP');
  const [source, copy] = [from.inode.contents, to.inode.contents];
  if (source === null || copy === null) return fail('EINVAL');
  kernel.meet('write', to);
  copy.share(source);
  to.inode.fs.give(to.inode.uid, copy.taken);
  stampContents(kernel, to.inode);
  kernel.tellChange(to);
}
