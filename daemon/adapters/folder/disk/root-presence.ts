/** Is the root where it was? Whoever is to touch the folder asks, and waits while it is away. */
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Background } from '../background.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { FolderDisk } from './folder-disk.ts';
import type { MountAnswers } from './mount-answers.ts';
import type { RootGuard } from './root-guard.ts';
import type { SafeRoot } from './safe-root.ts';

export interface RootPresenceParts {
  readonly guard: RootGuard;
  readonly root: SafeRoot;
  readonly ownDisk: FolderDisk;
  readonly answers: Pick<MountAnswers, 'check'>;
  readonly board: ErrorBoard;
  readonly background: Background;
  readonly events: FolderEvents;
  readonly clock: Clock;
  readonly limits: Pick<FolderLimits, 'heldPause' | 'rootAway'>;
  readonly log: Log;
}

/** Tells whether the root is there, and lets others wait until it is. */
export class RootPresence {
  readonly #parts: RootPresenceParts;
  #isAway = false;
  #foundRoot = Number.NEGATIVE_INFINITY;

  constructor(parts: RootPresenceParts) {
    this.#parts = parts;
  }

  /** Not `now`: what was found a moment ago will do, if it was good. */
  isThere(now: boolean): boolean {
    const { guard, clock, limits } = this.#parts;
    const at = clock.now();
    if (!now && at - this.#foundRoot < limits.heldPause) return true;
    const isThere = guard.isThere();
    this.#foundRoot = isThere ? at : Number.NEGATIVE_INFINITY;
    return isThere;
  }

  /** Why nothing goes on; null: the root was there when somebody last waited for it. */
  get why(): string | null {
    return this.#isAway ? this.#text : null;
  }

  /** Throws `folder-moved` where the root is not there now. */
  mustBeThere(): void {
    if (this.look()) return;
    throw new GodwitError('folder-moved', this.#text);
  }

  /** Nothing tells that the root is covered, or that a folder above it is renamed. False: it is away, which is said from now on, until it is back. */
  look(): boolean {
    if (this.isThere(true)) return true;
    if (!this.#isAway) this.#parts.background.run(this.usable());
    return false;
  }

  get #text(): string {
    const { guard, root } = this.#parts;
    return guard.isMissing()
      ? `${root.path} is not where it was`
      : `${root.path} is not the folder that was synced`;
  }

  /** Waits until the root is there; rejects when the folder is closed meanwhile. It may have been touched meanwhile: then everything is looked at. */
  async usable(): Promise<void> {
    const { guard, root, limits, log, ownDisk, board, background } = this.#parts;
    while (!background.signal.aborted) {
      if (this.isThere(false) && (!this.#isAway || guard.takeAgain())) break;
      if (!this.#isAway) {
        this.#isAway = true;
        log.error('the synced folder is not where it was', { root: root.path });
        board.set('folder-moved', null, this.#text);
      }
      await background.delay(limits.rootAway);
    }
    background.signal.throwIfAborted();
    await this.#parts.answers.check();
    if (!this.#isAway) return;
    this.#isAway = false;
    root.refresh();
    ownDisk.look();
    ownDisk.tell(board);
    board.clear('folder-moved', null);
    this.#parts.events.emit('rootReturned');
  }
}
