/**
 * In which order can a set of changes of names be made, so that each is possible in the tree as those before it left it?
 *
 * A name that is needed is freed before: by the move of what is there, or its removal; a directory that must go is
 * emptied first; one that would go into itself waits for the one in between. A ring of moves is broken by parking one of
 * them. Both planners (local changes to tell, remote ones to put in place) stand on this. Pure.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { placeKey, type FolderRecords } from './folder-records.ts';

/** A vnode of a plan: a fid, or `+N` for one that the plan makes. */
export type Ref = string;

/** It is one that the plan makes. */
export function isNew(ref: Ref): boolean {
  return ref.startsWith('+');
}

export interface RefPlace {
  readonly dir: Ref;
  readonly name: string;
}
export interface NameMove {
  readonly fid: Fid;
  /** null: it is parked. */
  from: RefPlace | null;
  readonly to: RefPlace;
  readonly isDirectory: boolean;
}

export interface NameRemoval extends RefPlace {
  readonly fid: Fid;
  readonly isDirectory: boolean;
}

/** A new vnode, or (`isLink`) another name for one. */
export interface NewName extends RefPlace {
  readonly ref: Ref;
  readonly isLink: boolean;
}

/** Told in order. */
export interface NameSteps {
  move(move: NameMove, from: RefPlace | null, over: Fid | null): void;
  park(move: NameMove, from: RefPlace): void;
  remove(removal: NameRemoval): void;
  add(name: NewName): void;
}

/** Orders changes of names so that each is possible after those before it. */
export class NameOrder {
  readonly #records: FolderRecords;
  readonly #steps: NameSteps;
  /** Names as the steps so far leave them, where that is not as recorded. */
  readonly #names = new Map<string, Ref | null>();
  readonly #parents = new Map<Ref, RefPlace>();
  /** Moves and removals not told yet, by the name they free. */
  readonly #moves = new Map<string, NameMove>();
  readonly #removals = new Map<string, NameRemoval>();
  readonly #parked = new Set<NameMove>();
  readonly #underWay = new Set<NameMove>();
  readonly #toMake = new Map<Ref, NewName>();
  readonly #links: NewName[] = [];

  constructor(records: FolderRecords, steps: NameSteps) {
    this.#records = records;
    this.#steps = steps;
  }

  addMove(move: NameMove): void {
    if (move.from !== null) this.#moves.set(keyOf(move.from), move);
  }

  addRemoval(removal: NameRemoval): void {
    this.#removals.set(keyOf(removal), removal);
  }

  /** In the order given; a directory before what goes into it, or after, as it comes. */
  addName(name: NewName): void {
    if (name.isLink) this.#links.push(name);
    else this.#toMake.set(name.ref, name);
  }

  /** Moves and new names, with the removals that they wait for. */
  tellNames(): void {
    for (const move of [...this.#moves.values()]) this.#tellMove(move);
    for (const name of [...this.#toMake.values()]) this.#tellNew(name);
    for (const name of this.#links) this.#tellLink(name);
  }

  /** The removals that are left, children first. */
  tellRemovals(): void {
    for (const removal of [...this.#removals.values()]) this.#tellRemoval(removal);
  }

  #tellMove(move: NameMove): boolean {
    const isTold = move.from !== null && this.#moves.get(keyOf(move.from)) !== move;
    if (isTold || (move.from === null && !this.#parked.has(move))) return true;
    this.#underWay.add(move);
    const possible = this.#hasDirectory(move.to.dir) && this.#leaveSubtree(move);
    const way = possible ? this.#makeWay(move) : null;
    this.#underWay.delete(move);
    if (way === null) return false;
    const { from } = move;
    if (from === null) this.#parked.delete(move);
    else {
      this.#moves.delete(keyOf(from));
      this.#place(from, null);
    }
    this.#place(move.to, move.fid);
    this.#steps.move(move, from, way.over);
    return true;
  }

  /** Frees the target; `over` is what stays there to be replaced. null: it can't be freed now. */
  #makeWay(move: NameMove): { over: Fid | null } | null {
    const removal = this.#removals.get(keyOf(move.to));
    if (removal !== undefined && !removal.isDirectory && !move.isDirectory) {
      this.#removals.delete(keyOf(move.to));
      return { over: removal.fid };
    }
    return this.#free(move.to) ? { over: null } : null;
  }

  /** A directory can't go into itself: the one in between that goes elsewhere, goes first. */
  #leaveSubtree(move: NameMove): boolean {
    for (;;) {
      const between: Ref[] = [];
      let at: Ref | undefined = move.to.dir;
      while (at !== undefined && at !== move.fid) {
        between.push(at);
        at = this.#parentOf(at)?.dir;
      }
      if (at === undefined) return true;
      const blocker = between.map((ref) => this.#moveOf(ref)).find((found) => found !== undefined);
      if (blocker === undefined) return false;
      if (this.#underWay.has(blocker)) this.#park(blocker);
      else if (!this.#tellMove(blocker)) return false;
    }
  }

  #moveOf(ref: Ref): NameMove | undefined {
    const place = this.#parentOf(ref);
    return place === undefined ? undefined : this.#moves.get(keyOf(place));
  }

  #free(place: RefPlace): boolean {
    if (this.#at(place) === null) return true;
    const move = this.#moves.get(keyOf(place));
    if (move !== undefined) {
      if (!this.#underWay.has(move)) return this.#tellMove(move) && this.#at(place) === null;
      this.#park(move);
      return true;
    }
    const removal = this.#removals.get(keyOf(place));
    return removal !== undefined && this.#tellRemoval(removal);
  }

  #park(move: NameMove): void {
    const { from } = move;
    if (from === null) return;
    this.#moves.delete(keyOf(from));
    this.#place(from, null);
    this.#parents.set(move.fid, { dir: this.#records.root, name: '' });
    this.#parked.add(move);
    move.from = null;
    this.#steps.park(move, from);
  }

  /** False: something in the directory can't go now, so neither can it. */
  #tellRemoval(removal: NameRemoval): boolean {
    if (!this.#removals.has(keyOf(removal))) return true;
    if (removal.isDirectory) {
      let empty = true;
      for (const [name] of this.#records.entries(removal.fid)) {
        if (!this.#free({ dir: removal.fid, name })) empty = false;
      }
      if (!empty) return false;
    }
    this.#removals.delete(keyOf(removal));
    this.#place(removal, null);
    this.#steps.remove(removal);
    return true;
  }

  #tellNew(name: NewName): boolean {
    if (!this.#toMake.has(name.ref)) return true;
    if (!this.#hasDirectory(name.dir) || !this.#free(name)) return false;
    this.#toMake.delete(name.ref);
    this.#place(name, name.ref);
    this.#steps.add(name);
    return true;
  }

  #tellLink(name: NewName): void {
    if (this.#toMake.has(name.ref)) return;
    if (!this.#hasDirectory(name.dir) || !this.#free(name)) return;
    this.#place(name, name.ref);
    this.#steps.add(name);
  }

  /** The directory is there, or is made now. */
  #hasDirectory(ref: Ref): boolean {
    const name = this.#toMake.get(ref);
    return name === undefined || this.#tellNew(name);
  }

  #at(place: RefPlace): Ref | null {
    const told = this.#names.get(keyOf(place));
    if (told !== undefined) return told;
    return isNew(place.dir) ? null : this.#records.at(place.dir as Fid, place.name);
  }

  #parentOf(ref: Ref): RefPlace | undefined {
    return this.#parents.get(ref) ?? this.#records.names(ref as Fid)[0];
  }

  #place(place: RefPlace, ref: Ref | null): void {
    this.#names.set(keyOf(place), ref);
    if (ref !== null) this.#parents.set(ref, place);
  }
}

const keyOf = (place: RefPlace): string => placeKey(place.dir as Fid, place.name);
