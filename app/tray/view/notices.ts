/**
 * Desktop notices: conflicts, errors, a quota that is used up, changes that have waited for hours. A file that was synced is no notice,
 * and nothing is told twice while it lasts.
 */
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { lineText } from './format.ts';
import type { Pane } from './menu.ts';
import { isNote } from './problems.ts';
import { changesWaiting } from './status-view.ts';
import { TEXT } from './text.ts';

export interface Notice {
  readonly title: string;
  readonly body: string;
  readonly pane: Pane;
}

const HOUR_MS = 3_600_000;
/** Changes that wait for so long are told of: longer than a flight of most. */
export const LONG_WAIT_HOURS = 4;

/** Compares each status with the one before and gives the notices that are new. */
export class Notices {
  #conflicts: ReadonlySet<number> | null = null;
  #errors: ReadonlySet<string> = new Set();
  /** Since when something has waited without a break; null: nothing does. */
  #waitingSince: number | null = null;
  #toldOfWaiting = false;

  /** What is new in this status. The first one tells of nothing that was there already but errors. */
  look(status: StatusSnapshot, now: number): Notice[] {
    return [
      ...this.#lookAtConflicts(status),
      ...this.#lookAtErrors(status),
      ...this.#lookAtWaiting(status, now),
    ];
  }

  #lookAtConflicts({ conflicts }: StatusSnapshot): Notice[] {
    const before = this.#conflicts;
    this.#conflicts = new Set(conflicts.map(({ id }) => id));
    const fresh = before === null ? [] : conflicts.filter(({ id }) => !before.has(id));
    const [first] = fresh;
    if (first === undefined) return [];
    const title = fresh.length === 1 ? TEXT.conflicts(1) : TEXT.notice.conflicts(fresh.length);
    return [{ title, body: TEXT.notice.conflict(lineText(first.path)), pane: 'conflicts' }];
  }

  #lookAtErrors({ errors }: StatusSnapshot): Notice[] {
    const before = this.#errors;
    const wrong = errors.filter((error) => !isNote(error));
    this.#errors = new Set(wrong.map(({ code }) => code));
    // Of each code the first: a folder that can't be read may have a thousand files.
    const codes = wrong.map(({ code }) => code);
    const fresh = wrong.filter(({ code }, at) => !before.has(code) && codes.indexOf(code) === at);
    return fresh.map(({ code, message, remedy }) => ({
      title: code === 'over-quota' ? TEXT.notice.quota : TEXT.notice.error,
      body: lineText(`${message}; ${remedy}`),
      pane: 'problems',
    }));
  }

  #lookAtWaiting(status: StatusSnapshot, now: number): Notice[] {
    const waiting = changesWaiting(status);
    if (waiting === 0) {
      this.#waitingSince = null;
      this.#toldOfWaiting = false;
      return [];
    }
    this.#waitingSince ??= now;
    const hours = Math.floor((now - this.#waitingSince) / HOUR_MS);
    if (hours < LONG_WAIT_HOURS || this.#toldOfWaiting) return [];
    this.#toldOfWaiting = true;
    const body = TEXT.notice.waitingBody(waiting, hours);
    return [{ title: TEXT.notice.waiting, body, pane: 'activity' }];
  }
}
