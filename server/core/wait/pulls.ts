/**
 * Server pulls of a volume that their devices have not answered yet (read/server-pull.ts).
 *
 * Invariant: the directory that all volumes share says of each question whose it is. An answer names nothing but its message.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Instant } from '../../../shared/model/time.ts';

/** A question to a device about a file. */
export interface Pull {
  readonly device: DeviceId;
  readonly fid: Fid;
  readonly since: Instant;
}

/** By message, in the order of asking. */
export type PullDirectory = Map<number, Pulls>;

/** Keeps the unanswered server pulls of a volume by their message numbers (MFS, section 5). */
export class Pulls {
  readonly #open = new Map<number, Pull>();
  readonly #directory: PullDirectory;

  constructor(directory: PullDirectory) {
    this.#directory = directory;
  }

  isAsked(device: DeviceId, fid: Fid): boolean {
    for (const pull of this.#open.values()) {
      if (pull.device === device && pull.fid === fid) return true;
    }
    return false;
  }

  get(message: number): Pull | null {
    return this.#open.get(message) ?? null;
  }

  begin(message: number, pull: Pull): void {
    this.#open.set(message, pull);
    this.#directory.set(message, this);
  }

  end(message: number): void {
    this.#open.delete(message);
    this.#directory.delete(message);
  }
}
