/**
 * `godwit restore`: an older version of a file, or what was removed, comes back as an update like any other.
 *
 * A file that is there gets the older contents as a new version. What is gone is made again under its old name, with the folders
 * on its way; a folder comes back with what went with it. Whatever has the name by now keeps it.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Moment, PastName, PastVersion } from '../../../shared/model/history.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { DoneRow, FailedRow, RestoreReport } from '../../../shared/control/history.ts';
import type { RestoreOrder } from '../../../shared/ports/controlled.ts';
import type { Attributes, FileSystem, Place } from '../../../shared/ports/file-system.ts';
import type { History } from '../../../shared/ports/history.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { REMOVAL_WINDOW } from '../../limits.ts';
import { isRemoved, lastOfEach, pastOfPath, type PathPast } from './list-past.ts';
import { makeAgain, putContents } from './make-again.ts';
import { allNames, allVersions, locate, lookup, shownPath, stoodAt, type Located } from './past.ts';

/** What is to come back of one entry, and as of when its directory is read (null: all that went with it). */
interface Source {
  readonly status: VnodeStatus;
  readonly removed: Moment | null;
}

/**
 * One run of `godwit restore`: makes an older version the newest, or makes a removed file or folder
 * again.
 */
export class Restoring {
  readonly #fs: FileSystem;
  readonly #history: History;
  readonly #root: Fid;
  readonly #order: RestoreOrder;
  readonly #done: DoneRow[] = [];
  readonly #failed: FailedRow[] = [];

  constructor(fs: FileSystem, history: History, root: Fid, order: RestoreOrder) {
    this.#fs = fs;
    this.#history = history;
    this.#root = root;
    this.#order = order;
  }

  /** Rejects if there is nothing to restore; single failures are in the report. */
  async run(): Promise<RestoreReport> {
    const { path, to } = this.#order;
    const located = await locate(this.#fs, this.#history, this.#root, path);
    const { dir, name, gone } = located;
    const present = gone.length > 0 ? null : await lookup(this.#fs, dir, name);
    if (present?.kind === 'directory' && this.#order.version === null && to === null) {
      await this.#restoreInto(present, path);
    } else {
      const past = await pastOfPath(this.#history, dir, name);
      const source = this.#choose(past, present);
      const isFile = present?.kind === 'file' && source.status.kind === 'file';
      if (to !== null) await this.#restoreTo(source, to);
      else if (present !== null && isFile) await this.#replace(present, source);
      else await this.#bringBack(located, source);
    }
    return { done: this.#done, failed: this.#failed };
  }

  /** Which version is meant. */
  #choose({ names, versions }: PathPast, present: Attributes | null): Source {
    const { path, version, at } = this.#order;
    const shown = shownPath(path);
    const last = names.at(-1);
    if (last === undefined) throw new GodwitError('not-found', `${shown}: never was there`);
    if (version !== null) {
      const found = versions.find(({ since }) => since.commit === version);
      if (found !== undefined) return sourceOf(found);
      throw new GodwitError('not-found', `${shown}: has no version ${version}`);
    }
    if (at !== null) return this.#asOf(at, names, versions);
    if (present === null) return { status: last.status, removed: last.until };
    const earlier = versions.find(
      ({ status, kept }) =>
        kept && status.digest !== present.digest && status.commit < present.commit,
    );
    if (earlier !== undefined) return sourceOf(earlier);
    throw new GodwitError('not-found', `${shown}: no earlier version is kept`);
  }

  #asOf(at: WallTime, names: readonly PastName[], versions: readonly PastVersion[]): Source {
    const shown = shownPath(this.#order.path);
    const then = names.find((each) => stoodAt(each, at));
    if (then === undefined) throw new GodwitError('not-found', `${shown}: was not there then`);
    if (then.status.kind !== 'file') return { status: then.status, removed: then.until };
    const found = versions.find(({ status, since }) => status.fid === then.fid && since.when <= at);
    if (found !== undefined) return sourceOf(found);
    throw new GodwitError('no-contents', `${shown}: had no contents then`);
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
  async #restoreInto(present: Attributes, path: readonly string[]): Promise<void> {
    if (this.#order.at === null) {
      const shown = shownPath(path);
      throw new GodwitError(
        'is-a-directory',
        `${shown}: that folder is there; give --at TIME to bring back what was in it then`,
      );
    }
    await this.#restoreEntries(present.fid, present.fid, null, path, path);
  }

  async #makeTree(
    place: Place,
    { status, removed }: Source,
    path: readonly string[],
    into: readonly string[],
  ): Promise<void> {
    const made = await this.#attempt(path, () => makeAgain(this.#fs, place, status));
    if (made === null) return;
    const to = [...into, made.place.name];
    this.#did(path, 'made', to);
    if (status.kind !== 'directory') return;
    await this.#restoreEntries(status.fid, made.attributes.fid, removed, path, to);
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
    const all = await allNames(this.#history, from, null);
    const wanted =
      at === null
        ? lastOfEach(all).filter((each) => wentWith(each, removed))
        : all.filter((each) => stoodAt(each, at));
    for (const entry of wanted) {
      const { name, ended, fid } = entry;
      const source = await this.#sourceAt(entry);
      const below = [...path, name];
      if (ended) await this.#makeTree({ dir: into, name }, source, below, to);
      else if (at !== null && source.status.kind === 'directory' && from === into) {
        await this.#restoreEntries(fid, fid, null, below, [...to, name]);
      }
    }
  }

  async #sourceAt(entry: PastName): Promise<Source> {
    const { at } = this.#order;
    const last = { status: entry.status, removed: entry.until };
    if (at === null || entry.status.kind !== 'file' || !entry.ended) return last;
    const versions = await allVersions(this.#history, entry.fid);
    const then = versions.find(({ since }) => since.when <= at);
    return then === undefined ? last : sourceOf(then);
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

const sourceOf = ({ status }: PastVersion): Source => ({ status, removed: null });

/** It was removed by the device that removed the directory, shortly before. */
function wentWith(entry: PastName, removed: Moment | null): boolean {
  const { until } = entry;
  if (!isRemoved(entry) || until === null || removed === null) return false;
  return until.device === removed.device && removed.when - until.when <= REMOVAL_WINDOW;
}
