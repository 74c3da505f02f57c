/**
 * When to look again at what the feed left over: rows that were held back, adjustments that conflicts ask for, and, when all
 * of it is done, the audit that holds the folder against the volume.
 */
import { milliseconds } from '../../../shared/model/time.ts';
import type { Background } from './background.ts';
import type { FolderParts, FolderRooms } from './build-folder.ts';

export class CatchUp {
  readonly #parts: FolderParts;
  readonly #rooms: FolderRooms;
  readonly #background: Background;
  readonly #usable: () => Promise<void>;
  #isOpen = false;
  #isLookingAgain = false;
  #isAdjusting = false;
  #isAuditing = false;
  #lookedAgain = 0;

  constructor(
    parts: FolderParts,
    rooms: FolderRooms,
    { background, usable }: { background: Background; usable: () => Promise<void> },
  ) {
    this.#parts = parts;
    this.#rooms = rooms;
    this.#background = background;
    this.#usable = usable;
  }

  /** The folder was looked at whole: from now on things may be put in place. */
  open(): void {
    this.#isOpen = true;
    this.adjustSoon();
  }

  lookAgainSoon(): void {
    if (this.#background.isWaiting('held') || this.#parts.loaded.held.size === 0) return;
    const since = this.#parts.clock.now() - this.#lookedAgain;
    const pause = milliseconds(Math.max(0, this.#parts.limits.heldPause - since));
    this.#background.after('held', pause, () => this.#lookAgain());
  }

  adjustSoon(): void {
    this.#background.after('adjust', milliseconds(0), () => this.#adjustAll());
  }

  /** Until no conflict asks for anything and the audit has nothing to say, or never seems to. */
  async settled(): Promise<void> {
    const { feed, volume, limits } = this.#parts;
    for (let round = 0; round < limits.settleRounds; round++) {
      const isAsked = feed.adjustments(volume.id).length > 0;
      if (isAsked) await this.#adjustAll();
      else if (this.#rooms.audit.isWanted) await this.#auditAll();
      else return;
      await this.#background.delay(limits.heldPause);
    }
  }

  async #lookAgain(): Promise<void> {
    if (!this.#isOpen) return;
    if (this.#isLookingAgain) {
      const { heldPause } = this.#parts.limits;
      return this.#background.after('held', heldPause, () => this.#lookAgain());
    }
    this.#isLookingAgain = true;
    try {
      await this.#rooms.remote.lookAgain();
    } finally {
      this.#isLookingAgain = false;
      this.#lookedAgain = this.#parts.clock.now();
    }
    this.#auditSoon();
  }

  async #adjustAll(): Promise<void> {
    if (!this.#isOpen || this.#isAdjusting) return;
    this.#isAdjusting = true;
    try {
      while (await this.#adjustNext());
    } finally {
      this.#isAdjusting = false;
    }
    this.lookAgainSoon();
    this.#auditSoon();
  }

  /** False: there is none, or it has to wait. */
  async #adjustNext(): Promise<boolean> {
    const { feed, volume, limits } = this.#parts;
    const [next] = feed.adjustments(volume.id);
    if (next === undefined || this.#background.signal.aborted) return false;
    await this.#usable();
    const isDone = await this.#rooms.adjust.run(next);
    this.#rooms.audit.want();
    if (!isDone) this.#background.after('adjust', limits.settle, () => this.#adjustAll());
    return isDone;
  }

  #auditSoon(): void {
    if (!this.#isOpen || !this.#rooms.audit.isWanted) return;
    this.#background.after('audit', this.#parts.limits.audit, () => this.#auditAll());
  }

  async #auditAll(): Promise<void> {
    const { audit } = this.#rooms;
    if (!audit.isWanted || this.#isAuditing) return;
    this.#isAuditing = true;
    let outcome;
    try {
      outcome = await audit.run();
      if (outcome === 'found') await this.#lookAgain();
      if (outcome !== 'busy') audit.settled();
    } finally {
      this.#isAuditing = false;
    }
    if (outcome === 'busy') this.#auditSoon();
  }
}
