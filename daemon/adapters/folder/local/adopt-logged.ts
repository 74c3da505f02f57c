/**
 * After a crash: what was logged, or put in place, without being recorded.
 *
 * Between a call of the file-system port and the record of it the daemon may have died. Until a place was looked at for the first time, each step there
 * asks the view first whether it was told already. The look at the start sees nearly all of them; what it could not see, such as a disk that was not
 * mounted, is open until a later look has seen it.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Digest, Mtime, Xattr } from '../../../../shared/model/vnode.ts';
import type { Attributes, Place } from '../../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { removeEmptied } from '../disk/disk.ts';
import { plainMode, type DiskFacts } from '../disk/disk-facts.ts';
import { PathChanged } from '../disk/path-changed.ts';
import { setAttributes } from '../disk/set-attributes.ts';
import type { LocalChangesParts } from './local-changes-parts.ts';
import { isUnfinished, removeUnfinished } from './unfinished.ts';
import { sameXattrs } from '../disk/xattrs.ts';

export interface AttributeChange {
  mode?: number;
  mtime?: Mtime;
  xattrs?: readonly Xattr[];
}

export type AdoptParts = Pick<
  LocalChangesParts,
  'feed' | 'fileSystem' | 'records' | 'files' | 'root' | 'disks'
>;

/**
 * Finds what a run that was killed had logged and not recorded, so that nothing is logged twice.
 */
export class AdoptLogged {
  readonly #parts: AdoptParts;
  /** Paths that were not looked at yet, each with all that is beneath; null: nothing was. */
  #unseen: readonly string[] | null = null;

  constructor(parts: AdoptParts) {
    this.#parts = parts;
  }

  /** Everything was looked at but these paths and what is beneath them. True: some of them had not been before either. */
  seenBut(paths: readonly string[]): boolean {
    const before = this.#unseen ?? [''];
    const both = [
      ...paths.filter((path) => isIn(path.split('/'), before)),
      ...before.filter((path) => isIn(path.split('/'), paths)),
    ];
    this.#unseen = [...new Set(both)];
    return this.#unseen.length > 0;
  }

  /** Itself, for a path that was not looked at yet; else null. */
  at(path: readonly string[]): AdoptLogged | null {
    return this.#unseen === null || isIn(path, this.#unseen) ? this : null;
  }

  /** The vnode that the name has in the view, where it can only be the one on the disk. */
  async made(place: Place, facts: DiskFacts): Promise<Attributes | null> {
    const { records } = this.#parts;
    const there = await this.#lookup(place);
    if (there === null || there === 'unknown') return null;
    if (there.kind !== facts.kind || records.has(there.fid)) return null;
    if (there.kind === 'directory') return there;
    if (there.kind === 'symlink') return there.target === facts.target ? there : null;
    // Without contents it was made by us and its contents were not logged, or another's that are still to come: these meet ours.
    if (there.sync === 'queued' || there.digest === null) return there;
    const path = records.pathOfPlace(place);
    if (there.size !== facts.size || path === null) return null;
    const { root, files } = this.#parts;
    try {
      const { digest } = await root.reading(path, (file) => files.digestFile(file));
      return digest === there.digest ? there : null;
    } catch (error) {
      if (error instanceof PathChanged) return null;
      throw error;
    }
  }

  /**
   * A directory that was made in its place and has not got its attributes (BEGUN_MODE) gets them of the view. Where nobody wants it any
   * more it goes, unless something is in it. Gives what is there then; null: nothing.
   */
  finish(place: Place, there: Attributes | null): DiskFacts | null {
    const { records, root, files, disks } = this.#parts;
    const hasXattrs = disks.at(place.dir).can.xattrs;
    const dir = records.pathOf(place.dir);
    if (dir === null) throw new PathChanged([place.name]);
    return root.within(dir, (base) => {
      const path = `${base}/${place.name}`;
      if (there !== null) setAttributes(files, path, there, null, { hasXattrs });
      else if (removeEmptied(files, path)) return null;
      return root.factsAt(path);
    });
  }

  /** Something else has taken the name on the disk: a file that was made for it and never stored is not in its way. */
  async free(place: Place): Promise<void> {
    const { feed, fileSystem, records } = this.#parts;
    const there = await this.#lookup(place);
    if (there === null || there === 'unknown') return;
    if (isUnfinished(there, records, feed)) await removeUnfinished(there, place, fileSystem);
  }

  /** Has the name this vnode in the view? null: it can't be known just now. */
  async isNamed(place: Place, fid: Fid): Promise<boolean | null> {
    const there = await this.#lookup(place);
    if (there === 'unknown') return null;
    return there?.fid === fid;
  }

  /** The attributes of the vnode in the view, where it has these contents there. */
  async written(fid: Fid, digest: Digest): Promise<Attributes | null> {
    const there = await this.#attributes(fid);
    return there?.digest === digest ? there : null;
  }

  /** Of attributes that are not as recorded those that the view has otherwise: the rest was logged, or put in place. */
  async untold(fid: Fid, change: AttributeChange): Promise<AttributeChange> {
    const there = await this.#attributes(fid);
    if (there === null) return change;
    const { mode, mtime, xattrs } = change;
    return {
      ...(mode === undefined || mode === plainMode(there.mode) ? {} : { mode }),
      ...(mtime === undefined || mtime === there.mtime ? {} : { mtime }),
      ...(xattrs === undefined || sameXattrs(xattrs, there.xattrs) ? {} : { xattrs }),
    };
  }

  /** null: they can't be known just now. */
  async #attributes(fid: Fid): Promise<Attributes | null> {
    try {
      return await this.#parts.fileSystem.getattr(fid);
    } catch (error) {
      if (error instanceof GodwitError) return null;
      throw error;
    }
  }

  async #lookup({ dir, name }: Place): Promise<Attributes | 'unknown' | null> {
    try {
      return await this.#parts.fileSystem.lookup(dir, name);
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
      return error.code === 'not-found' ? null : 'unknown';
    }
  }
}

/** It is one of these, or beneath one. '' is the folder itself. */
function isIn(path: readonly string[], above: readonly string[]): boolean {
  return above.some(
    (at) => at === '' || at.split('/').every((name, depth) => path[depth] === name),
  );
}
