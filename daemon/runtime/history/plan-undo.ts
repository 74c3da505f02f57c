/**
 * What `godwit undo` does: a plan, made of the commits of this device (newest first) and of what is there now.
 *
 * The commits are taken back one after the other, on a picture of the present state; each step is possible only where that picture is
 * as the commit left it, so what others have changed since is reported and left alone. What this device made stays: only
 * removals, overwrites, renames and changes of modes are taken back, so nothing is ever lost by it.
 *
 * Invariants
 * 1. The order of the steps is the one to carry them out in: a folder is there again before what was in it.
 * 2. Several stores of one file become one step: the oldest contents count.
 * 3. What was removed together with its folder counts as one with it.
 * 4. An editor's save is an overwrite: the new file stays, its contents go back. Editors put a new file in the place of the old one,
 *    or remove that and make a new one.
 * 5. The mode that a file gets shortly after it is made belongs to its making.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { NameChange, OwnCommit, VnodeChange } from '../../../shared/model/history.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import { lacksContents, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type { UndoExtent } from '../../../shared/ports/controlled.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { REMOVAL_WINDOW, SAFE_SAVE_WINDOW } from '../../limits.ts';

/** The present state of everything that the commits touched. */
export interface PresentState {
  /** By `placeKey`; what is not in it is free. */
  readonly names: ReadonlyMap<string, Fid>;
  /** What is not in it is gone. */
  readonly vnodes: ReadonlyMap<Fid, VnodeStatus>;
}

export type UndoStep =
  /** `status` is what it was before; `fid` what it was called, for steps that follow. */
  | { readonly do: 'make'; readonly place: Place; readonly status: VnodeStatus }
  | { readonly do: 'link'; readonly place: Place; readonly fid: Fid }
  | { readonly do: 'move'; readonly place: Place; readonly from: Place; readonly fid: Fid }
  | {
      readonly do: 'contents';
      readonly place: Place | null;
      readonly fid: Fid;
      readonly status: VnodeStatus;
    }
  | { readonly do: 'mode'; readonly fid: Fid; readonly mode: number };

export interface Refused {
  readonly place: Place | null;
  readonly fid: Fid;
  readonly why: string;
}

export interface UndoPlan {
  readonly steps: readonly UndoStep[];
  /** New files that stay in the place of the ones they replaced, by those: steps about the one are about the other. */
  readonly inPlaceOf: ReadonlyMap<Fid, Fid>;
  readonly refused: readonly Refused[];
}

export const placeKey = ({ dir, name }: Place): string => `${dir}/${name}`;

type Kind = 'removal' | 'rename' | 'store' | 'mode' | 'other';

function kindOf({ names, vnodes, when }: OwnCommit, made: ReadonlyMap<Fid, WallTime>): Kind {
  const freed = names.filter(({ now }) => now === null);
  if (freed.length > 0) return names.length === freed.length ? 'removal' : 'rename';
  if (names.length > 0) return 'other';
  if (vnodes.some(isOverwrite)) return 'store';
  return vnodes.some((change) => isNewMode(change, when, made)) ? 'mode' : 'other';
}

function isNewMode(
  { before, after }: VnodeChange,
  when: WallTime,
  made: ReadonlyMap<Fid, WallTime>,
): boolean {
  if (before === null || before.mode === after.mode) return false;
  const since = made.get(after.fid);
  return since === undefined || when - since > SAFE_SAVE_WINDOW;
}

/** When this device made what. */
function makingsOf(commits: readonly OwnCommit[]): Map<Fid, WallTime> {
  const made = new Map<Fid, WallTime>();
  for (const { vnodes, when } of commits) {
    for (const { before, after } of vnodes) if (before === null) made.set(after.fid, when);
  }
  return made;
}

function isOverwrite({ before, after }: VnodeChange): boolean {
  if (before === null || after.kind !== 'file') return false;
  return before.version !== after.version && !lacksContents(before);
}

/**
 * Plans which of this device's commits (newest first) can be taken back, and lists those that
 * others have built on. Pure.
 */
export function planUndo(
  commits: readonly OwnCommit[],
  extent: UndoExtent,
  present: PresentState,
): UndoPlan {
  const made = makingsOf(commits);
  const picture = new Picture(commits, present, made);
  const removed = new Map<Fid, WallTime>();
  let counted = 0;
  for (const commit of commits) {
    const kind = kindOf(commit, made);
    if (kind === 'other') continue;
    if ('since' in extent) {
      if (commit.when < extent.since) break;
    } else if (!isPartOf(commit, kind, removed)) {
      if (counted === extent.last) continue;
      counted += 1;
    }
    if (kind === 'removal') {
      for (const { after } of commit.vnodes) {
        if (after.kind === 'directory' && after.links === 0) removed.set(after.fid, commit.when);
      }
    }
    picture.takeBack(commit, kind);
  }
  return { steps: picture.steps, inPlaceOf: picture.inPlaceOf, refused: picture.refused };
}

/** It was removed with its folder. */
function isPartOf(commit: OwnCommit, kind: Kind, removed: ReadonlyMap<Fid, WallTime>): boolean {
  if (kind !== 'removal') return false;
  return commit.names.every(({ dir }) => {
    const when = removed.get(dir);
    return when !== undefined && when - commit.when <= REMOVAL_WINDOW;
  });
}

/** Whether older commits could still matter. */
export function reachesBack(commits: readonly OwnCommit[], extent: UndoExtent): boolean {
  const oldest = commits.at(-1);
  if (oldest === undefined) return false;
  if ('since' in extent) return oldest.when < extent.since - SAFE_SAVE_WINDOW;
  const removed = new Map<Fid, WallTime>();
  const made = makingsOf(commits);
  let counted = 0;
  for (const commit of commits) {
    const kind = kindOf(commit, made);
    if (kind === 'other' || isPartOf(commit, kind, removed)) continue;
    counted += 1;
    if (counted > extent.last) return oldest.when < commit.when - REMOVAL_WINDOW;
    for (const { after } of commit.vnodes) removed.set(after.fid, commit.when);
  }
  return false;
}

class Picture {
  readonly steps: UndoStep[] = [];
  readonly refused: Refused[] = [];
  readonly inPlaceOf = new Map<Fid, Fid>();
  readonly #names: Map<string, Fid>;
  readonly #vnodes: Map<Fid, VnodeStatus>;
  /** When this device made a vnode. */
  readonly #made: ReadonlyMap<Fid, WallTime>;
  /** The versions of a file that this device made. */
  readonly #written = new Map<Fid, Set<number>>();
  /** New files of an editor's save: what was done to them before is part of it. */
  readonly #saves = new Set<Fid>();

  constructor(
    commits: readonly OwnCommit[],
    present: PresentState,
    made: ReadonlyMap<Fid, WallTime>,
  ) {
    this.#made = made;
    this.#names = new Map(present.names);
    this.#vnodes = new Map(present.vnodes);
    for (const { vnodes } of commits) {
      for (const { after } of vnodes) {
        const own = this.#written.get(after.fid) ?? new Set<number>();
        this.#written.set(after.fid, own.add(after.version));
      }
    }
  }

  takeBack(commit: OwnCommit, kind: Kind): void {
    if (kind === 'removal') for (const name of commit.names) this.#unremove(name, commit);
    else if (kind === 'rename') this.#unrename(commit);
    else if (kind === 'mode') for (const change of commit.vnodes) this.#unmode(change);
    else for (const change of commit.vnodes) this.#unstore(change);
  }

  #unremove(place: NameChange, commit: OwnCommit): void {
    const { was: fid } = place;
    if (fid === null || this.#saves.has(fid)) return;
    const before = commit.vnodes.find(({ after }) => after.fid === fid)?.before ?? null;
    const instead = this.#names.get(placeKey(place));
    if (before !== null && instead !== undefined && this.#isSave(instead, commit, before)) {
      return this.#unsave(place, instead, before);
    }
    this.#bringBack(place, fid, commit.vnodes);
  }

  /** A name stands for that vnode again: for itself where it is there, else for one that is made like it. */
  #bringBack(place: Place, fid: Fid, vnodes: readonly VnodeChange[]): void {
    if (!this.#vnodes.has(place.dir)) {
      return this.#refuse(place, fid, 'its folder is gone: another device removed it');
    }
    const before = vnodes.find(({ after }) => after.fid === fid)?.before ?? null;
    if (before === null) return this.#refuse(place, fid, 'what it was is not known any more');
    if (this.#vnodes.has(fid)) this.steps.push({ do: 'link', place: at(place), fid });
    else {
      this.steps.push({ do: 'make', place: at(place), status: before });
      this.#vnodes.set(fid, before);
    }
    this.#names.set(placeKey(place), fid);
  }

  #unrename(commit: OwnCommit): void {
    const { names, vnodes } = commit;
    const to = names.find(({ now }) => now !== null);
    const from = names.find(({ was, now }) => now === null && was === to?.now);
    if (to === undefined || to.now === null || from === undefined) return;
    const fid = to.now;
    if (this.#saves.has(fid)) {
      // It went on to where it is; what it replaced on its way is to be there again.
      if (to.was !== null) this.#bringBack(to, to.was, vnodes);
      return;
    }
    const over = vnodes.find(({ after }) => after.fid === to.was)?.before ?? null;
    if (this.#names.get(placeKey(to)) !== fid) {
      const why = 'it was moved, removed or replaced since by another device';
      return this.#refuse(to, fid, why);
    }
    if (over !== null && this.#isSave(fid, commit, over)) {
      return this.#unsave(to, fid, over);
    }
    if (!this.#vnodes.has(from.dir)) {
      return this.#refuse(to, fid, 'the folder it came from is gone: another device removed it');
    }
    this.steps.push({ do: 'move', place: at(from), from: at(to), fid });
    this.#names.set(placeKey(from), fid);
    this.#names.delete(placeKey(to));
    if (to.was !== null) this.#bringBack(to, to.was, vnodes);
  }

  /** A file that this device made about then has the place of one that is gone. */
  #isSave(fid: Fid, { when }: OwnCommit, over: VnodeStatus): boolean {
    const made = this.#made.get(fid);
    if (made === undefined || Math.abs(when - made) > SAFE_SAVE_WINDOW) return false;
    const isFile = over.kind === 'file' && this.#vnodes.get(fid)?.kind === 'file';
    return isFile && !this.#vnodes.has(over.fid);
  }

  /** From here on back the new file is the old one. */
  #unsave(place: Place, fid: Fid, over: VnodeStatus): void {
    const { version } = this.#vnodes.get(fid) ?? over;
    if (this.#written.get(fid)?.has(version) !== true) {
      return this.#refuse(place, fid, 'another device has changed the file since');
    }
    this.#saves.add(fid);
    this.inPlaceOf.set(over.fid, fid);
    this.#vnodes.delete(fid);
    this.#vnodes.set(over.fid, over);
    this.#names.set(placeKey(place), over.fid);
    if (!lacksContents(over)) {
      this.steps.push({ do: 'contents', place: at(place), fid: over.fid, status: over });
    }
  }

  #unstore({ before, after }: VnodeChange): void {
    if (before === null || !isOverwrite({ before, after }) || this.#saves.has(after.fid)) return;
    const now = this.#vnodes.get(after.fid);
    if (now === undefined) {
      return this.#refuse(null, after.fid, 'the file is gone: another device removed it');
    }
    if (now.version !== after.version) {
      return this.#refuse(null, after.fid, 'another device has changed the file since');
    }
    this.#putContents(null, after.fid, before);
  }

  #unmode({ before, after }: VnodeChange): void {
    const { fid } = after;
    if (before === null || before.mode === after.mode || this.#saves.has(fid)) return;
    const now = this.#vnodes.get(fid);
    if (now === undefined) {
      return this.#refuse(null, fid, 'it is gone: another device removed it');
    }
    if (now.mode !== after.mode) {
      return this.#refuse(null, fid, 'another device has changed its mode since');
    }
    const { mode } = before;
    this.#vnodes.set(fid, { ...now, mode });
    const earlier = this.steps.findIndex(
      (step) =>
        (step.do === 'mode' && step.fid === fid) || (step.do === 'make' && step.status.fid === fid),
    );
    const step = this.steps[earlier];
    if (step?.do === 'make') this.steps[earlier] = { ...step, status: { ...step.status, mode } };
    else if (step?.do === 'mode') this.steps[earlier] = { ...step, mode };
    else this.steps.push({ do: 'mode', fid, mode });
  }

  #putContents(place: Place | null, fid: Fid, status: VnodeStatus): void {
    const earlier = this.steps.findIndex(
      (step) =>
        (step.do === 'contents' && step.fid === fid) ||
        (step.do === 'make' && step.status.fid === fid),
    );
    const step = this.steps[earlier];
    if (step?.do === 'make') this.steps[earlier] = { ...step, status };
    else if (step?.do === 'contents') this.steps[earlier] = { ...step, status };
    else {
      const known = place === null ? null : at(place);
      this.steps.push({ do: 'contents', place: known, fid, status });
    }
    this.#vnodes.set(fid, { ...status, fid });
  }

  #refuse(place: Place | null, fid: Fid, why: string): void {
    this.refused.push({ place: place === null ? null : at(place), fid, why });
  }
}

const at = ({ dir, name }: Place): Place => ({ dir, name });
