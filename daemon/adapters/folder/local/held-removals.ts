/**
 * Removals that wait for a person: those of many files that a look found missing at once (promise 5), and what vanished with a disk (mount-guard.ts).
 * All of them are confirmed or rejected at once, or those at a path and beneath it.
 *
 * Invariant: what is held stays held, over restarts and however few are left, until it is there again or a person has spoken.
 */
import type { WaitingStatus } from '../../../../shared/control/snapshot.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { KeptStates } from '../kept-states.ts';
import { placeKey, type FolderRecords } from '../records/folder-records.ts';
import type { DirtyPaths } from '../watch/dirty-paths.ts';
import type { ForgottenNames } from './forgotten-names.ts';
import type { LocalPlan } from './local-plan.ts';
import type { MountGuard } from './mount-guard.ts';

export type Removal = LocalPlan['removals'][number];

/** What is said of: null is everything. */
export type RemovalPaths = readonly string[] | null;

export interface HeldRemovalsParts {
  readonly records: FolderRecords;
  readonly mounts: MountGuard;
  readonly mountPoints: {
    isKept(fid: Fid): boolean;
    isElsewhere(inode: string): boolean;
  };
  readonly forgotten: Pick<ForgottenNames, 'forget'>;
  readonly board: ErrorBoard;
  readonly limits: FolderLimits;
  readonly log: Log;
  readonly dirty: Pick<DirtyPaths, 'isLive'>;
  readonly store: KeptStates;
}

/** Keys that are remembered: of more, a tenth of the folder is missing anyhow, or it is huge. */
const MOST_KEPT = 100_000;

const MOUNT_MISSING = 'it shows a volume, and is missing here: to be confirmed or rejected';

/** The key under which it is kept. */
const STATE = 'held-removals';

/**
 * Holds the removals that the mass-delete guard has stopped, until a person confirms or rejects
 * them.
 */
export class HeldRemovals {
  readonly #parts: HeldRemovalsParts;
  #held: readonly Removal[] = [];
  /** Mount points among all that was ever held, by their keys. */
  readonly #mounts = new Set<string>();
  #kept: ReadonlySet<string>;
  /** What was said to be meant, until everything was looked at. */
  confirmed: RemovalPaths | undefined;

  constructor(parts: HeldRemovalsParts) {
    this.#parts = parts;
    this.#kept = new Set(JSON.parse(parts.store.state(STATE) ?? '[]') as string[]);
  }

  get count(): number {
    return this.#held.length + this.#parts.mounts.held;
  }

  /** How many are at a path or beneath it. Of a disk that is not there all or nothing is said. */
  countAt(path: RemovalPaths): number {
    const { mounts } = this.#parts;
    if (path === null) return this.count;
    return this.#held.filter((removal) => this.#isAt(removal, path)).length + mounts.heldAt(path);
  }

  /** Each with what is missing beneath it. */
  waiting(): WaitingStatus[] {
    const tops = new Map<string, number>();
    const gone = new Set(this.#held.map(({ dir, name }) => this.#fidAt(dir as Fid, name)));
    for (const removal of this.#held) {
      const top = this.#topOf(removal, gone);
      if (top !== null) tops.set(top, (tops.get(top) ?? 0) + 1);
    }
    const mounted = this.#held.filter((removal) => this.#mounts.has(keyOf(removal)));
    const mounts = new Set(mounted.map((removal) => this.#topOf(removal, gone)));
    const missing = [...tops].map(([path, count]) => {
      const more = count === 1 ? '' : `, with ${count - 1} more in it`;
      if (count === 1 && mounts.has(path)) return { path, reason: MOUNT_MISSING, unmounts: true };
      return { path, reason: `missing here${more}: to be confirmed or rejected` };
    });
    const reason = 'its disk is not there: what is on it is held';
    const away = this.#parts.mounts.away().map((path) => ({ path: path.join('/'), reason }));
    return [...missing, ...away];
  }

  /** It is meant to be gone: the next look at everything says so. */
  confirm(path: RemovalPaths): void {
    this.confirmed = path;
  }

  /** It was said that what is there is meant to be gone. */
  isConfirmed(dir: Fid): boolean {
    const { records } = this.#parts;
    if (this.confirmed === undefined) return false;
    return this.confirmed === null || isIn(records.pathOf(dir) ?? [], this.confirmed);
  }

  /** It is not meant to be gone: it is forgotten here, as if it had never been in place. Gives how many that were. */
  reject(path: RemovalPaths): number {
    const { records, mounts, forgotten } = this.#parts;
    const away = mounts.reject(path);
    const meant = this.#held.filter((removal) => path === null || this.#isAt(removal, path));
    const there = meant.filter(({ dir, name }) => records.at(dir as Fid, name) !== null);
    const left = this.#held.filter((removal) => !meant.includes(removal));
    forgotten.forget(there.map(({ dir, name }) => ({ dir: dir as Fid, name })));
    this.#hold(left);
    return there.length + away;
  }

  /** Of what a look at everything found missing, what may be told. */
  allowed(removals: readonly Removal[]): readonly Removal[] {
    const { records, limits, log } = this.#parts;
    const confirmed = this.confirmed;
    this.confirmed = undefined;
    if (confirmed === null) {
      this.#hold([]);
      return removals.map((removal) => this.#said(removal));
    }
    const meant = new Set(
      confirmed === undefined ? [] : removals.filter((each) => this.#isAt(each, confirmed)),
    );
    const open = removals.filter((removal) => !meant.has(removal));
    const isLive = (removal: Removal): boolean => {
      const path = this.#pathOf(removal);
      const isSeen = path !== null && this.#parts.dirty.isLive(path.join('/'));
      return isSeen || this.#hasMoved(removal);
    };
    const verdict = judgeRemovals(open, isLive, records.size, limits);
    const isHeld = new Set(verdict.held);
    for (const removal of verdict.allowed) {
      if (this.#kept.has(keyOf(removal)) && !isLive(removal)) isHeld.add(removal);
    }
    for (const removal of open) if (this.#isMounted(removal)) isHeld.add(removal);
    this.#hold(open.filter((removal) => isHeld.has(removal)));
    const count = this.#held.length;
    if (count > 0) {
      log.warn('many files are missing; their removal is held back', { count, of: records.size });
    }
    return removals
      .filter((removal) => !isHeld.has(removal))
      .map((removal) => (meant.has(removal) ? this.#said(removal) : removal));
  }

  /** The same of what was seen to go, which is meant. But a mounted volume that vanished as a whole is held all the same (rule M4). */
  seen(removals: readonly Removal[]): readonly Removal[] {
    const gone = removals.filter((removal) => this.#isMounted(removal));
    const known = new Set(this.#held.map(keyOf));
    const others = gone.filter((removal) => !known.has(keyOf(removal)));
    if (others.length > 0) this.#hold([...this.#held, ...others]);
    return removals.filter((removal) => !gone.includes(removal));
  }

  /** It is not missing, but was moved to where another volume is shown (M3). */
  #hasMoved({ fid }: Removal): boolean {
    const { records, mountPoints } = this.#parts;
    const inode = records.get(fid)?.disk?.inode;
    return inode !== undefined && mountPoints.isElsewhere(inode);
  }

  /** It is the directory in which another volume is kept. */
  #isMounted(removal: Removal): boolean {
    const isMounted = this.#parts.mountPoints.isKept(removal.fid);
    if (isMounted) this.#mounts.add(keyOf(removal));
    return isMounted;
  }

  /** A person has confirmed it: then a volume is not mounted there any more, for anybody. Its files stay in it. */
  #said(removal: Removal): Removal {
    return this.#isMounted(removal) ? { ...removal, unmounts: true } : removal;
  }

  #hold(held: readonly Removal[]): void {
    const { board, store, log } = this.#parts;
    this.#held = held;
    if (held.length === 0) board.clear('removals-held', null);
    else {
      const what =
        held.length === 1
          ? this.#whatIsMissing(held)
          : `${held.length} files and folders are missing`;
      const text = `${what} from the folder; nothing is removed elsewhere yet`;
      board.set('removals-held', null, text);
    }
    const kept = held.map(keyOf).slice(0, MOST_KEPT);
    const isSame = kept.length === this.#kept.size && kept.every((key) => this.#kept.has(key));
    if (isSame) return;
    this.#kept = new Set(kept);
    try {
      store.setState(STATE, JSON.stringify(kept));
    } catch (error) {
      // A full disk is said by who saves the records.
      log.warn('what is held could not be noted', { error: String(error) });
    }
  }

  #whatIsMissing([one]: readonly Removal[]): string {
    const isMount = one !== undefined && this.#mounts.has(keyOf(one));
    return isMount ? 'a folder that shows a volume is missing' : 'a file or folder is missing';
  }

  #fidAt(dir: Fid, name: string): Fid | null {
    return this.#parts.records.at(dir, name);
  }

  #pathOf({ dir, name }: Removal): string[] | null {
    return this.#parts.records.pathOfPlace({ dir: dir as Fid, name });
  }

  #isAt(removal: Removal, path: readonly string[]): boolean {
    const at = this.#pathOf(removal);
    return at !== null && isIn(at, path);
  }

  /** The topmost directory around it that is missing, too. */
  #topOf(removal: Removal, gone: ReadonlySet<Fid | null>): string | null {
    const { records } = this.#parts;
    let place = { dir: removal.dir as Fid, name: removal.name };
    while (gone.has(place.dir)) {
      const above = records.names(place.dir)[0];
      if (above === undefined) break;
      place = above;
    }
    return records.pathOfPlace(place)?.join('/') ?? null;
  }
}

const keyOf = ({ dir, name }: Removal): string => placeKey(dir as Fid, name);

/** The path itself, or beneath it. */
export function isIn(path: readonly string[], above: readonly string[]): boolean {
  return above.every((name, depth) => path[depth] === name);
}

interface RemovalVerdict<T> {
  readonly allowed: readonly T[];
  readonly held: readonly T[];
}

/**
 * Promise 5: a folder that was emptied by accident must not empty the volume. Removals that the watcher saw happen are meant. Those that a look only
 * finds are believed as long as they are few; a whole tenth of the folder missing at once may as well be a disk that was not there.
 */
function judgeRemovals<T>(
  removals: readonly T[],
  isLive: (removal: T) => boolean,
  recorded: number,
  limits: { readonly massRemovalFiles: number; readonly massRemovalShare: number },
): RemovalVerdict<T> {
  const found = removals.filter((removal) => !isLive(removal));
  const isMany =
    found.length > limits.massRemovalFiles && found.length > recorded * limits.massRemovalShare;
  if (!isMany) return { allowed: removals, held: [] };
  return { allowed: removals.filter(isLive), held: found };
}
