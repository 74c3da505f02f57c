/**
 * Contents that could not be had or put in place: the plan goes on without them, and they are tried again less and less often. What the disk had
 * no room for is tried as soon as it has: that is looked at whenever anything is tried again.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { instant, type Instant } from '../../../../shared/model/time.ts';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { FolderLimits } from '../folder-limits.ts';
import { contentsKey, isFull } from './contents-ahead.ts';

/** The disk had no room: how much it had then, and how much is needed. */
interface NoRoom {
  readonly had: number;
  readonly needed: number;
}

interface Unavailable {
  readonly fid: Fid;
  readonly error: unknown;
}

/** Why what failed is looked at: time has passed; somebody begins to wait for it (a flush); or goes on waiting after it was tried for him. */
export type Occasion = 'time' | 'asked' | 'asked again';

/** Keeps account of contents that could not be had, and of when to try again. */
export class UnavailableContents {
  readonly #clock: Clock;
  readonly #limits: Pick<FolderLimits, 'retry' | 'retryMost'>;
  /** By `contentsKey`, until a newer row comes or they are tried again. */
  readonly #contents = new Map<string, Unavailable>();
  /** Contents that came and were given up: how often in a row, and when they may be fetched again. */
  readonly #fetchedInVain = new Map<Fid, { tries: number; due: Instant; noRoom: NoRoom | null }>();
  readonly #free: () => number | null;

  /** `free`: bytes that the disk of the folder has left; null: nobody knows. */
  constructor(
    clock: Clock,
    limits: Pick<FolderLimits, 'retry' | 'retryMost'>,
    free: () => number | null,
  ) {
    this.#clock = clock;
    this.#limits = limits;
    this.#free = free;
  }

  has(status: VnodeStatus): boolean {
    return this.#contents.has(contentsKey(status));
  }

  /** What was wrong with the contents of a vnode when they were obtained last; null: nothing was. */
  errorOf(fid: Fid): unknown {
    for (const each of this.#contents.values()) if (each.fid === fid) return each.error;
    return null;
  }

  /** They can not be had now. */
  add(status: VnodeStatus, error: unknown): void {
    this.#contents.set(contentsKey(status), { fid: status.fid, error });
  }

  /** They came and are given up. To try again means to fetch them again: each time after twice as long. */
  addFetched({ fid, size }: VnodeStatus, error: unknown): void {
    const tries = (this.#fetchedInVain.get(fid)?.tries ?? 0) + 1;
    const wait = Math.min(this.#limits.retry * 2 ** (tries - 1), this.#limits.retryMost);
    // The first time as soon as anything is tried again.
    const due = instant(this.#clock.now() + (tries === 1 ? 0 : wait));
    const had = isFull(error) ? this.#free() : null;
    const noRoom = had === null ? null : { had, needed: size };
    this.#fetchedInVain.set(fid, { tries, due, noRoom });
  }

  /**
   * What is due may be tried again. Where somebody waits for it, what fits by now is due, whatever the room was when it failed. When he begins to, so
   * is all that failed otherwise: what a disk said ten minutes ago is no answer to him. True: something is to be tried later.
   */
  forgiveDue(occasion: Occasion = 'time'): boolean {
    const now = this.#clock.now();
    const free = this.#free();
    let isLeft = false;
    for (const [key, { fid }] of this.#contents) {
      const { due = now, noRoom = null } = this.#fetchedInVain.get(fid) ?? {};
      const mayHelp = noRoom === null || free === null ? occasion === 'asked' : false;
      const isDue = due <= now || mayHelp || hasRoomNow(noRoom, free, occasion !== 'time');
      if (isDue) this.#contents.delete(key);
      else isLeft = true;
    }
    return isLeft;
  }

  /** Somebody asks for the contents of a vnode: whatever failed before is tried again. */
  forgive(fid: Fid): void {
    this.#fetchedInVain.delete(fid);
    for (const [key, each] of [...this.#contents]) if (each.fid === fid) this.#contents.delete(key);
  }

  /** The vnode is in place. */
  placed(fid: Fid): void {
    this.#fetchedInVain.delete(fid);
  }

  /** Of vnodes that nothing is held of any more it is forgotten how often they were fetched in vain. */
  prune(isHeld: (fid: Fid) => boolean): void {
    for (const fid of [...this.#fetchedInVain.keys()]) {
      if (!isHeld(fid)) this.#fetchedInVain.delete(fid);
    }
  }
}

/** Somebody has made room. Where a quota counts, or the number of files, the disk says nothing of it: then time alone does. */
function hasRoomNow(noRoom: NoRoom | null, free: number | null, isAsked: boolean): boolean {
  if (noRoom === null || free === null || free <= noRoom.needed) return false;
  // Room may have been made between the failure and the look at the disk.
  return isAsked || free > noRoom.had;
}
