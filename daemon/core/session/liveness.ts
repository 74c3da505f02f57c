/** When the server gave a sign of life, and when it was asked for one since (peer-liveness.ts). */
import type { Instant } from '../../../shared/model/time.ts';

/** Records when the server was heard of last, and when it was asked for a sign of life. */
export class Liveness {
  #heard: Instant;
  #asked: Instant | null = null;

  constructor(at: Instant) {
    this.#heard = at;
  }

  /** When it was heard of last. */
  get heard(): Instant {
    return this.#heard;
  }

  /** null: it was not asked since. */
  get asked(): Instant | null {
    return this.#asked;
  }

  hear(at: Instant): void {
    this.#heard = at;
    this.#asked = null;
  }

  ask(at: Instant): void {
    this.#asked = at;
  }
}
