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
  /** Each of these is done by one at a time; who needs it done waits for that one. */
  #lookingAgain: Promise<void> | null = null;
  #adjusting: Promise<void> | null = null;
  #auditing: Promise<boolean> | null = null;
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

  /**
   * Until no conflict asks for anything and the audit has nothing to say, or never seems to. What is under way by itself is waited for:
   * an audit that has concluded, and whose rows are being put in place, is wanted no more.
   */
  async settled(): Promise<void> {
    const { feed, volume, limits } = this.#parts;
    for (let round = 0; round < limits.settleRounds; round++) {
      let isQuiet = true;
      if (feed.adjustments(volume.id).length > 0) await this.#adjustAll();
      else if (this.#auditing !== null || this.#rooms.audit.isWanted) {
        isQuiet = await this.#auditAll();
      } else if (this.#lookingAgain !== null) await this.#lookingAgain;
      else return;
      await this.#background.delay(isQuiet ? limits.heldPause : limits.settle);
    }
  }

  /** Begins after the call: what one under way may have passed already is looked at too. */
  async #lookAgain(): Promise<void> {
    if (!this.#isOpen) return;
    while (this.#lookingAgain !== null) await this.#lookingAgain.catch(() => undefined);
    this.#lookingAgain = this.#rooms.remote.lookAgain();
    try {
      await this.#lookingAgain;
    } finally {
      this.#lookingAgain = null;
      this.#lookedAgain = this.#parts.clock.now();
    }
    this.#auditSoon();
  }

  async #adjustAll(): Promise<void> {
    if (!this.#isOpen) return;
    this.#adjusting ??= this.#adjustEach().finally(() => (this.#adjusting = null));
    await this.#adjusting;
    this.lookAgainSoon();
    this.#auditSoon();
  }

  async #adjustEach(): Promise<void> {
    while (await this.#adjustNext());
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
    this.#background.after('audit', this.#parts.limits.audit, async () => {
      await this.#auditAll();
    });
  }

  /** False: it is not quiet enough to say anything. */
  async #auditAll(): Promise<boolean> {
    this.#auditing ??= this.#audit().finally(() => (this.#auditing = null));
    return this.#auditing;
  }

  async #audit(): Promise<boolean> {
    const { audit } = this.#rooms;
    if (!audit.isWanted) return true;
    const outcome = await audit.run();
    if (outcome === 'found') await this.#lookAgain();
    if (outcome === 'busy') {
      this.#auditSoon();
      return false;
    }
    audit.settled();
    return true;
  }
}
