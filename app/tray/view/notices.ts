/**
 * Desktop notices: conflicts, errors, a quota that is used up, changes that have waited for hours. A synced file makes no notice, and a condition
 * makes one notice while it lasts.
 */
import type {
  ErrorStatus,
  OthersRemoved,
  OwnDevice,
  StatusSnapshot,
} from '../../../shared/control/snapshot.ts';
import type { NoticeKind } from './appearance.ts';
import { timeOf } from './clock.ts';
import { lineText } from './format.ts';
import type { Pane } from './menu.ts';
import { problemNeed } from './needs-view.ts';
import { isNote } from './problems.ts';
import { changesWaiting } from './status-view.ts';
import { TEXT } from './text.ts';

export interface Notice {
  readonly kind: NoticeKind;
  readonly title: string;
  readonly body: string;
  readonly pane: Pane;
}

const HOUR_MS = 3_600_000;
/** Between the start of the daemon and that of the tray, both with the session: a slow login. */
const JUST_HEARD_MS = 600_000;
/** Changes that wait for so many hours make a notice: longer than most flights. */
export const LONG_WAIT_HOURS = 4;

/** Compares each status with the one before and gives the notices that are new. */
export class Notices {
  #conflicts: ReadonlySet<number> | null = null;
  #errors: ReadonlySet<string> = new Set();
  /** Since when a burst of removals goes on that was told of. */
  #removedSince: string | null = null;
  /** The bursts of other laptops that were told of. */
  #othersRemoved: ReadonlySet<string> = new Set();
  /** Since when something has waited without a break; null: nothing does. */
  #waitingSince: number | null = null;
  /** The laptops that were told of; null: there was no status yet. */
  #joined: ReadonlySet<string> | null = null;
  #toldOfWaiting = false;
  /** The installed version that was told of. */
  #installed: string | undefined;

  /**
   * What is new in this status. The first status makes notices of errors alone. What comes while its kind is `silent` makes none
   * later either.
   */
  look(status: StatusSnapshot, now: number, silent: readonly NoticeKind[] = []): Notice[] {
    const fresh: Notice[] = [
      ...this.#lookAtConflicts(status),
      ...this.#lookAtErrors(status),
      ...this.#lookAtRemovals(status),
      ...this.#lookAtOthersRemovals(status),
      ...this.#lookAtJoined(status, now),
      ...this.#lookAtWaiting(status, now),
      ...this.#lookAtInstalled(status),
    ];
    return fresh.filter(({ kind }) => !silent.includes(kind));
  }

  #lookAtConflicts({ conflicts }: StatusSnapshot): Notice[] {
    const before = this.#conflicts;
    this.#conflicts = new Set(conflicts.map(({ id }) => id));
    const fresh = before === null ? [] : conflicts.filter(({ id }) => !before.has(id));
    const [first] = fresh;
    if (first === undefined) return [];
    const title = TEXT.notice.conflicts(fresh.length);
    const body = TEXT.notice.conflict(lineText(first.path));
    return [{ kind: 'conflicts', title, body, pane: 'conflicts' }];
  }

  #lookAtErrors({ errors }: StatusSnapshot): Notice[] {
    const before = this.#errors;
    const wrong = errors.filter((error) => !isNote(error));
    this.#errors = new Set(wrong.map(({ code }) => code));
    // Of each code the first: a folder that can't be read may have a thousand files.
    const codes = wrong.map(({ code }) => code);
    const fresh = wrong.filter(({ code }, at) => !before.has(code) && codes.indexOf(code) === at);
    return fresh.map((error) => ({
      kind: 'needs',
      title: error.code === 'over-quota' ? TEXT.notice.quota : TEXT.notice.error,
      body: problemText(error),
      pane: 'home',
    }));
  }

  /** The window has the undo: a notice of Linux has no buttons. */
  #lookAtRemovals({ manyRemoved }: StatusSnapshot): Notice[] {
    const since = manyRemoved?.since ?? null;
    if (manyRemoved === undefined || since === this.#removedSince) return [];
    this.#removedSince = since;
    const title = TEXT.notice.removed(manyRemoved.files);
    return [{ kind: 'removals', title, body: TEXT.notice.removedBody, pane: 'home' }];
  }

  /** `from` stays the same while a burst goes on. */
  #lookAtOthersRemovals({ othersRemoved = [] }: StatusSnapshot): Notice[] {
    const before = this.#othersRemoved;
    this.#othersRemoved = new Set(othersRemoved.map(othersRemovedKey));
    const fresh = othersRemoved.filter((each) => !before.has(othersRemovedKey(each)));
    return fresh.map(({ files, by }) => ({
      kind: 'removals',
      title: TEXT.notice.removedBy(files, by === null ? null : lineText(by)),
      body: TEXT.notice.removedBody,
      pane: 'home',
    }));
  }

  /** With the first status only what the daemon itself heard a moment ago: it may have begun a little before. */
  #lookAtJoined({ devices = [] }: StatusSnapshot, now: number): Notice[] {
    const joined = devices.filter((each) => each.joined !== undefined);
    const before = this.#joined;
    this.#joined = new Set(joined.map(joinedKey));
    const isFresh = (each: OwnDevice): boolean =>
      before === null
        ? now - timeOf(each.joined ?? '') < JUST_HEARD_MS
        : !before.has(joinedKey(each));
    const fresh = joined.filter(isFresh);
    if (fresh.length === 0) return [];
    const names = fresh.map(({ name }) => lineText(name)).join(', ');
    return [
      {
        kind: 'laptops',
        title: TEXT.notice.joined(fresh.length),
        body: TEXT.notice.joinedBody(names, fresh.length),
        pane: 'home',
      },
    ];
  }

  #lookAtInstalled({ version, installed }: StatusSnapshot): Notice[] {
    const isNew = installed !== undefined && installed !== this.#installed;
    this.#installed = installed;
    if (!isNew) return [];
    const says = TEXT.home.updated(lineText(installed), lineText(version));
    const body = `${says} ${TEXT.home.startAgain}`;
    return [{ kind: 'updates', title: TEXT.notice.updated, body, pane: 'home' }];
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
    return [{ kind: 'needs', title: TEXT.notice.waiting, body, pane: 'home' }];
  }
}

/** By which a burst of another laptop is known, with a space nowhere. */
export function othersRemovedKey({ volume, from }: Pick<OthersRemoved, 'volume' | 'from'>): string {
  return `${encodeURIComponent(volume)}:${from}`;
}

/** By which a laptop that has joined is known, with a space nowhere: numbers are given again by a server that was put back. */
export function joinedKey({ device, since }: Pick<OwnDevice, 'device' | 'since'>): string {
  return `${device}:${since}`;
}

/** The name of the file first; what the system said is in the window. */
function problemText(error: ErrorStatus): string {
  const { name, says, remedy } = problemNeed(error);
  return `${name === '' ? '' : `${name}: `}${says}. ${remedy}`;
}
