/** How much the updates that are to be sent let each volume grow: what this device has written and the server does not count yet. */
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';

/** Sums the growth of the unanswered updates by volume, in bytes. */
export class LoggedGrowth {
  readonly #counted = new Map<UpdateSeq, { readonly volume: VolumeId; readonly bytes: number }>();
  readonly #sums = new Map<VolumeId, number>();
  #hasShrunk = false;

  /** Bytes; below zero where more goes than comes. */
  of(volume: VolumeId): number {
    return this.#sums.get(volume) ?? 0;
  }

  /** Whether there may be room for more since it was asked last. */
  hasShrunk(): boolean {
    const has = this.#hasShrunk;
    this.#hasShrunk = false;
    return has;
  }

  put(seq: UpdateSeq, volume: VolumeId, bytes: number): void {
    this.drop(seq);
    if (bytes === 0) return;
    this.#counted.set(seq, { volume, bytes });
    this.#sums.set(volume, this.of(volume) + bytes);
  }

  drop(seq: UpdateSeq): void {
    const known = this.#counted.get(seq);
    if (known === undefined) return;
    this.#counted.delete(seq);
    this.#hasShrunk ||= known.bytes > 0;
    this.#sums.set(known.volume, this.of(known.volume) - known.bytes);
  }
}
