/** How the simulated kernel lists a directory: in pieces, between which names come and go, as getdents has it. */
import { READ, requireAccess } from './access-rights.ts';
import { touchAccess } from './access-time.ts';
import type { Entry } from './directory-entries.ts';
import type { Inode } from './inode.ts';
import type { Kernel } from './kernel.ts';
import { fail } from './kernel-error.ts';
import type { Place } from './mount.ts';
import type { Process } from './process.ts';

/** Names that one call gives. */
const PIECE = 32;

/** Reads the names of an open directory, one after the other. */
export class DirectoryWalk {
  readonly #kernel: Kernel;
  readonly #place: Place;
  #piece: readonly Entry<Inode>[] = [];
  #at = 0;
  #last: Entry<Inode> | null = null;
  #isOpen = true;

  /** Throws ENOTDIR, EACCES. */
  constructor(kernel: Kernel, caller: Process, place: Place) {
    if (place.inode.kind !== 'directory') fail('ENOTDIR');
    kernel.meet('open', place);
    requireAccess(caller, place.inode, READ);
    this.#kernel = kernel;
    this.#place = place;
    place.inode.opens += 1;
  }

  /** null: that was all. */
  next(): Entry<Inode> | null {
    if (!this.#isOpen) fail('EBADF');
    if (this.#at >= this.#piece.length) this.#fill();
    const entry = this.#piece[this.#at] ?? null;
    this.#at += 1;
    if (entry !== null) this.#last = entry;
    return entry;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#place.inode.opens -= 1;
    this.#kernel.release(this.#place.inode);
  }

  #fill(): void {
    this.#kernel.meet('list', this.#place);
    touchAccess(this.#kernel, this.#place);
    this.#piece = this.#place.inode.entries?.after(this.#last, PIECE) ?? [];
    this.#at = 0;
  }
}

/** All of them at once. */
export function listing(kernel: Kernel, caller: Process, place: Place): readonly Entry<Inode>[] {
  if (place.inode.kind !== 'directory') fail('ENOTDIR');
  kernel.meet('open', place);
  requireAccess(caller, place.inode, READ);
  kernel.meet('list', place);
  touchAccess(kernel, place);
  return place.inode.entries?.list() ?? [];
}
