/**
 * When the menu of the icon is replaced. A click on an item of a menu that was replaced since it was drawn is lost, and a panel on Linux tells no
 * program that it shows the menu itself, only that it shows a menu inside of it. The tooltip goes along: to set it replaces the menu there.
 */

/** Words that are new are shown once they have been the same for so long, in milliseconds. */
const QUIET_MS = 2000;
/** And at the latest so long after the first that waits, in milliseconds: while much moves they are never quiet. */
const MOST_WAIT_MS = 30_000;
/** A panel that never says that a menu was closed holds it no longer than this, in milliseconds. */
const MOST_HELD_MS = 60_000;

/** Calls `run` after so many milliseconds; what it returns takes that back. */
export type Later = (run: () => void, ms: number) => () => void;

/** Puts a menu in the place of the last one: not while that is open, and for new words alone only once they rest. */
export class HeldMenu<Menu> {
  readonly #put: (menu: Menu) => void;
  readonly #later: Later;
  #waiting: { readonly menu: Menu } | null = null;
  #isOpen = false;
  /** What takes the timers back. */
  readonly #timers = new Map<'quiet' | 'most' | 'held', () => void>();

  constructor(put: (menu: Menu) => void, later: Later) {
    this.#put = put;
    this.#later = later;
  }

  /** `hasOtherChoices`: something else can be chosen in it, so it is shown at once unless the menu is open. */
  replace(menu: Menu, hasOtherChoices: boolean): void {
    this.#waiting = { menu };
    if (this.#isOpen) return;
    if (hasOtherChoices) return this.#show();
    this.#time('quiet', QUIET_MS);
    if (!this.#timers.has('most')) this.#time('most', MOST_WAIT_MS);
  }

  /** The panel shows the menu, or one inside of it. Each time the minute begins anew. */
  opened(): void {
    this.#endTimers();
    this.#isOpen = true;
    this.#time('held', MOST_HELD_MS);
  }

  /** The panel shows it no longer, or an item was chosen. */
  closed(): void {
    if (this.#isOpen) this.#show();
  }

  /** Shows what waits, if anything does. */
  #show(): void {
    this.#endTimers();
    this.#isOpen = false;
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting !== null) this.#put(waiting.menu);
  }

  #time(timer: 'quiet' | 'most' | 'held', ms: number): void {
    this.#timers.get(timer)?.();
    this.#timers.set(
      timer,
      this.#later(() => this.#show(), ms),
    );
  }

  #endTimers(): void {
    for (const end of this.#timers.values()) end();
    this.#timers.clear();
  }
}
