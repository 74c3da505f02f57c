/**
 * Where something goes whose folder is gone (C3): into the nearest folder above that exists. But where something else has the name of that folder by
 * now, it goes below that name, where people look for it: into a folder of that name, or into one with a conflict name beside what is no folder. That
 * one is made here once, and takes in all that lay in the folder, with the folders within it.
 *
 * Invariants
 * 1. What has the name is decided by what the server says after the refusal: until the view has heard of the folder's end, the refusal waits.
 * 2. Nothing waits for an answer that does not come: each lost folder is asked about once in a connection, and then the folder above has it.
 * 3. Nothing goes into a folder that was found to be lost, whatever name the view still shows it by.
 */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { isMountPoint } from '../../../shared/model/mount-point.ts';
import type { CopyMark } from '../../../shared/model/update.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { resolved } from '../names/aliases.ts';
import { takeFid } from '../names/vnode-blocks.ts';
import type { ClientState } from '../state.ts';
import { loggedNameOf } from '../log/directories-above.ts';
import { logUpdate, wallMtime } from '../log/log-update.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { lastPlace, viewEntry, viewStatus } from '../log/view.ts';
import { freePlace, nearestPlace, recordConflict, type MarkedPlace } from './outcome.ts';

/** What lies where; `above`: the directories over it, innermost first, the first of which may be gone though the view has it. */
export interface Lost {
  readonly fid: Fid;
  readonly name: string;
  /** What was said of the name. */
  readonly copyOf?: CopyMark;
  readonly above: readonly Fid[];
  /** The server said that the first one is gone. */
  readonly isFirstGone: boolean;
  readonly isDirectory: boolean;
}

/**
 * `isBelow`: it is below the name of its folder; `taken`: something else has its own name there. Else `left` are the directories above that
 * are left.
 */
export type NewPlace =
  | { readonly to: MarkedPlace; readonly isBelow: true; readonly taken: Place | null }
  | { readonly to: MarkedPlace; readonly isBelow: false; readonly left: readonly Fid[] };

/** null: it has to wait, for word of the server or for a fid, and is to be tried again. */
export function placeWithoutFolder(
  state: ClientState,
  entry: LoggedUpdate,
  { fid, name, copyOf, above, isFirstGone, isDirectory }: Lost,
): NewPlace | null {
  const named = copyOf === undefined ? { name } : { name, copyOf };
  const at = above.findIndex((dir, i) => !(isFirstGone && i === 0) && isThere(state, dir));
  const dir = at < 1 ? undefined : folderBelow(state, entry, above.slice(0, at), above[at] as Fid);
  if (dir === null) return null;
  if (dir !== undefined) {
    const to = nearestPlace(state, fid, [dir], named, isDirectory);
    return { to, isBelow: true, taken: to.name === name ? null : { dir, name } };
  }
  const rest = above.slice(isFirstGone ? 1 : 0);
  const to = nearestPlace(state, fid, rest, named, isDirectory);
  return { to, isBelow: false, left: rest.slice(Math.max(rest.indexOf(to.dir), 0)) };
}

/**
 * What stands for folders that are gone, innermost first, in the nearest one that exists. undefined: nothing has the name of the outermost of them.
 * null: it has to wait.
 */
function folderBelow(
  state: ClientState,
  entry: LoggedUpdate,
  gone: readonly Fid[],
  top: Fid,
): Fid | null | undefined {
  let dir = top;
  for (const lost of [...gone].reverse()) {
    const name = nameOf(state, entry, lost);
    const kept = keptFor(state, lost);
    if (kept === undefined && name === undefined) return dir === top ? undefined : dir;
    if (kept === undefined && dir === top) {
      const word = wordOf(state, { dir: top, name: name as string }, lost, gone);
      if (word !== 'taken') return word === 'waits' ? null : undefined;
    }
    const next = kept ?? folderAt(state, { dir, name: name as string }, lost, gone);
    if (next === null) return null;
    dir = next;
  }
  return dir;
}

/** Whether something else has the name of a lost folder, as far as anybody will tell. */
function wordOf(
  state: ClientState,
  { dir, name }: Place,
  lost: Fid,
  gone: readonly Fid[],
): 'taken' | 'free' | 'waits' | 'unheard' {
  const holder = viewEntry(state, dir, name);
  if (holder === null) return 'free';
  const isHeard = holder !== undefined && !gone.includes(holder);
  if (isHeard && viewStatus(state, holder) !== undefined) return 'taken';
  if (state.conflict.asksIn(dir, lost)) return 'waits';
  if (state.sharing.questions.load(dir) !== undefined) return 'waits';
  return isHeard ? 'taken' : 'unheard';
}

/** The folder that has the name of a lost one, or a new one there or beside what has it. null: no fid is here for it. */
function folderAt(state: ClientState, at: Place, lost: Fid, gone: readonly Fid[]): Fid | null {
  const holder = viewEntry(state, at.dir, at.name) ?? null;
  const other = holder !== null && gone.includes(holder) ? null : holder;
  const status = other === null ? undefined : viewStatus(state, other);
  // Nothing is put into what shows another volume (M2), whose people are others.
  if (status?.kind === 'directory' && !isMountPoint(status)) return other;
  const fid = takeFid(state, volumeOf(at.dir));
  if (fid === null) return null;
  const place = other === null ? at : freePlace(state, at, true);
  const now = wallMtime(state);
  const made = {
    op: 'mkdir',
    fid,
    ...place,
    mode: 0o755,
    mtime: now,
    xattrs: [],
    at: now,
  } as const;
  logUpdate(state, made, { queueStatus: null });
  state.meta.set(keptKey(lost), fid);
  if (other !== null) recordConflict(state, at, place, 'name', status ?? null);
  return fid;
}

const keptKey = (lost: Fid): string => `kept-${lost}`;

/** The folder that was made here for what lay in a lost one, over restarts too. */
function keptFor(state: ClientState, lost: Fid): Fid | undefined {
  const made = state.meta.get(keptKey(lost));
  if (typeof made !== 'string') return undefined;
  const kept = resolved(state, made as Fid);
  if (isThere(state, kept)) return kept;
  state.meta.drop(keptKey(lost));
  return undefined;
}

/** The last name that a lost folder had in the view, or had when the update was logged. */
function nameOf(state: ClientState, entry: LoggedUpdate, lost: Fid): string | undefined {
  return lastPlace(state, lost)?.name ?? loggedNameOf(state, entry, lost);
}

function isThere(state: ClientState, dir: Fid): boolean {
  return (viewStatus(state, dir)?.links ?? 0) > 0;
}
