/**
 * The synced tree: what was last known to be equal on the disk and in the view of the core. Local changes are the disk
 * against these records; remote ones the feed against them.
 *
 * Only what is in place on the disk has a record. Held whole in memory (100,000 files in about 60 MB); the changes since
 * the last `changesSaved` are what the record store writes.
 *
 * Invariants
 * 1. An entry's fid has a record, and that record lists the entry among its names; and the other way round.
 * 2. Every name's directory has a record of kind directory; the root has no name.
 * 3. `own` entries are ours and not yet seen in the feed: no older row of the feed overrides them.
 * 4. `freed` entries are names we took away and have not yet seen gone in the feed. What is named so again is `own` until that is seen.
 * 5. Names are those of the volume. On the disk a placeholder has another ending: `shownName`.
 */
import type { FolderUse } from '../../../../shared/control/cache.ts';
import type { ChangeSet, EntryChange } from '../../../../shared/model/change.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { isMountPoint } from '../../../../shared/model/mount-point.ts';
import { compareNames } from '../../../../shared/model/names.ts';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import { PLACEHOLDER_SUFFIX } from '../../../../shared/model/placeholder-name.ts';
import type { Feed } from '../../../../shared/ports/feed.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { RecordChanges, VnodeRecord } from './record-changes.ts';

export type { VnodeRecord } from './record-changes.ts';

interface Held {
  readonly record: VnodeRecord;
  names: readonly Place[];
  readonly entries: Map<string, Fid> | null;
}

/** `times`: how often the name was taken from it; after a restart at least once. */
interface Freed {
  readonly wasOwn: boolean;
  times: number;
}

/** What is known of later changes than those that the feed tells just now. */
export type LaterChanges = Pick<Feed, 'pendingEntry' | 'isOutdated'>;

/** A place as the key of a map. */
export const placeKey = (dir: Fid, name: string): string => `${dir}/${name}`;

/** The same name in the same directory. */
export function samePlace(a: Place, b: Place): boolean {
  return a.dir === b.dir && a.name === b.name;
}

/** Keeps the record of everything that is in place on the disk, in memory, by fid and by name. */
export class FolderRecords {
  readonly root: Fid;
  /** Directories that show another volume, whatever becomes of that. */
  readonly mountPoints = new Set<Fid>();
  readonly #vnodes = new Map<Fid, Held>();
  readonly #byInode = new Map<string, Fid>();
  readonly #own = new Map<string, Place>();
  readonly #ownIn = new Map<Fid, number>();
  /** By name: whom we took it from, and whether the name was ours alone. */
  readonly #freed = new Map<string, { place: Place; fids: Map<Fid, Freed> }>();
  /** Keys of those that the server knows by a name that we took. */
  readonly #freedBy = new Map<Fid, Set<string>>();
  #files = 0;
  #bytes = 0;
  #awayBytes = 0;
  readonly #placeholders = new Set<Fid>();
  readonly #changedVnodes = new Set<Fid>();
  readonly #changedEntries = new Map<string, Place>();
  readonly #changedFreed = new Map<string, Place>();

  constructor(root: Fid) {
    this.root = root;
  }

  get size(): number {
    return this.#vnodes.size;
  }

  /** Of the contents that are here. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Files that are here in full, and those that placeholders stand for, by the sizes of their contents. */
  get use(): FolderUse {
    return {
      here: { files: this.#files, bytes: this.#bytes },
      away: { files: this.#placeholders.size, bytes: this.#awayBytes },
    };
  }

  /** Files that are shown without their contents. */
  placeholders(): Fid[] {
    return [...this.#placeholders];
  }

  /** The name on the disk of what is recorded there, or (`fid`) of this vnode, were it there. */
  shownName(place: Place, fid: Fid | null = this.at(place.dir, place.name)): string {
    const isPlaceholder = fid !== null && this.get(fid)?.placeholder === true;
    return isPlaceholder ? place.name + PLACEHOLDER_SUFFIX : place.name;
  }

  get(fid: Fid): VnodeRecord | null {
    return this.#vnodes.get(fid)?.record ?? null;
  }

  has(fid: Fid): boolean {
    return this.#vnodes.has(fid);
  }

  names(fid: Fid): readonly Place[] {
    return this.#vnodes.get(fid)?.names ?? [];
  }

  at(dir: Fid, name: string): Fid | null {
    return this.#vnodes.get(dir)?.entries?.get(name) ?? null;
  }

  /** Names and fids of a directory, in the order of names. */
  entries(dir: Fid): Array<[string, Fid]> {
    const entries = this.#vnodes.get(dir)?.entries;
    return entries ? [...entries].sort(([a], [b]) => compareNames(a, b)) : [];
  }

  entryCount(dir: Fid): number {
    return this.#vnodes.get(dir)?.entries?.size ?? 0;
  }

  /** Names in a directory and beneath, and its own. */
  countIn(dir: Fid): number {
    let count = 1;
    for (const fid of this.#vnodes.get(dir)?.entries?.values() ?? []) count += this.countIn(fid);
    return count;
  }

  byInode(inode: string): Fid | null {
    return this.#byInode.get(inode) ?? null;
  }

  fids(): Iterable<Fid> {
    return this.#vnodes.keys();
  }

  /** Components of a directory's path below the root; null: it has no record. */
  pathOf(fid: Fid): string[] | null {
    const path: string[] = [];
    for (let at = fid; at !== this.root;) {
      const name = this.#vnodes.get(at)?.names[0];
      if (name === undefined) return null;
      path.push(name.name);
      at = name.dir;
    }
    return this.#vnodes.has(this.root) ? path.reverse() : null;
  }

  pathOfPlace(place: Place): string[] | null {
    const path = this.pathOf(place.dir);
    return path === null ? null : [...path, place.name];
  }

  /** The directory that a path leads to, going by the records. */
  directoryAt(path: readonly string[]): Fid | null {
    let at: Fid = this.root;
    for (const name of path) {
      const next = this.at(at, name);
      if (next === null) return null;
      at = next;
    }
    return this.#vnodes.get(at)?.entries ? at : null;
  }

  /** True where `fid` is `ancestor` or below it. */
  isBelow(fid: Fid, ancestor: Fid): boolean {
    for (let at: Fid | undefined = fid; at !== undefined; at = this.names(at)[0]?.dir) {
      if (at === ancestor) return true;
    }
    return false;
  }

  put(record: VnodeRecord): void {
    const held = this.#vnodes.get(record.fid);
    if (held === undefined) {
      const entries = record.kind === 'directory' ? new Map<string, Fid>() : null;
      this.#vnodes.set(record.fid, { record, names: [], entries });
      this.#count(record, 1);
      this.#index(record);
    } else {
      this.#change(held.record, record);
    }
    this.#changedVnodes.add(record.fid);
  }

  update(fid: Fid, change: Partial<Omit<VnodeRecord, 'fid' | 'kind'>>): void {
    const held = this.#vnodes.get(fid);
    if (held === undefined) return;
    this.#change(held.record, change);
    this.#changedVnodes.add(fid);
  }

  /** Gives a vnode a name. What had the name before must have been taken away. */
  link(place: Place, fid: Fid, own: boolean): void {
    const directory = this.#vnodes.get(place.dir);
    const held = this.#vnodes.get(fid);
    if (!directory?.entries || held === undefined) {
      throw new Error('a name needs a directory and a vnode');
    }
    const before = directory.entries.get(place.name);
    if (before !== undefined && before !== fid) throw new Error('the name is in use');
    if (before === undefined) {
      // The records' own texts: one fid is one text in memory, however often it is named.
      directory.entries.set(place.name, held.record.fid);
      held.names = [...held.names, { dir: directory.record.fid, name: place.name }];
    }
    const key = placeKey(place.dir, place.name);
    this.#setOwn(place, key, own);
    this.#changedEntries.set(key, place);
  }

  /** Takes a name away; its vnode's record goes with the last one, and what is beneath a directory before it. */
  unlink(place: Place): void {
    const entries = this.#vnodes.get(place.dir)?.entries;
    const fid = entries?.get(place.name);
    if (!entries || fid === undefined) return;
    for (const [name] of this.#vnodes.get(fid)?.entries ?? []) this.unlink({ dir: fid, name });
    this.#detach(place);
    if (this.names(fid).length === 0) this.#drop(fid);
  }

  /** Moves a name. What had the new name before must have been taken away. */
  move(from: Place, to: Place, own: boolean): void {
    const fid = this.at(from.dir, from.name);
    if (fid === null) throw new Error('nothing to move');
    if (this.at(to.dir, to.name) !== null) throw new Error('the name is in use');
    this.#detach(from);
    this.link(to, fid, own);
  }

  isOwn(dir: Fid, name: string): boolean {
    return this.#own.has(placeKey(dir, name));
  }

  /** The feed has shown the entry as ours is. */
  confirm(place: Place): void {
    const key = placeKey(place.dir, place.name);
    if (!this.#own.has(key)) return;
    this.#setOwn(place, key, false);
    this.#changedEntries.set(key, place);
  }

  /** Some entry of the directory is ours and not yet seen in the feed. */
  hasOwnIn(dir: Fid): boolean {
    return this.#ownIn.has(dir);
  }

  /** We took the name from `fid`, and the feed has not shown that yet. `wasOwn`: nor that it ever had the name. */
  free(place: Place, fid: Fid, wasOwn: boolean): void {
    const key = placeKey(place.dir, place.name);
    const freed = this.#freed.get(key) ?? { place, fids: new Map<Fid, Freed>() };
    const known = freed.fids.get(fid);
    if (known !== undefined) known.times += 1;
    else {
      freed.fids.set(fid, { wasOwn, times: 1 });
      if (!wasOwn) this.#freedBy.set(fid, (this.#freedBy.get(fid) ?? new Set()).add(key));
    }
    this.#freed.set(key, freed);
    this.#changedFreed.set(key, place);
  }

  /** The feed shows one commit: where it names a vnode as we have, or takes a name from one that we took it from, ours is seen. */
  shown({ vnodes, entries }: Pick<ChangeSet, 'vnodes' | 'entries'>, later: LaterChanges): void {
    const told = new Map<Fid | null, VnodeStatus | null>(entries.map(({ fid }) => [fid, null]));
    for (const status of vnodes) told.set(status.fid, status);
    for (const row of entries) {
      const { dir, name, fid } = row;
      if (fid !== null && this.at(dir, name) === fid) this.seen(row, told.get(fid) ?? null, later);
      const key = placeKey(dir, name);
      const freed = this.#freed.get(key);
      if (freed === undefined) continue;
      for (const [other, of] of [...freed.fids]) {
        if (other === fid || !told.has(other)) continue;
        of.times -= 1;
        if (of.times === 0) this.#dropFreed(key, other);
      }
    }
  }

  /**
   * A row names a vnode as it is named here: ours is seen. But where we took the name from it and gave it again, the row is one of before if
   * anything later is known. `status`: what was told with it, if that is known.
   */
  seen(row: EntryChange, status: VnodeStatus | null, later: LaterChanges): void {
    const { dir, name, fid } = row;
    const key = placeKey(dir, name);
    const freed = this.#freed.get(key);
    if (fid !== null && freed?.fids.has(fid) === true && this.#own.has(key)) {
      if (later.pendingEntry(dir, name) || status === null || later.isOutdated(status)) return;
      this.#dropFreed(key, fid);
    }
    this.confirm(row);
  }

  #dropFreed(key: string, fid: Fid): void {
    const freed = this.#freed.get(key);
    if (freed?.fids.delete(fid) !== true) return;
    this.#unfree(fid, key);
    if (freed.fids.size === 0) this.#freed.delete(key);
    this.#changedFreed.set(key, freed.place);
  }

  forgetFreed(place: Place): void {
    const key = placeKey(place.dir, place.name);
    const freed = this.#freed.get(key);
    for (const fid of [...(freed?.fids.keys() ?? [])]) this.#dropFreed(key, fid);
  }

  #unfree(fid: Fid, key: string): void {
    const keys = this.#freedBy.get(fid);
    keys?.delete(key);
    if (keys?.size === 0) this.#freedBy.delete(fid);
  }

  /** Names that the server knows the vnode by, and that we took from it. */
  freedBy(fid: Fid): Place[] {
    const keys = [...(this.#freedBy.get(fid) ?? [])];
    return keys.map((key) => this.#freed.get(key)?.place).filter((place) => place !== undefined);
  }

  /** Names that we took from somebody, and the feed has not shown that. */
  freed(): Place[] {
    return [...this.#freed.values()].map(({ place }) => place);
  }

  /** The names of ours that guard against older rows of the feed. */
  marks(): Place[] {
    return [...this.freed(), ...this.#own.values()];
  }

  get hasMarks(): boolean {
    return this.#freed.size + this.#own.size > 0;
  }

  /** Everything of ours has been shown by the feed, or was refused. */
  clearMarks(): void {
    for (const place of this.freed()) this.forgetFreed(place);
    for (const place of [...this.#own.values()]) this.confirm(place);
  }

  /** That it has the name is older than what we did. */
  wasFreed(dir: Fid, name: string, fid: Fid): boolean {
    return this.#freed.get(placeKey(dir, name))?.fids.has(fid) === true;
  }

  /** `fid` is the server's `into`: the same names, entries and inode under another fid. */
  replaceFid(fid: Fid, into: VnodeRecord): void {
    const held = this.#vnodes.get(fid);
    if (held === undefined || this.#vnodes.has(into.fid)) return;
    const names = held.names;
    const entries = [...(held.entries ?? [])].map(([name, child]) => ({
      name,
      child,
      own: this.isOwn(fid, name),
    }));
    this.put(into);
    for (const { name, child, own } of entries) {
      this.#detach({ dir: fid, name });
      this.link({ dir: into.fid, name }, child, own);
    }
    for (const place of names) {
      this.#detach(place);
      this.link(place, into.fid, false);
    }
    this.#drop(fid);
    this.#index(into);
  }

  /** What has changed since it was saved last, as the rows now are. */
  changes(): RecordChanges {
    return {
      vnodes: [...this.#changedVnodes].map((fid) => ({ fid, record: this.get(fid) })),
      entries: [...this.#changedEntries.values()].map(({ dir, name }) => ({
        dir,
        name,
        fid: this.at(dir, name),
        own: this.isOwn(dir, name),
      })),
      freed: [...this.#changedFreed].map(([key, place]) => ({
        place,
        fids: [...(this.#freed.get(key)?.fids ?? [])].map(([fid, { wasOwn: own }]) => ({
          fid,
          own,
        })),
      })),
    };
  }

  /** They are durable, all of them. */
  changesSaved(): void {
    this.#changedVnodes.clear();
    this.#changedEntries.clear();
    this.#changedFreed.clear();
  }

  get changeCount(): number {
    return this.#changedVnodes.size + this.#changedEntries.size + this.#changedFreed.size;
  }

  #change(record: VnodeRecord, change: Partial<VnodeRecord>): void {
    if (change.disk !== undefined && change.disk?.inode !== record.disk?.inode)
      this.#unindex(record);
    this.#count(record, -1);
    Object.assign(record, change);
    this.#count(record, 1);
    this.#index(record);
  }

  #index(record: VnodeRecord): void {
    if (record.disk !== null) this.#byInode.set(record.disk.inode, record.fid);
  }

  #unindex(record: VnodeRecord): void {
    const inode = record.disk?.inode;
    if (inode !== undefined && this.#byInode.get(inode) === record.fid) this.#byInode.delete(inode);
  }

  #detach(place: Place): void {
    const entries = this.#vnodes.get(place.dir)?.entries;
    const fid = entries?.get(place.name);
    if (!entries || fid === undefined) return;
    entries.delete(place.name);
    const held = this.#vnodes.get(fid);
    if (held) held.names = held.names.filter((name) => !samePlace(name, place));
    const key = placeKey(place.dir, place.name);
    this.#setOwn(place, key, false);
    this.#changedEntries.set(key, place);
  }

  #setOwn({ dir, name }: Place, key: string, own: boolean): void {
    if (this.#own.has(key) === own) return;
    const count = (this.#ownIn.get(dir) ?? 0) + (own ? 1 : -1);
    if (own) this.#own.set(key, { dir, name });
    else this.#own.delete(key);
    if (count > 0) this.#ownIn.set(dir, count);
    else this.#ownIn.delete(dir);
  }

  #drop(fid: Fid): void {
    const held = this.#vnodes.get(fid);
    if (held === undefined) return;
    this.#unindex(held.record);
    this.#count(held.record, -1);
    this.#vnodes.delete(fid);
    this.#changedVnodes.add(fid);
  }

  /** Into what is here and what is not, or (-1) out of it. */
  #count({ fid, kind, size, placeholder, target }: VnodeRecord, by: 1 | -1): void {
    if (by < 0) this.mountPoints.delete(fid);
    else if (isMountPoint({ kind, target })) this.mountPoints.add(fid);
    if (kind !== 'file') return;
    if (placeholder !== true) {
      this.#files += by;
      this.#bytes += by * size;
      return;
    }
    this.#awayBytes += by * size;
    if (by > 0) this.#placeholders.add(fid);
    else this.#placeholders.delete(fid);
  }
}
