/** Is the root where it was? Whoever is to touch the folder asks, and waits while it is away. */
import type { Background } from '../background.ts';
import type { FolderParts } from '../build-folder.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { MountAnswers } from './mount-answers.ts';

type RootPresenceParts = Pick<FolderParts, 'guard' | 'root' | 'clock' | 'limits' | 'log' | 'disk'>;

export class RootPresence {
  readonly #parts: RootPresenceParts;
  readonly #board: ErrorBoard;
  readonly #answers: Pick<MountAnswers, 'check'>;
  readonly #background: Background;
  /** It was away and is there again: it may have been touched meanwhile. */
  readonly #isBack: () => void;
  #isAway = false;
  #foundRoot = Number.NEGATIVE_INFINITY;

  constructor(
    parts: RootPresenceParts,
    board: ErrorBoard,
    answers: Pick<MountAnswers, 'check'>,
    background: Background,
    isBack: () => void,
  ) {
    this.#parts = parts;
    this.#board = board;
    this.#answers = answers;
    this.#background = background;
    this.#isBack = isBack;
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

  /** Waits until the root is there; rejects when the folder is closed meanwhile. It may have been touched meanwhile: then everything is looked at. */
  async usable(): Promise<void> {
    const { guard, root, limits, log, disk } = this.#parts;
    while (!this.#background.signal.aborted) {
      if (this.isThere(false) && (!this.#isAway || guard.takeAgain())) break;
      if (!this.#isAway) {
        this.#isAway = true;
        log.error('the synced folder is not where it was', { root: root.path });
        const text = `${root.path} is not the folder that was synced`;
        this.#board.set('folder-moved', null, text);
      }
      await this.#background.delay(limits.retry);
    }
    this.#background.signal.throwIfAborted();
    await this.#answers.check();
    if (!this.#isAway) return;
    this.#isAway = false;
    root.refresh();
    disk.look();
    disk.tell(this.#board);
    this.#board.clear('folder-moved', null);
    this.#isBack();
  }
}
