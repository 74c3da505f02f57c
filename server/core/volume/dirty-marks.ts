/**
 * Dirty marks: which vnodes are about to change, by which update of which device (rule P3).
 *
 * The rows are durable; this is their mirror in memory. A mark ends by the commit or the refusal of its update, by its
 * withdrawal, by the device's word that the update is answered (low water), or by the device's revocation.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { DirtyMark } from '../../../shared/model/stored.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';

export class DirtyMarks {
  readonly #byFid = new Map<Fid, DirtyMark[]>();
  readonly #byDevice = new Map<DeviceId, Map<UpdateSeq, DirtyMark>>();
  readonly #byVolume = new Map<VolumeId, Map<DeviceId, number>>();

  has(device: DeviceId, seq: UpdateSeq): boolean {
    return this.#byDevice.get(device)?.has(seq) ?? false;
  }

  add(mark: DirtyMark): void {
    if (this.has(mark.device, mark.seq)) return;
    const marks = this.#byFid.get(mark.fid);
    if (marks === undefined) this.#byFid.set(mark.fid, [mark]);
    else marks.push(mark);
    const own = this.#byDevice.get(mark.device) ?? new Map<UpdateSeq, DirtyMark>();
    this.#byDevice.set(mark.device, own.set(mark.seq, mark));
    this.#count(mark, 1);
  }

  /** The mark that was there, or null. */
  remove(device: DeviceId, seq: UpdateSeq): DirtyMark | null {
    const own = this.#byDevice.get(device);
    const mark = own?.get(seq);
    if (own === undefined || mark === undefined) return null;
    own.delete(seq);
    if (own.size === 0) this.#byDevice.delete(device);
    const rest = (this.#byFid.get(mark.fid) ?? []).filter((other) => other !== mark);
    if (rest.length === 0) this.#byFid.delete(mark.fid);
    else this.#byFid.set(mark.fid, rest);
    this.#count(mark, -1);
    return mark;
  }

  /** Devices other than `reader` that are about to change the vnode, in the order of their marks. */
  writersOf(fid: Fid, reader: DeviceId): DeviceId[] {
    const marks = this.#byFid.get(fid);
    if (marks === undefined) return [];
    return [...new Set(marks.map((mark) => mark.device))].filter((device) => device !== reader);
  }

  isDirtyFor(fid: Fid, reader: DeviceId): boolean {
    return this.#byFid.get(fid)?.some((mark) => mark.device !== reader) ?? false;
  }

  /** Is anything in the volume about to be changed by another device than `reader`? */
  isVolumeDirtyFor(volume: VolumeId, reader: DeviceId): boolean {
    const counts = this.#byVolume.get(volume);
    if (counts === undefined) return false;
    return counts.size > (counts.has(reader) ? 1 : 0);
  }

  /** The updates of a device with a mark, below `limit` (null: all), in order. */
  ofDevice(device: DeviceId, limit: UpdateSeq | null): UpdateSeq[] {
    const seqs = [...(this.#byDevice.get(device)?.keys() ?? [])];
    return seqs.filter((seq) => limit === null || seq < limit).sort((a, b) => a - b);
  }

  devices(): DeviceId[] {
    return [...this.#byDevice.keys()];
  }

  #count(mark: DirtyMark, by: number): void {
    const volume = volumeOf(mark.fid);
    const counts = this.#byVolume.get(volume) ?? new Map<DeviceId, number>();
    const count = (counts.get(mark.device) ?? 0) + by;
    if (count === 0) counts.delete(mark.device);
    else counts.set(mark.device, count);
    if (counts.size === 0) this.#byVolume.delete(volume);
    else this.#byVolume.set(volume, counts);
  }
}
