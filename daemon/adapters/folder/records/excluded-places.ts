/**
 * Folders that a person does not want on this disk (rules X1 to X6). They are the volume's as ever: what others do in them is held, and neither fetched
 * nor put in place. A folder *leaves* as long as something of it is in place; then it *has left*, and whatever stands at its place is a person's own.
 *
 * Invariants
 * 1. What is missing in a folder that is excluded, or was when it began to leave, is no removal. That it leaves is durable before anything of it goes.
 * 2. What goes from the disk is held as rows of the feed, as if it had never been in place: so it comes back, or goes elsewhere, as any other row.
 */
import { volumeOf, type Fid } from '../../../../shared/model/fid.ts';
import type { EntryChange } from '../../../../shared/model/change.ts';
import type { CommitNumber, VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Feed } from '../../../../shared/ports/feed.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { KeptStates } from '../kept-states.ts';
import type { FolderRecords, VnodeRecord } from './folder-records.ts';
import type { HeldRows } from './held-rows.ts';

export interface ExcludedPlacesParts {
  readonly records: FolderRecords;
  readonly held: HeldRows;
  readonly feed: Pick<Feed, 'excluded'>;
  readonly store: KeptStates;
  /** The mount point that shows the volume is excluded, so that all of it leaves; left out: it is not. */
  readonly isExcluded?: (() => boolean) | undefined;
}

/** What is said of all that is there. */
export const NOT_KEPT =
  'the folder is not kept on this laptop (`godwit excluded`), so what is at its place here is not synced';

/** The key under which it is kept what has begun to leave. */
const STATE = 'leaving';

/** In which directories something is out, as far as they were asked for in one go. */
export type Asked = Map<Fid, boolean>;

/** Tells what is not to be on this disk, and turns what goes from it into held rows. */
export class ExcludedPlaces {
  readonly #parts: ExcludedPlacesParts;
  /** Durable: what is missing in these is no removal. */
  #leaving: readonly Fid[];

  constructor(parts: ExcludedPlacesParts) {
    this.#parts = parts;
    this.#leaving = JSON.parse(parts.store.state(STATE) ?? '[]') as Fid[];
  }

  /** Those that are excluded now; the root, where all of it is. */
  marks(): readonly Fid[] {
    const { feed, records, isExcluded } = this.#parts;
    const marks = feed.excluded(volumeOf(records.root));
    return isExcluded?.() === true ? [records.root, ...marks] : marks;
  }

  /** Nothing is excluded, nor leaves. */
  get isNone(): boolean {
    return this.#leaving.length === 0 && this.marks().length === 0;
  }

  /** These leave: durable when it returns. Throws what the disk says. */
  leave(fids: readonly Fid[]): void {
    if (fids.every((fid) => this.#leaving.includes(fid))) return;
    this.#keep([...new Set([...this.#leaving, ...fids])]);
  }

  /** The folder was looked at whole, and the records are durable: what is not excluded any more leaves no longer. Throws what the disk says. */
  settled(): void {
    const marks = new Set(this.marks());
    const left = this.#leaving.filter((fid) => marks.has(fid));
    if (left.length < this.#leaving.length) this.#keep(left);
  }

  #keep(leaving: readonly Fid[]): void {
    this.#parts.store.setState(STATE, JSON.stringify(leaving));
    this.#leaving = leaving;
  }

  /** What is named there is not to be on this disk: it is excluded, or the directory is in an excluded one. */
  isOut({ dir, fid }: Pick<EntryChange, 'dir' | 'fid'>, asked: Asked = new Map()): boolean {
    const marks = this.marks();
    if (marks.length === 0 || fid === null) return false;
    return marks.includes(fid) || this.#isIn(dir, marks, asked);
  }

  /** A recorded vnode that a row moves to where it is not to be on this disk. */
  isMovedOut(fid: Fid, asked: Asked = new Map()): boolean {
    const { held, records } = this.#parts;
    if (this.marks().length === 0 || !records.has(fid)) return false;
    return held
      .entriesNaming(fid)
      .some((row) => records.at(row.dir, row.name) !== fid && this.isOut(row, asked));
  }

  /** Missing at that place it is not removed: somebody has excluded it, or what it is in, and it may have gone for that. */
  isNoRemoval(fid: Fid, { dir }: Place): boolean {
    const marks = [...this.marks(), ...this.#leaving];
    if (marks.length === 0) return false;
    const asked: Asked = new Map();
    return marks.includes(fid) || this.#isIn(dir, marks, asked) || this.isMovedOut(fid, asked);
  }

  /** Something in this directory, or beneath it, is not kept on this disk: the volume still has it. */
  hasOutIn(dir: Fid): boolean {
    const { held, records } = this.#parts;
    return this.marks().some((mark) => {
      if (records.has(mark)) return false;
      const seen = new Set<Fid>();
      for (let at = held.entriesNaming(mark)[0]?.dir; at !== undefined && !seen.has(at);) {
        if (at === dir) return true;
        seen.add(at);
        at = this.#dirOf(at);
      }
      return false;
    });
  }

  /** What is at the path is not of the volume: an excluded folder was there, or would be, or something of one. */
  hasLeft(path: readonly string[]): boolean {
    const { records, held } = this.#parts;
    const marks = this.marks();
    if (marks.length === 0) return false;
    let dir = records.root;
    for (const name of path) {
      const here = records.at(dir, name);
      const row = here === null ? held.entry(dir, name) : null;
      if (row !== null) return this.isOut(row);
      if (here === null) return false;
      dir = here;
    }
    return false;
  }

  /** Paths of excluded folders that have left: whatever stands there is a person's own. */
  vacated(): string[][] {
    const { records } = this.#parts;
    return this.marks().flatMap((fid) => {
      const place = records.has(fid) ? null : this.placeOf(fid);
      const path = place === null ? null : records.pathOfPlace(place);
      return path === null ? [] : [path];
    });
  }

  /** Where an excluded folder is, as far as this folder knows; null: nowhere. */
  placeOf(fid: Fid): Place | null {
    const { records, held } = this.#parts;
    return records.names(fid)[0] ?? held.entriesNaming(fid)[0] ?? null;
  }

  /** The path of an excluded folder below the root; null: the folder does not know it. */
  pathOf(fid: Fid): string[] | null {
    const path: string[] = [];
    const seen = new Set<Fid>();
    for (let at = fid; at !== this.#parts.records.root;) {
      const place = this.placeOf(at);
      if (place === null || seen.has(at)) return null;
      seen.add(at);
      path.push(place.name);
      at = place.dir;
    }
    return path.reverse();
  }

  /** It is not in place any more, with all beneath it: held from now on. */
  forget(places: readonly Place[]): void {
    for (const place of places) {
      this.#hold(place);
      this.#parts.records.unlink(place);
    }
  }

  /** As it is recorded now; what this gives is called when it is gone from there. */
  holding(place: Place): () => void {
    const { records, held } = this.#parts;
    const fid = records.at(place.dir, place.name);
    const record = fid === null ? null : records.get(fid);
    const status = record === null ? null : statusOf(record);
    return () => {
      if (status !== null) holdIfNone(held, place, status);
    };
  }

  /** What is there now is held as the feed would tell it, and what is beneath. */
  #hold(place: Place): void {
    const { records, held } = this.#parts;
    const fid = records.at(place.dir, place.name);
    const record = fid === null ? null : records.get(fid);
    if (fid === null || record === null) return;
    holdIfNone(held, place, statusOf(record));
    for (const [name] of records.entries(fid)) this.#hold({ dir: fid, name });
  }

  /** Held rows that are to come, or to go elsewhere, and not those that are out. Takes steps linear in what is held. */
  heldBesides(): number {
    const { held, records } = this.#parts;
    if (this.marks().length === 0) return held.size;
    const asked: Asked = new Map();
    let count = 0;
    for (const row of held.entries()) if (!this.isOut(row, asked)) count += 1;
    for (const { fid } of held.vnodes()) {
      const rows = records.has(fid) ? [] : held.entriesNaming(fid);
      if (rows.length === 0 || !rows.every((row) => this.isOut(row, asked))) count += 1;
    }
    return count;
  }

  #isIn(dir: Fid, marks: readonly Fid[], asked: Asked): boolean {
    const way: Fid[] = [];
    let found = false;
    const seen = new Set<Fid>();
    for (let at: Fid | undefined = dir; at !== undefined && !seen.has(at); at = this.#dirOf(at)) {
      const known = asked.get(at);
      if (known !== undefined || marks.includes(at)) {
        found = known ?? true;
        if (known === undefined) way.push(at);
        break;
      }
      seen.add(at);
      way.push(at);
    }
    for (const each of way) asked.set(each, found);
    return found;
  }

  /** The directory that a directory is in by what is known last: a row that is not in place yet comes after what is. */
  #dirOf(dir: Fid): Fid | undefined {
    const { records, held } = this.#parts;
    const newer = held.entriesNaming(dir).find((row) => records.at(row.dir, row.name) !== dir);
    return (newer ?? records.names(dir)[0])?.dir;
  }
}

/** As the feed would tell it, where it has told nothing newer. */
function holdIfNone(held: HeldRows, { dir, name }: Place, status: VnodeStatus): void {
  const { fid } = status;
  if (held.entry(dir, name) === null) held.setEntry({ dir, name, fid });
  if (held.vnode(fid) === null) held.setVnode(status);
}

/** As far as what is recorded is enough: which commit that was, and how many names it has, is not known any more. */
function statusOf(record: VnodeRecord): VnodeStatus {
  const { fid, kind, mode, mtime, size, version, digest, target, xattrs } = record;
  const commit = 0 as CommitNumber;
  return { fid, kind, mode, mtime, size, version, commit, digest, target, links: 1, xattrs };
}
