/**
 * Whole directories as the server has them: the base under our own queued updates (rule P5).
 *
 * Invariants
 * 1. A directory is here whole or not at all, so a name that is not in it is known not to exist.
 * 2. Its entries are as of commit `asOf`; a change from a commit at or below it is in already and is skipped.
 * 3. `version` is the data version that goes with the entries: what an own update's *before* is compared with.
 */
import { compareNames } from '../../../shared/model/names.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { CommitNumber, DataVersion } from '../../../shared/model/vnode.ts';
import type { DirectoryRow } from '../../../shared/ports/client-store.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import type { Outbox } from '../effects.ts';
import { NamesAlone } from './names-alone.ts';
import { PastPlaces } from './past-places.ts';

interface Directory {
  asOf: CommitNumber;
  version: DataVersion;
  readonly entries: Map<string, Fid>;
}

/**
 * Caches whole directories as durable rows, with the places of each vnode. (A missing name costs no
 * question, as with the whole-directory cache of the name-cache paper.)
 */
export class NameCache {
  readonly #out: Outbox;
  readonly #directories = new Map<Fid, Directory>();
  /** The names each vnode has in cached directories. */
  readonly #places = new Map<Fid, Place[]>();
  /** Of those that have none of them any more. */
  readonly past = new PastPlaces();
  /** Single names of directories that are not here. */
  readonly alone = new NamesAlone();

  constructor(out: Outbox) {
    this.#out = out;
  }

  load(directories: ReadonlyMap<string, DirectoryRow>, entries: ReadonlyMap<string, Fid>): void {
    for (const [fid, row] of directories) {
      this.#directories.set(fid as Fid, { ...row, entries: new Map() });
    }
    for (const [key, fid] of entries) {
      const slash = key.indexOf('/');
      const [dir, name] = [key.slice(0, slash) as Fid, key.slice(slash + 1)];
      this.#directories.get(dir)?.entries.set(name, fid);
      this.#addPlace(fid, { dir, name });
    }
  }

  has(dir: Fid): boolean {
    return this.#directories.has(dir);
  }

  get(
    dir: Fid,
  ): { asOf: CommitNumber; version: DataVersion; entries: ReadonlyMap<string, Fid> } | undefined {
    return this.#directories.get(dir);
  }

  all(): IterableIterator<Fid> {
    return this.#directories.keys();
  }

  /** The names of a vnode in cached directories, in a defined order. */
  placesOf(fid: Fid): readonly Place[] {
    const places = this.#places.get(fid);
    if (places === undefined) {
      const alone = this.alone.placeOf(fid);
      return alone === undefined || this.#directories.has(alone.dir) ? [] : [alone];
    }
    if (places.length < 2) return places;
    return [...places].sort((a, b) => compareNames(a.dir, b.dir) || compareNames(a.name, b.name));
  }

  /** A directory read whole. */
  install(
    dir: Fid,
    asOf: CommitNumber,
    version: DataVersion,
    entries: ReadonlyMap<string, Fid>,
  ): void {
    const known = this.#directories.get(dir);
    if (known !== undefined && known.asOf >= asOf) return;
    this.alone.forget(dir);
    for (const [name, fid] of known?.entries ?? []) {
      if (entries.get(name) !== fid) this.#unset(dir, known as Directory, name);
    }
    const directory = known ?? { asOf, version, entries: new Map<string, Fid>() };
    directory.asOf = asOf;
    directory.version = version;
    this.#directories.set(dir, directory);
    for (const [name, fid] of entries) this.#set(dir, directory, name, fid);
    this.#out.put('directory', dir, { asOf, version });
  }

  /** One entry as a commit left it; null: the name is free. Call `advance` after all entries of the commit. */
  change(dir: Fid, name: string, fid: Fid | null): void {
    const directory = this.#directories.get(dir);
    if (directory === undefined) return;
    if (fid === null) this.#unset(dir, directory, name);
    else this.#set(dir, directory, name, fid);
  }

  advance(dir: Fid, asOf: CommitNumber, version: DataVersion): void {
    const directory = this.#directories.get(dir);
    if (directory === undefined || directory.asOf >= asOf) return;
    directory.asOf = asOf;
    directory.version = version;
    this.#out.put('directory', dir, { asOf, version });
  }

  forget(dir: Fid): void {
    this.alone.forget(dir);
    const directory = this.#directories.get(dir);
    if (directory === undefined) return;
    for (const name of [...directory.entries.keys()]) this.#unset(dir, directory, name);
    this.#directories.delete(dir);
    this.#out.drop('directory', dir);
  }

  #set(dir: Fid, directory: Directory, name: string, fid: Fid): void {
    const before = directory.entries.get(name);
    if (before === fid) return;
    if (before !== undefined) this.#removePlace(before, dir, name);
    directory.entries.set(name, fid);
    this.#addPlace(fid, { dir, name });
    this.#out.put('entry', `${dir}/${name}`, fid);
  }

  #unset(dir: Fid, directory: Directory, name: string): void {
    const before = directory.entries.get(name);
    if (before === undefined) return;
    directory.entries.delete(name);
    this.#removePlace(before, dir, name);
    this.#out.drop('entry', `${dir}/${name}`);
  }

  #addPlace(fid: Fid, place: Place): void {
    const places = this.#places.get(fid);
    if (places === undefined) this.#places.set(fid, [place]);
    else places.push(place);
  }

  #removePlace(fid: Fid, dir: Fid, name: string): void {
    const left = (this.#places.get(fid) ?? []).filter((p) => p.dir !== dir || p.name !== name);
    if (left.length > 0) this.#places.set(fid, left);
    else if (this.#places.delete(fid)) this.past.left(fid, { dir, name });
  }
}
