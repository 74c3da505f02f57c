/**
 * Questions about hidden updates of a volume that were not answered yet (read/server-pull.ts).
 *
 * Invariant: the directory that all volumes share says of each question whose it is. An answer names nothing but its message.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Instant } from '../../../shared/model/time.ts';

export interface Pull {
  readonly device: DeviceId;
  readonly fid: Fid;
  readonly since: Instant;
}

/** By message, in the order of asking. */
export type PullDirectory = Map<number, Pulls>;

export class Pulls {
  readonly #asked = new Map<number, Pull>();
  readonly #directory: PullDirectory;

  constructor(directory: PullDirectory) {
    this.#directory = directory;
  }

  isAsked(device: DeviceId, fid: Fid): boolean {
    for (const pull of this.#asked.values()) {
      if (pull.device === device && pull.fid === fid) return true;
    }
    return false;
  }

  get(message: number): Pull | null {
    return this.#asked.get(message) ?? null;
  }

  begin(message: number, pull: Pull): void {
    this.#asked.set(message, pull);
    this.#directory.set(message, this);
  }

  end(message: number): void {
    this.#asked.delete(message);
    this.#directory.delete(message);
  }
}
