/**
 * Dirty marks of a volume: which of its vnodes are about to change, by which device (rules P3, S2).
 *
 * The rows are durable; this is their mirror in memory. There is one mark for each vnode and device. It names the last of the updates, and ends by
 * the commit or the refusal of that one, or when it was answered (low water); one of a directory names none. Besides, a device ends marks of its own
 * by a message, and its revocation ends all of them.
 *
 * Invariant: the counts that all volumes share say of each device how many marks it has in which volume. A device may have so many in all.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { DirtyMark } from '../../../shared/model/stored.ts';
import type { CountsByOwner } from '../../../shared/util/counts-by-owner.ts';

/** Mirrors the dirty marks of a volume, by vnode and by device (MFS, section 5). */
export class DirtyMarks {
  readonly #volume: VolumeId;
  readonly #counts: CountsByOwner<DeviceId, VolumeId>;
  readonly #byFid = new Map<Fid, DirtyMark[]>();
  readonly #byDevice = new Map<DeviceId, Map<Fid, DirtyMark>>();

  constructor(volume: VolumeId, counts: CountsByOwner<DeviceId, VolumeId>) {
    this.#volume = volume;
    this.#counts = counts;
  }

  /** The mark of this device; null: there is none. */
  get(device: DeviceId, fid: Fid): DirtyMark | null {
    return this.#byDevice.get(device)?.get(fid) ?? null;
  }

  /** In the place of the one that was there, if any. */
  put(mark: DirtyMark): void {
    this.remove(mark.device, mark.fid);
    const marks = this.#byFid.get(mark.fid);
    if (marks === undefined) this.#byFid.set(mark.fid, [mark]);
    else marks.push(mark);
    const own = this.#byDevice.get(mark.device) ?? new Map<Fid, DirtyMark>();
    this.#byDevice.set(mark.device, own.set(mark.fid, mark));
    this.#counts.add(mark.device, this.#volume, 1);
  }

  /** The mark that was there, or null. */
  remove(device: DeviceId, fid: Fid): DirtyMark | null {
    const own = this.#byDevice.get(device);
    const mark = own?.get(fid);
    if (own === undefined || mark === undefined) return null;
    own.delete(fid);
    if (own.size === 0) this.#byDevice.delete(device);
    const rest = (this.#byFid.get(fid) ?? []).filter((other) => other !== mark);
    if (rest.length === 0) this.#byFid.delete(fid);
    else this.#byFid.set(fid, rest);
    this.#counts.add(device, this.#volume, -1);
    return mark;
  }

  /** Devices other than `reader` that are about to change the vnode, in the order of their marks. */
  writersOf(fid: Fid, reader: DeviceId): DeviceId[] {
    const marks = this.#byFid.get(fid) ?? [];
    return marks.map((mark) => mark.device).filter((device) => device !== reader);
  }

  /** Whether another device than `reader` is about to change the vnode. */
  isDirtyFor(fid: Fid, reader: DeviceId): boolean {
    return this.#byFid.get(fid)?.some((mark) => mark.device !== reader) ?? false;
  }

  /** Whether another device than `reader` is about to change anything in the volume. */
  isVolumeDirtyFor(reader: DeviceId): boolean {
    return this.#byDevice.size > (this.#byDevice.has(reader) ? 1 : 0);
  }

  /** In the order in which they were put. */
  ofDevice(device: DeviceId): DirtyMark[] {
    return [...(this.#byDevice.get(device)?.values() ?? [])];
  }
}
