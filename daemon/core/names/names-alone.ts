/**
 * Names that the server told one by one (rule N1), of directories that were not listed. They are kept in memory alone: after a restart a path is
 * asked for again.
 *
 * Invariants
 * 1. A name counts beside the status of its directory that has the version which it was told with, and beside no other.
 * 2. All names of a directory are of one version. One of a later version ends the others.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { DataVersion } from '../../../shared/model/vnode.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import type { RequestId } from '../events.ts';

/** Directories with such names: whoever walks through more asks again for those that were walked through longest ago. */
const MOST_DIRECTORIES = 10_000;
/** Names of one of them: who uses more of it lists it sooner or later. */
const MOST_NAMES = 1000;

interface Directory {
  readonly version: DataVersion;
  /** null: the name is free. */
  readonly names: Map<string, Fid | null>;
}

/** Keeps single names of directories, and where the vnodes are that they lead to. */
export class NamesAlone {
  readonly #directories = new Map<Fid, Directory>();
  readonly #places = new Map<Fid, Place>();
  /** The youngest request that has brought names of a directory, or has failed to, in this connection. */
  readonly #asked = new Map<Fid, RequestId>();

  /** What the name leads to beside that version of its directory; null: it is free. undefined: nobody has said. */
  get(dir: Fid, version: DataVersion, name: string): Fid | null | undefined {
    const directory = this.#directories.get(dir);
    return directory?.version === version ? directory.names.get(name) : undefined;
  }

  put(dir: Fid, version: DataVersion, name: string, fid: Fid | null): void {
    const before = this.#directories.get(dir);
    if (before !== undefined && before.version > version) return;
    const isSame = before?.version === version && before.names.size < MOST_NAMES;
    if (!isSame) this.forget(dir);
    const directory = isSame ? before : { version, names: new Map<string, Fid | null>() };
    this.#directories.delete(dir);
    this.#directories.set(dir, directory);
    directory.names.set(name, fid);
    if (fid !== null) this.#places.set(fid, { dir, name });
    const [oldest] = this.#directories.keys();
    if (this.#directories.size > MOST_DIRECTORIES && oldest !== undefined) this.forget(oldest);
  }

  /** Where the vnode is, if one of these names leads to it. */
  placeOf(fid: Fid): Place | undefined {
    return this.#places.get(fid);
  }

  forget(dir: Fid): void {
    for (const fid of this.#directories.get(dir)?.names.values() ?? []) {
      if (fid !== null && this.#places.get(fid)?.dir === dir) this.#places.delete(fid);
    }
    this.#directories.delete(dir);
  }

  /** The answer to a request said as much of this directory as it does. */
  asked(dir: Fid, request: RequestId): void {
    this.#asked.set(dir, Math.max(request, this.#asked.get(dir) ?? 0));
  }

  /** Names of the directory were asked for since then, and there was an answer. */
  askedSince(dir: Fid, since: RequestId): boolean {
    return (this.#asked.get(dir) ?? 0) > since;
  }

  /** The connection has ended. */
  disconnected(): void {
    this.#asked.clear();
  }

  /** The server has another history: versions mean something else (rule I1). */
  clear(): void {
    this.#directories.clear();
    this.#places.clear();
  }
}
