/**
 * What came from elsewhere and is not in place: something failed here, or something here is in its way. Each with its reason, until it
 * is in place or nobody's wish any more.
 *
 * Invariants
 * 1. What is in the way is first looked at: it may be a change that nobody has logged yet. It stands in the way when looks have found
 *    nothing to log.
 * 2. An entry stays until its vnode is in place or not held any more; a try that is about to be made takes nothing away.
 * 3. A try may fail at one step and meet something at the next: the failure ends no count of what was met. Else each try would begin a count, and
 *    ask for a look that leads to the next try, without a pause.
 * 4. A try lets us into a folder for a moment, which shows as a change. What is found unchanged then is no reason for the next one.
 */
import type { WaitingStatus } from '../../../../shared/control/snapshot.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../../shared/model/vnode.ts';
import { fromRoot } from '../../../../shared/util/from-root.ts';
import { GodwitError, type ErrorCode } from '../../../../shared/wire/error-codes.ts';

/** Tries that met the same thing, with a look at it between each two. */
const STANDS_AFTER = 3;

export interface Why {
  readonly commit: CommitNumber;
  /** What is not in place; null: it has no path here. */
  readonly path: string | null;
  readonly reason: string;
}

/** What a look has found at a path. */
export interface SeenAtPaths {
  readonly inodeAt: (path: string) => string | null;
  /** A synced folder: what is in it shows by itself. */
  readonly isRecorded: (path: string) => boolean;
}

interface Known extends Why {
  readonly code: ErrorCode;
}

interface Entry extends Why {
  /** null: it is looked at still. */
  readonly code: ErrorCode | null;
  /** Where something is in the way; null: nothing is. */
  readonly at: string | null;
  /** The inode that stands there, as a try met it; null: none. */
  readonly stands: string | null;
  readonly tries: number;
  /** Of a folder in the way in which nothing is synced. */
  readonly leftOver: string | null;
}

/** Keeps account of vnodes that are not in place, each with its reason. */
export class Unplaced {
  readonly #entries = new Map<Fid, Entry>();
  /** Names that the disk can't have, by place: what they name may have others. */
  readonly #keptOut = new Map<string, Known>();

  /** Without what the disk can't have: that is no work that goes on. */
  get open(): number {
    return this.#entries.size;
  }

  get size(): number {
    return this.#entries.size + this.#keptOut.size;
  }

  /** Something failed. What was in the way at another step of it may be so still. */
  failed(fid: Fid, why: Why, code: ErrorCode): void {
    const { at = null, stands = null, tries = 0, leftOver = null } = this.#entries.get(fid) ?? {};
    this.#entries.set(fid, { ...why, code, at, stands, tries, leftOver });
  }

  /**
   * Something is in the way. `isLooked`: nothing is known there that a look has still to log. `stands`: the inode that is there. True: it stands
   * there.
   */
  met(fid: Fid, why: Why, at: string, isLooked: boolean, stands: string | null = null): boolean {
    const before = this.#entries.get(fid);
    const isSame = before?.at === at;
    const tries = isSame ? before.tries + Number(isLooked) : 1;
    const code = tries >= STANDS_AFTER ? 'place-taken' : null;
    const leftOver = isSame ? before.leftOver : null;
    this.#entries.set(fid, { ...why, code, at, stands, tries, leftOver });
    return code !== null;
  }

  /** Said of what stands in the way. `leftOver`: the inode of a folder in which nothing is synced. */
  explain(fid: Fid, reason: string, leftOver: string | null): void {
    const entry = this.#entries.get(fid);
    if (entry === undefined) return;
    // Once it was left over, it is so when it is empty.
    this.#entries.set(fid, { ...entry, reason, leftOver: leftOver ?? entry.leftOver });
  }

  /** The disk can't have the name. */
  keptOut(place: string, why: Why, code: ErrorCode): void {
    this.#keptOut.set(place, { ...why, code });
  }

  letIn(place: string): void {
    this.#keptOut.delete(place);
  }

  done(fid: Fid): void {
    this.#entries.delete(fid);
  }

  /** What is not held any more is not missing. */
  keepOnly(isHeld: (fid: Fid) => boolean): void {
    for (const fid of [...this.#entries.keys()]) if (!isHeld(fid)) this.#entries.delete(fid);
  }

  /** Up to that commit something is not in place, and is not merely looked at. */
  isFailing(upTo: CommitNumber): boolean {
    for (const { code, commit } of this.#all()) {
      if (code !== null && commit <= upTo) return true;
    }
    return false;
  }

  /** Of each it is known why. */
  get isDecided(): boolean {
    return [...this.#entries.values()].every(({ code }) => code !== null);
  }

  /** What happens at this path may make room for something. */
  isInTheWay(path: string): boolean {
    for (const { at } of this.#entries.values()) {
      if (at !== null && (path === at || path.startsWith(`${at}/`))) return true;
    }
    return false;
  }

  /**
   * These paths were looked at, with nothing to tell: has one of them waited for that look, or is there another thing in the way, or in that? Our own
   * tries show at what is in the way as well, and change nothing of it; nor do they of a synced folder in that, through which they are let.
   */
  mayHaveGone(paths: readonly string[], { inodeAt, isRecorded }: SeenAtPaths): boolean {
    return paths.some((path) => {
      for (const { at, code, stands } of this.#entries.values()) {
        if (at !== null && path.startsWith(`${at}/`) && !isRecorded(path)) return true;
        if (path === at && (code === null || inodeAt(path) !== stands)) return true;
      }
      return false;
    });
  }

  /** What is in the way of it was left over, as far as is known. */
  leftOverBefore(fid: Fid): { readonly at: string; readonly inode: string } | null {
    const { at = null, leftOver = null } = this.#entries.get(fid) ?? {};
    return at === null || leftOver === null ? null : { at, inode: leftOver };
  }

  /** The folder was in the way of something, with nothing in it that is synced: by itself it is nobody's change. */
  isLeftOver(inode: string): boolean {
    for (const { leftOver } of this.#entries.values()) if (leftOver === inode) return true;
    return false;
  }

  /** Why what the volume has at a path is not there, or not what it lies in; null: nothing is known of that. */
  reasonAt(path: string): string | null {
    for (const { path: at, reason, code } of this.#all()) {
      if (at === null || code === null) continue;
      if (path === at) return reason;
      if (path.startsWith(`${at}/`)) return `${at}: ${reason}`;
    }
    return null;
  }

  #all(): Array<Known | Entry> {
    return [...this.#entries.values(), ...this.#keptOut.values()];
  }

  list(): WaitingStatus[] {
    const placed = [...this.#entries.values()].map(({ path, reason }) => ({ path, reason }));
    const out = [...this.#keptOut.values()].map(({ path, reason }) => ({ path, reason }));
    return [...placed, ...out.map((row) => ({ ...row, stands: true as const }))];
  }

  /** The first of those that are looked at still, and are not in place either; null: there is none. */
  get undecided(): GodwitError | null {
    const first = [...this.#entries.values()].find(({ code }) => code === null);
    if (first === undefined) return null;
    const named = first.path === null ? first.reason : `${fromRoot(first.path)}: ${first.reason}`;
    return new GodwitError('sync-blocked', named);
  }

  /** Why the first of them can not be put in place; null: there is none of which that is known. */
  get error(): GodwitError | null {
    const found = this.#all().filter(({ code }) => code !== null);
    const [first] = found;
    if (first === undefined || first.code === null) return null;
    const named = first.path === null ? first.reason : `${fromRoot(first.path)}: ${first.reason}`;
    const more = found.length === 1 ? '' : ` (and ${found.length - 1} more)`;
    return new GodwitError(first.code, named + more);
  }
}
