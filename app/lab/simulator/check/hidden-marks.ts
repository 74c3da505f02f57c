/**
 * Which marks of hidden updates the server's database has, as groups of rows become durable there (rules S2 to S5).
 *
 * The server goes by its memory, which is ahead of that by two groups at most: one that is being written and one that is collected. So what
 * it did in a moment is judged when the second group after that moment is durable.
 */
import type { DeviceId } from '../../../../shared/model/change.ts';
import { unsharedIn, volumeOf, type Fid } from '../../../../shared/model/fid.ts';
import type { RowWrite } from '../../../../shared/model/stored.ts';
import type { Observation } from './observation.ts';

/** Groups by which the server's memory may be ahead. */
export const AHEAD = 2;

/** Keeps the marks of hidden updates that the server's database has, by vnode and device. */
export class HiddenMarks {
  readonly #marks = new Map<Fid, Map<DeviceId, number>>();
  /** The group in which a mark of the vnode began or ended last. */
  readonly #changed = new Map<Fid, number>();
  #groups = 0;
  #isRestored = false;
  /** What was heard last: several hear of it here. */
  #heard: Observation | null = null;

  /** How many groups are durable. */
  get groups(): number {
    return this.#groups;
  }

  hear(observation: Observation): void {
    if (observation === this.#heard) return;
    this.#heard = observation;
    if (observation.kind === 'restored') {
      this.#marks.clear();
      this.#isRestored = true;
    }
    if (observation.kind !== 'committed') return;
    this.#groups += 1;
    for (const write of observation.writes) this.#take(write);
  }

  /** Of others than the reader: the devices with a mark of the file, each with the group since which it stands. */
  ofFile(fid: Fid, reader: DeviceId): ReadonlyMap<DeviceId, number> {
    const marks = new Map(this.#marks.get(fid));
    marks.delete(reader);
    return marks;
  }

  /** Somebody else has something of the file hidden, or of what it has for its own in the volume; or a backup had marks that nobody knows here. */
  mayHide(fid: Fid, reader: DeviceId): boolean {
    if (this.#isRestored) return true;
    const own = this.ofFile(unsharedIn(volumeOf(fid)), reader);
    return this.ofFile(fid, reader).size + own.size > 0;
  }

  /** The last group in which a mark of the file, or of what somebody has for its own in its volume, began or ended; -1: in none. */
  lastMarked(fid: Fid): number {
    const own = this.#changed.get(unsharedIn(volumeOf(fid))) ?? -1;
    return Math.max(this.#changed.get(fid) ?? -1, own);
  }

  #take(write: RowWrite): void {
    if (write.kind === 'dirty' || write.kind === 'clean')
      this.#changed.set(write.fid, this.#groups);
    if (write.kind === 'dirty') {
      const marks = this.#marks.get(write.fid) ?? new Map<DeviceId, number>();
      // One that takes the place of another stands since that one.
      if (!marks.has(write.device)) marks.set(write.device, this.#groups);
      this.#marks.set(write.fid, marks);
    } else if (write.kind === 'clean') {
      const marks = this.#marks.get(write.fid);
      marks?.delete(write.device);
      if (marks?.size === 0) this.#marks.delete(write.fid);
    }
  }
}
