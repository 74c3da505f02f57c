/**
 * What uploads under way will let a volume grow by (rule D3): kept for each from its header until it is decided or let go, so that
 * many at once do not fill the disk with contents that are refused in the end.
 *
 * Invariant: who holds a reservation is an update that is on its way and not decided (quota/reserve.ts).
 */
import type { DeviceId } from '../../../shared/model/change.ts';

/** An update, as far as it matters here. */
interface Upload {
  readonly device: { readonly id: DeviceId };
}

/** Counts the reserved bytes of uploads in progress, by upload and by device. */
export class Reservations<T extends Upload> {
  readonly #held = new Map<T, number>();
  readonly #ofDevices = new Map<DeviceId, number>();
  #total = 0;

  /** Bytes of all. */
  get total(): number {
    return this.#total;
  }

  get holders(): Iterable<T> {
    return this.#held.keys();
  }

  of(device: DeviceId): number {
    return this.#ofDevices.get(device) ?? 0;
  }

  heldBy(upload: T): number {
    return this.#held.get(upload) ?? 0;
  }

  put(upload: T, bytes: number): void {
    this.drop(upload);
    if (bytes <= 0) return;
    this.#held.set(upload, bytes);
    this.#add(upload.device.id, bytes);
  }

  drop(upload: T): void {
    const bytes = this.#held.get(upload);
    if (bytes === undefined) return;
    this.#held.delete(upload);
    this.#add(upload.device.id, -bytes);
  }

  #add(device: DeviceId, bytes: number): void {
    this.#total += bytes;
    const sum = this.of(device) + bytes;
    if (sum === 0) this.#ofDevices.delete(device);
    else this.#ofDevices.set(device, sum);
  }
}
