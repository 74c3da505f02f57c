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
 * 5. What was brought back since, here or elsewhere, is not made a second time.
 * 6. The mode that a file gets shortly after it is made belongs to its making.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { NameChange, OwnCommit, VnodeChange } from '../../../shared/model/history.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { ActRow } from '../../../shared/control/history.ts';
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
      const isMeant = 'act' in extent ? commit.commit === extent.act : counted < extent.last;
      if (!isMeant) continue;
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

/** One thing that was done, for people: its commit, and how many things went with it. */
export interface Act {
  readonly commit: OwnCommit;
  readonly kind: ActRow['kind'];
  readonly place: Place | null;
  /** Of what has no name in the commit. */
  readonly fid: Fid | null;
  readonly to: Place | null;
  things: number;
}

/** The acts that `planUndo` counts, newest first. */
export function actsOf(commits: readonly OwnCommit[]): Act[] {
  const made = makingsOf(commits);
  const removed = new Map<Fid, WallTime>();
  const withFolder = new Map<Fid, Act>();
  const acts: Act[] = [];
  for (const commit of commits) {
    const kind = kindOf(commit, made);
    if (kind === 'other') continue;
    const [first] = commit.names;
    const isPart = isPartOf(commit, kind, removed);
    const whole = isPart && first !== undefined ? withFolder.get(first.dir) : undefined;
    const act = whole ?? actOf(commit, kind);
    if (whole === undefined) acts.push(act);
    else whole.things += 1;
    if (kind !== 'removal') continue;
    for (const { after } of commit.vnodes) {
      if (after.kind !== 'directory' || after.links > 0) continue;
      removed.set(after.fid, commit.when);
      withFolder.set(after.fid, act);
    }
  }
  return acts;
}

function actOf(commit: OwnCommit, kind: Exclude<Kind, 'other'>): Act {
  const { names, vnodes } = commit;
  const [first] = names;
  const about = { commit, fid: vnodes[0]?.after.fid ?? null, to: null, things: 1 };
  switch (kind) {
    case 'removal':
      return { ...about, kind: 'removed', place: first === undefined ? null : at(first) };
    case 'rename': {
      const to = names.find(({ now }) => now !== null);
      const from = names.find(({ was, now }) => now === null && was === to?.now) ?? first;
      const place = from === undefined ? null : at(from);
      if (to === undefined) return { ...about, kind: 'renamed', place };
      // The save of an editor, mostly.
      if (to.was !== null) return { ...about, kind: 'replaced', place: at(to) };
      return { ...about, kind: 'renamed', place, to: at(to) };
    }
    case 'store':
      return { ...about, kind: 'wrote', place: null };
    case 'mode':
      return { ...about, kind: 'mode', place: null };
  }
}

/** Whether older commits could still matter. */
export function reachesBack(commits: readonly OwnCommit[], extent: UndoExtent): boolean {
  const oldest = commits.at(-1);
  if (oldest === undefined) return false;
  if ('since' in extent) return oldest.when < extent.since - SAFE_SAVE_WINDOW;
  if ('act' in extent) {
    const meant = commits.find(({ commit }) => commit <= extent.act);
    return meant !== undefined && oldest.when < meant.when - REMOVAL_WINDOW;
  }
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

/** Why there is nothing to do about a removal. */
export const AGAIN = 'it is there again already';

/** Only where one act alone is taken back. */
const CHANGED_HERE = 'this device has changed the file since: take that back first';
const MODE_HERE = 'this device has changed its mode since: take that back first';
const MODE_ELSEWHERE = 'another device has changed its mode since';

class Picture {
  readonly steps: UndoStep[] = [];
  readonly refused: Refused[] = [];
  readonly inPlaceOf = new Map<Fid, Fid>();
  /** The first step that gives a vnode its mode, or contents: what is taken back after goes into it. */
  readonly #first = new Map<string, number>();
  readonly #names: Map<string, Fid>;
  readonly #vnodes: Map<Fid, VnodeStatus>;
  /** When this device made a vnode. */
  readonly #made: ReadonlyMap<Fid, WallTime>;
  /** The versions of a file that this device made. */
  readonly #written = new Map<Fid, Set<number>>();
  /** The modes that this device gave it. */
  readonly #modes = new Map<Fid, Set<number>>();
  /** The last commit of this device that took a name from a vnode, or its last one. */
  readonly #freed = new Map<Fid, number>();
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
    for (const { commit, names, vnodes } of commits) {
      for (const { was } of names) {
        if (was !== null && !this.#freed.has(was)) this.#freed.set(was, commit);
      }
      for (const { after } of vnodes) {
        if (after.links === 0 && !this.#freed.has(after.fid)) this.#freed.set(after.fid, commit);
        const own = this.#written.get(after.fid) ?? new Set<number>();
        this.#written.set(after.fid, own.add(after.version));
        const modes = this.#modes.get(after.fid) ?? new Set<number>();
        this.#modes.set(after.fid, modes.add(after.mode));
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
    if (before !== null && this.#isAgain(place, before, commit)) return;
    this.#bringBack(place, fid, commit.vnodes);
  }

  /** It was brought back since, by `undo`, `restore` or a program, here or elsewhere: it is not made twice. Of a folder what is lacking is made in it. */
  #isAgain(place: NameChange, before: VnodeStatus, { when }: OwnCommit): boolean {
    const dir = this.inPlaceOf.get(place.dir) ?? place.dir;
    const again = this.#names.get(placeKey({ dir, name: place.name }));
    const now = again === undefined ? undefined : this.#vnodes.get(again);
    if (again === undefined || now === undefined || (this.#made.get(again) ?? when) < when)
      return false;
    const { kind, digest, target } = before;
    if (now.kind !== kind || now.digest !== digest || now.target !== target) return false;
    this.inPlaceOf.set(before.fid, again);
    this.#vnodes.set(before.fid, before);
    // Of a folder and all in it that is said once.
    if (dir === place.dir) this.#refuse(place, before.fid, AGAIN);
    return true;
  }

  /** A name stands for that vnode again: for itself where it is there, else for one that is made like it. */
  #bringBack(place: Place, fid: Fid, vnodes: readonly VnodeChange[]): void {
    if (!this.#vnodes.has(place.dir)) {
      return this.#refuse(place, fid, `its folder is gone: ${this.#whoFreed(place.dir)}`);
    }
    const before = vnodes.find(({ after }) => after.fid === fid)?.before ?? null;
    if (before === null) return this.#refuse(place, fid, 'what it was is not known any more');
    if (this.#vnodes.has(fid)) this.#step({ do: 'link', place: at(place), fid });
    else {
      this.#step({ do: 'make', place: at(place), status: before });
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
      const isOurs = (this.#freed.get(fid) ?? 0) > commit.commit;
      const why = isOurs
        ? 'this device has moved, removed or replaced it since: take that back first'
        : 'it was moved, removed or replaced since by another device';
      return this.#refuse(to, fid, why);
    }
    if (over !== null && this.#isSave(fid, commit, over)) {
      return this.#unsave(to, fid, over);
    }
    if (!this.#vnodes.has(from.dir)) {
      const why = `the folder it came from is gone: ${this.#whoFreed(from.dir)}`;
      return this.#refuse(to, fid, why);
    }
    this.#step({ do: 'move', place: at(from), from: at(to), fid });
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
      this.#step({ do: 'contents', place: at(place), fid: over.fid, status: over });
    }
  }

  #unstore({ before, after }: VnodeChange): void {
    if (before === null || !isOverwrite({ before, after }) || this.#saves.has(after.fid)) return;
    const now = this.#vnodes.get(after.fid);
    if (now === undefined) {
      return this.#refuse(null, after.fid, `the file is gone: ${this.#whoFreed(after.fid)}`);
    }
    if (now.version !== after.version) {
      const isOurs = this.#written.get(after.fid)?.has(now.version) === true;
      const why = isOurs ? CHANGED_HERE : 'another device has changed the file since';
      return this.#refuse(null, after.fid, why);
    }
    this.#putContents(null, after.fid, before);
  }

  #unmode({ before, after }: VnodeChange): void {
    const { fid } = after;
    if (before === null || before.mode === after.mode || this.#saves.has(fid)) return;
    const now = this.#vnodes.get(fid);
    if (now === undefined) {
      return this.#refuse(null, fid, `it is gone: ${this.#whoFreed(fid)}`);
    }
    if (now.mode !== after.mode) {
      const why = this.#modes.get(fid)?.has(now.mode) === true ? MODE_HERE : MODE_ELSEWHERE;
      return this.#refuse(null, fid, why);
    }
    const { mode } = before;
    this.#vnodes.set(fid, { ...now, mode });
    const earlier = this.#first.get(`mode ${fid}`) ?? -1;
    const step = this.steps[earlier];
    if (step?.do === 'make') this.steps[earlier] = { ...step, status: { ...step.status, mode } };
    else if (step?.do === 'mode') this.steps[earlier] = { ...step, mode };
    else this.#step({ do: 'mode', fid, mode });
  }

  #putContents(place: Place | null, fid: Fid, status: VnodeStatus): void {
    const earlier = this.#first.get(`contents ${fid}`) ?? -1;
    const step = this.steps[earlier];
    if (step?.do === 'make') this.steps[earlier] = { ...step, status };
    else if (step?.do === 'contents') this.steps[earlier] = { ...step, status };
    else {
      const known = place === null ? null : at(place);
      this.#step({ do: 'contents', place: known, fid, status });
    }
    this.#vnodes.set(fid, { ...status, fid });
  }

  #whoFreed(fid: Fid): string {
    return this.#freed.has(fid)
      ? 'this device removed it since: take that back first'
      : 'another device removed it';
  }

  #step(step: UndoStep): void {
    const index = this.steps.push(step) - 1;
    const keys =
      step.do === 'make'
        ? [`mode ${step.status.fid}`, `contents ${step.status.fid}`]
        : [`${step.do} ${step.fid}`];
    for (const key of keys) if (!this.#first.has(key)) this.#first.set(key, index);
  }

  #refuse(place: Place | null, fid: Fid, why: string): void {
    this.refused.push({ place: place === null ? null : at(place), fid, why });
  }
}

const at = ({ dir, name }: Place): Place => ({ dir, name });
