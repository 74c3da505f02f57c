/**
 * Which hidden updates the server knows of (rules S2, S4), and which may have to be reported next.
 *
 * An update is hidden as long as another device could miss it: it is in the log, and not in flight. The server marks what it changes: for a
 * store or attributes the file, with the number of the last such update, for names their directories. Updates of one file have an
 * order, so its mark ends with the last one; those of a directory have none, so its mark names no number, and we end it.
 */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { Update, UpdateSeq } from '../../../shared/model/update.ts';
import { effectsOf } from './update-index.ts';

/**
 * Tracks which marks the server has from this device, and which updates the next ForwardInvalidate
 * has to report (MFS, section 5).
 */
export class HiddenUpdates {
  /** Marks of this device at the server, by vnode, each with the number of its update. Null: the mark ends when this device ends it. */
  readonly told = new Map<Fid, UpdateSeq | null>();
  /** Vnodes reported before `beginAgain`: the server may have their marks, so each is reported again or ended. */
  readonly doubtful = new Set<Fid>();
  /** Updates that may be hidden from now on. */
  readonly fresh = new Set<UpdateSeq>();
  /** Vnodes of which fewer updates are left than before. */
  readonly ended = new Set<Fid>();
  /** Hidden updates of unshared vnodes (rule S1), by volume; some may not be hidden any more. They are not reported one by one. */
  readonly own = new Map<VolumeId, Set<UpdateSeq>>();
  /** The server supports marks. */
  isHeard = false;
  /** Not every hidden update has been reported on this connection: the server may have marks of an earlier one. */
  isBeginning = false;
  /** The server had marks of this device at the Hello. */
  hadMarks = false;
  /** Superseded updates whose numbers are in marks at the server, with their vnodes. */
  readonly replaced = new Map<UpdateSeq, Fid>();
  inFlight = 0;
  #lastNumber = 0;

  nextNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  /** Begins a session: no vnode is known to be marked. `marks`: how many the server has from before; undefined: it does not support marks. */
  begin(marks: number | undefined): void {
    this.told.clear();
    this.doubtful.clear();
    this.fresh.clear();
    this.ended.clear();
    this.own.clear();
    this.isHeard = marks !== undefined;
    this.isBeginning = true;
    this.hadMarks = (marks ?? 0) > 0;
    this.inFlight = 0;
    this.#lastNumber = 0;
    if (!this.isHeard) this.replaced.clear();
  }

  /** A message with these marks and ends is sent now. */
  tell(marks: ReadonlyMap<Fid, UpdateSeq | null>, ends: ReadonlySet<Fid>): void {
    for (const fid of ends) {
      this.told.delete(fid);
      this.doubtful.delete(fid);
    }
    for (const [fid, seq] of marks) {
      this.told.set(fid, seq);
      this.doubtful.delete(fid);
    }
  }

  /** The server has acknowledged a message. */
  taken(): void {
    this.inFlight -= 1;
    if (this.inFlight === 0 && this.fresh.size === 0) this.replaced.clear();
  }

  /** A message may be lost: every hidden update is reported again, and every other mark is ended. */
  beginAgain(): void {
    for (const fid of this.told.keys()) this.doubtful.add(fid);
    this.told.clear();
    this.isBeginning = true;
    this.hadMarks = true;
  }

  /** The server has decided the update, and its mark has ended with it. */
  decided(seq: UpdateSeq, update: Update): void {
    if (this.told.get(update.fid) === seq) this.told.delete(update.fid);
    for (const [before, fid] of this.replaced) {
      if (fid === update.fid && changesFile(update)) this.replaced.delete(before);
    }
  }

  /**
   * Another update takes the place of one that was not sent, and its file is marked until the server has heard of the other one: until then
   * the number counts as one that is not answered (rule W5).
   */
  superseded(seq: UpdateSeq, fid: Fid): void {
    if (this.told.get(fid) === seq || this.isBeginning) this.replaced.set(seq, fid);
  }

  /** The update is answered, or leaves the log: the marks of its vnodes may have to end. */
  left(update: Update): void {
    for (const fid of markedBy(update)) this.ended.add(fid);
  }

  /** The session has ended: the next one reports everything. */
  forget(): void {
    this.fresh.clear();
    this.ended.clear();
    this.own.clear();
  }
}

/** What others could miss: the contents and attributes of a file, or names in directories. */
export function markedBy(update: Update): Fid[] {
  if (changesFile(update)) return [update.fid];
  return [...new Set(effectsOf(update).map(({ dir }) => dir))];
}

export function changesFile({ op }: Update): boolean {
  return op === 'store' || op === 'setattr';
}
