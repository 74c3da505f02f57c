/**
 * `godwit restore`: an older version of a file, or what was removed, comes back as an update like any other.
 *
 * A file that is there gets the older contents as a new version. What is gone is made again under its old name, with the folders on its way; a folder
 * comes back with what went with it. A file that has the name by now keeps it.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Moment, PastName, PastVersion } from '../../../shared/model/history.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { DoneRow, FailedRow, RestoreReport } from '../../../shared/control/history.ts';
import type { RestoreOrder } from '../../../shared/ports/controlled.ts';
import type { Attributes, FileSystem, Place } from '../../../shared/ports/file-system.ts';
import type { History } from '../../../shared/ports/history.ts';
import { Semaphore } from '../../../shared/concurrency/semaphore.ts';
import { compareNames } from '../../../shared/model/names.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { nullIfAbsent } from '../../../shared/wire/null-if-absent.ts';
import { MOST_TAKEN_BACK_AT_ONCE, REMOVAL_WINDOW } from '../../limits.ts';
import { lastOfEach, pastOfPath, type PathPast } from './list-past.ts';
import { atFreeName, makeAgain, putContents } from './make-again.ts';
import {
  neverThere,
  allNames,
  directoriesNamed,
  isBy,
  isUnlinked,
  locate,
  newestVersion,
  lookup,
  shownPath,
  stoodAt,
  walkThen,
  type Located,
  type PastPoint,
} from './past.ts';

/** Who knows the file wants to know what there is of it. */
const LISTED = '`godwit versions PATH` lists what is kept';

/** How often a file is looked for at its path, where others save it anew meanwhile. */
const MOST_LOOKS = 3;

/** A snapshot is the commit that it shows by now. */
export type PointedOrder = Omit<RestoreOrder, 'at' | 'snapshot'> & {
  readonly at: PastPoint | null;
};

/** What is to come back of one entry, and as of when its directory is read (null: all that went with it). */
interface Source {
  readonly status: VnodeStatus;
  readonly removed: Moment | null;
  /** It is to be a name again of the file that it was a name of, where that lives. */
  readonly asName: boolean;
}

/**
 * One run of `godwit restore`: makes an older version the newest, or makes a removed file or folder
 * again.
 */
export class Restoring {
  readonly #fs: FileSystem;
  readonly #history: History;
  readonly #root: Fid;
  readonly #order: PointedOrder;
  readonly #done: DoneRow[] = [];
  readonly #failed: FailedRow[] = [];
  /** What was made here for a file with several names: its other names stand for that. */
  readonly #made = new Map<Fid, Fid>();
  /** Of such a file one name comes after the other. */
  readonly #turns = new Map<Fid, Promise<unknown>>();
  readonly #slots = new Semaphore(MOST_TAKEN_BACK_AT_ONCE);

  constructor(fs: FileSystem, history: History, root: Fid, order: PointedOrder) {
    this.#fs = fs;
    this.#history = history;
    this.#root = root;
    this.#order = order;
  }

  /** Rejects if there is nothing to restore; single failures are in the report. */
  async run(): Promise<RestoreReport> {
    const { path, at, removed } = this.#order;
    if (path.length === 0 && (at !== null || removed !== undefined)) {
      await this.#restoreInto(this.#root, null, path);
    } else await this.#restorePath();
    // Many come back beside one another: a folder before what is in it.
    const byPath = (a: { path: string }, b: { path: string }): number =>
      compareNames(a.path, b.path);
    return { done: this.#done.sort(byPath), failed: this.#failed.sort(byPath) };
  }

  async #restorePath(tries = 1): Promise<void> {
    const { path, to } = this.#order;
    const located = await locate(this.#fs, this.#history, this.#root, path);
    const { dir, before, name, gone } = located;
    const present = gone.length > 0 ? null : await lookup(this.#fs, dir, name);
    if (present?.kind === 'directory' && this.#order.version === null && to === null) {
      await this.#restoreInto(present.fid, located, path);
    } else {
      const folders = (await this.#foldersThen()) ?? [dir, ...before];
      const past = await pastOfPath(this.#history, folders, name);
      const source = await this.#choose(past, present);
      const isFile = present?.kind === 'file' && source.status.kind === 'file';
      if (to !== null) await this.#restoreTo(source, to);
      else if (present !== null && isFile) await this.#replaceOrLookAgain(present, source, tries);
      else await this.#bringBack(located, source);
    }
  }

  /** A point of the past is looked up by the names of then, as `ls --at` does: another folder may have the name of it by now. Null: by those of now. */
  async #foldersThen(): Promise<Fid[] | null> {
    const { path, at } = this.#order;
    const above = dirname(path);
    if (at === null || above.length === 0) return null;
    const folder = await walkThen(this.#history, this.#root, above, at);
    return folder?.status.kind === 'directory' ? [folder.fid] : null;
  }

  /** Which version is meant. */
  async #choose({ names, versions }: PathPast, present: Attributes | null): Promise<Source> {
    const { path, version, at } = this.#order;
    const shown = shownPath(path);
    const last = names.at(-1);
    if (last === undefined) throw neverThere(shown, present);
    if (version !== null) {
      const found = versions.find(({ since }) => since.commit === version);
      if (found !== undefined) return sourceOf(found);
      throw new GodwitError('not-found', `${shown}: has no version ${version}`, LISTED);
    }
    if (at !== null) return this.#asOf(at, names, versions);
    if (present === null) return this.#lastOf(last);
    const earlier = versions.find(
      ({ status, kept }) =>
        kept && status.digest !== present.digest && status.commit < present.commit,
    );
    if (earlier !== undefined) return sourceOf(earlier);
    if (present.commit === 0) throw neverThere(shown, present);
    throw new GodwitError('not-found', `${shown}: no earlier version is kept`, LISTED);
  }

  #asOf(at: PastPoint, names: readonly PastName[], versions: readonly PastVersion[]): Source {
    const shown = shownPath(this.#order.path);
    const then = names.find((each) => stoodAt(each, at));
    if (then === undefined)
      throw new GodwitError('not-found', `${shown}: was not there then`, LISTED);
    if (then.status.kind !== 'file') {
      return { status: then.status, removed: then.until, asName: false };
    }
    const found = versions.find(({ status, since }) => status.fid === then.fid && isBy(since, at));
    if (found !== undefined) return sourceOf(found);
    throw new GodwitError('no-contents', `${shown}: had no contents then`);
  }

  async #lastOf(entry: PastName): Promise<Source> {
    const asName = await isUnlinked(this.#fs, this.#history, entry);
    return { status: entry.status, removed: entry.until, asName };
  }

  /** A save that puts a new file in the place of the old one may come in between: then that is the one that is there. */
  async #replaceOrLookAgain(present: Attributes, source: Source, tries: number): Promise<void> {
    try {
      await this.#replace(present, source);
    } catch (error) {
      const isGone = error instanceof GodwitError && error.code === 'not-found';
      if (!isGone || tries >= MOST_LOOKS) throw error;
      await this.#restorePath(tries + 1);
    }
  }

  /** The file is there: its older contents become a new version of it. */
  async #replace(present: Attributes, { status }: Source): Promise<void> {
    const { path } = this.#order;
    await putContents(this.#fs, present.fid, status);
    if (present.mode !== status.mode) await this.#fs.setattr(present.fid, { mode: status.mode });
    this.#did(path, 'contents', path);
  }

  async #restoreTo(source: Source, to: readonly string[]): Promise<void> {
    const parent = await this.#liveFolder(dirname(to));
    const name = to.at(-1) ?? '';
    if (name === '' || (await lookup(this.#fs, parent, name)) !== null) {
      throw new GodwitError('exists', `${shownPath(to)}: something is there already`);
    }
    await this.#makeTree({ dir: parent, name }, source, this.#order.path, dirname(to));
  }

  async #liveFolder(names: readonly string[]): Promise<Fid> {
    let dir = this.#root;
    for (const name of names) {
      const found = await lookup(this.#fs, dir, name);
      if (found?.kind !== 'directory') {
        throw new GodwitError('not-found', `${shownPath(names)}: there is no such folder`);
      }
      dir = found.fid;
    }
    return dir;
  }

  /** Under its old name, below the folders on its way, which are made again where they are gone. */
  async #bringBack({ dir, name, gone }: Located, source: Source): Promise<void> {
    const { path } = this.#order;
    const parents = [...dirname(path)];
    let parent = gone[0]?.parent ?? dir;
    for (const [index, { entry }] of gone.entries()) {
      const made = await makeAgain(this.#fs, { dir: parent, name: entry.name }, entry.status);
      parents[parents.length - gone.length + index] = made.place.name;
      parent = made.attributes.fid;
    }
    await this.#makeTree({ dir: parent, name }, source, path, parents);
  }

  /** What was there at a time and is gone now; what is there stays as it is. */
  async #restoreInto(folder: Fid, located: Located | null, path: readonly string[]): Promise<void> {
    if (this.#order.removed !== undefined) return this.#restoreRemoved(folder, path);
    const { at } = this.#order;
    if (at === null) {
      const shown = shownPath(path);
      throw new GodwitError(
        'is-a-directory',
        `${shown}: that folder is there; give --at TIME to bring back what was in it then`,
      );
    }
    const then = located === null ? undefined : await this.#folderThen(located, at);
    await this.#restoreEntries(then?.fid ?? folder, folder, null, path, path);
  }

  /** The folder that was at the place at that time, and has ended. */
  async #folderThen({ dir, before, name }: Located, at: PastPoint): Promise<PastName | undefined> {
    const past = await directoriesNamed(this.#history, [dir, ...before], name);
    return past.find((each) => each.ended && stoodAt(each, at));
  }

  /** What one device removed with some commits, in this folder and those below that are there. */
  async #restoreRemoved(folder: Fid, path: readonly string[]): Promise<void> {
    const all = await this.#slots.run(() => allNames(this.#history, folder, null));
    const each = async (entry: PastName): Promise<void> => {
      const { name, fid, status, until } = entry;
      const below = [...path, name];
      if (until === null && status.kind === 'directory') return this.#restoreRemoved(fid, below);
      if (!this.#isMeant(entry)) return;
      const source = await this.#slots.run(() => this.#lastOf(entry));
      if (entry.ended || source.asName) {
        await this.#makeTree({ dir: folder, name }, source, below, path);
      }
    };
    await this.#eachOf(lastOfEach(all), path, each);
  }

  #isMeant(entry: PastName): boolean {
    const { removed } = this.#order;
    const { until } = entry;
    if (removed === undefined || until === null) return false;
    const isWithin = removed.from <= until.commit && until.commit <= removed.to;
    return isWithin && until.device === removed.device;
  }

  async #makeTree(
    place: Place,
    source: Source,
    path: readonly string[],
    into: readonly string[],
  ): Promise<void> {
    const { status, removed } = source;
    const before = this.#turns.get(status.fid) ?? Promise.resolve();
    const making = before.then(() =>
      this.#slots.run(() => this.#makeOne(place, source, path, into)),
    );
    if (status.links > 1 && status.kind !== 'directory') this.#turns.set(status.fid, making);
    const made = await making;
    if (made === null || status.kind !== 'directory') return;
    const to = [...into, made.place.name];
    await this.#restoreEntries(status.fid, made.fid, removed, path, to);
  }

  /** Null: it could not be made, which is in the report. */
  async #makeOne(
    place: Place,
    source: Source,
    path: readonly string[],
    into: readonly string[],
  ): Promise<{ readonly fid: Fid; readonly place: Place } | null> {
    const { status } = source;
    const linked = await this.#attempt(path, () => this.#nameAgain(place, source));
    if (linked === null) return null;
    if (linked !== 'none') {
      this.#did(path, 'linked', [...into, linked.name]);
      return { fid: status.fid, place: linked };
    }
    const made = await this.#attempt(path, () => makeAgain(this.#fs, place, status));
    if (made === null) return null;
    const { fid } = made.attributes;
    if (status.links > 1) this.#made.set(status.fid, fid);
    this.#did(path, 'made', [...into, made.place.name]);
    return { fid, place: made.place };
  }

  /** The name stands for its file again, which lives or was made here just now; `none`: there is no such file. */
  async #nameAgain(place: Place, { status, asName }: Source): Promise<Place | 'none'> {
    const made = this.#made.get(status.fid);
    if (made === undefined && (!asName || this.#order.to !== null)) return 'none';
    const fid = made ?? status.fid;
    const now = await this.#fs.getattr(fid).catch(nullIfAbsent);
    if (now === null) return 'none';
    // As of a time, the contents of then count.
    if (this.#order.at !== null && now.digest !== status.digest) return 'none';
    return atFreeName(place, false, async (free) => {
      await this.#fs.link(fid, free);
      return free;
    });
  }

  /** The entries of a directory, live or ended, into that one. `removed`: when it ended itself. */
  async #restoreEntries(
    from: Fid,
    into: Fid,
    removed: Moment | null,
    path: readonly string[],
    to: readonly string[],
  ): Promise<void> {
    const { at } = this.#order;
    const all = await this.#slots.run(() => allNames(this.#history, from, null));
    const last = this.#order.removed !== undefined || at === null ? lastOfEach(all) : [];
    const wanted =
      this.#order.removed !== undefined
        ? last.filter((one) => this.#isMeant(one))
        : at === null
          ? last.filter((one) => wentWith(one, removed))
          : all.filter((one) => stoodAt(one, at));
    const each = async (entry: PastName): Promise<void> => {
      const { name, ended, fid } = entry;
      const source = await this.#slots.run(() => this.#sourceAt(entry));
      const below = [...path, name];
      if (ended || source.asName) {
        const there = at === null ? null : await this.#standsFor({ dir: into, name }, source);
        if (there === null) await this.#makeTree({ dir: into, name }, source, below, to);
        else if (source.status.kind === 'directory')
          await this.#restoreEntries(fid, there, source.removed, below, [...to, name]);
      } else if (at !== null && source.status.kind === 'directory' && from === into) {
        await this.#restoreEntries(fid, fid, null, below, [...to, name]);
      }
    };
    await this.#eachOf(wanted, path, each);
  }

  /** What is there again under the name, by whatever way, and is as it was; a folder counts by its name. Null: nothing, or something else. */
  async #standsFor({ dir, name }: Place, { status }: Source): Promise<Fid | null> {
    const present = await this.#slots.run(() => lookup(this.#fs, dir, name));
    if (present?.kind !== status.kind) return null;
    const isSame = present.digest === status.digest && present.target === status.target;
    return isSame ? present.fid : null;
  }

  async #sourceAt(entry: PastName): Promise<Source> {
    const { at } = this.#order;
    const last = await this.#lastOf(entry);
    if (at === null || entry.status.kind !== 'file' || !(entry.ended || last.asName)) return last;
    const then = await newestVersion(this.#history, entry.fid, ({ since }) => isBy(since, at));
    return then === null ? last : { ...last, status: then.status };
  }

  /** Beside one another; what fails of one is in the report, and the others go on. */
  async #eachOf(
    entries: readonly PastName[],
    path: readonly string[],
    work: (entry: PastName) => Promise<void>,
  ): Promise<void> {
    const one = (entry: PastName) => this.#attempt([...path, entry.name], () => work(entry));
    await Promise.all(entries.map(one));
  }

  async #attempt<T>(path: readonly string[], work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
      this.#failed.push({ path: shownPath(path), code: error.code, message: error.message });
      return null;
    }
  }

  #did(path: readonly string[], as: DoneRow['as'], to: readonly string[]): void {
    this.#done.push({ path: shownPath(path), as, to: shownPath(to) });
  }
}

/** The folder of a path. */
const dirname = (path: readonly string[]): string[] => path.slice(0, -1);

const sourceOf = ({ status }: PastVersion): Source => ({ status, removed: null, asName: false });

/** Its name was freed by the device that removed the directory, shortly before. */
function wentWith({ until }: PastName, removed: Moment | null): boolean {
  if (until === null || removed === null) return false;
  return until.device === removed.device && removed.when - until.when <= REMOVAL_WINDOW;
}
