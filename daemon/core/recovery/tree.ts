/** A volume, or what is known of it, as rule I1 compares it. */
import type { ChangeSet } from '../../../shared/model/change.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import {
  dataVersion,
  type DataVersion,
  type Digest,
  type VnodeStatus,
} from '../../../shared/model/vnode.ts';

export interface Tree {
  readonly statuses: Map<Fid, VnodeStatus>;
  /** By directory; one that is not in here is not known. */
  readonly entries: Map<Fid, Map<string, Fid>>;
}

/** Gives the entries of a directory in a tree, and adds an empty directory where there is none. */
export function entriesOf(tree: Tree, dir: Fid): Map<string, Fid> {
  const known = tree.entries.get(dir);
  if (known !== undefined) return known;
  const fresh = new Map<string, Fid>();
  tree.entries.set(dir, fresh);
  return fresh;
}

/** What nobody who offers it knows the name of is offered under this one: the same on every laptop, so that what two offer is one. */
export function recoveredName(fid: Fid): string {
  return `recovered ${fid}`;
}

/** What the server has committed in its new epoch: of this much another device may have offered the same before us. */
export class Since {
  /** By directory and name. */
  readonly #given = new Map<string, Set<Fid | null>>();
  readonly #stored = new Map<Fid, Map<Digest, DataVersion>>();
  readonly #touched = new Map<Fid, VnodeStatus>();
  readonly #recoveredIn = new Map<Fid, Fid>();

  constructor(sets: readonly ChangeSet[]) {
    for (const { vnodes, entries } of sets) {
      for (const { dir, name, fid } of entries) {
        const key = `${dir}/${name}`;
        const before = this.#given.get(key) ?? new Set();
        for (const had of before) {
          if (had !== null && name === recoveredName(had)) this.#recoveredIn.delete(had);
        }
        this.#given.set(key, before.add(fid));
        if (fid !== null && name === recoveredName(fid)) this.#recoveredIn.set(fid, dir);
      }
      for (const status of vnodes) {
        const { fid, digest, version } = status;
        if (!this.#touched.has(fid) || status.links > 0) this.#touched.set(fid, status);
        if (digest === null) continue;
        const versions = this.#stored.get(fid) ?? new Map<Digest, DataVersion>();
        this.#stored.set(fid, versions.set(digest, version));
      }
    }
  }

  hadEntry(dir: Fid, name: string, fid: Fid | null): boolean {
    return this.#given.get(`${dir}/${name}`)?.has(fid) ?? false;
  }

  /** The directory it is in under its recovered name. */
  recoveredIn(fid: Fid): Fid | undefined {
    return this.#recoveredIn.get(fid);
  }

  /** The version that the vnode had with these contents. */
  versionOf(fid: Fid, digest: Digest): DataVersion | null {
    return this.#stored.get(fid)?.get(digest) ?? null;
  }

  /** The vnodes it touched, as it left them (or had them before they ended). */
  touched(): Iterable<VnodeStatus> {
    return this.#touched.values();
  }
}

/**
 * Made since: what another device has stored in it may be newer than what is known here, and is not written over. A store over nothing
 * meets it as a conflict.
 */
function withoutContents(status: VnodeStatus): VnodeStatus {
  if (status.kind !== 'file') return status;
  return { ...status, version: dataVersion(0), digest: null };
}

/**
 * Lets `then` have what of `now` the server has committed since, even if it was changed again after that: it is not to be offered
 * a second time. Of attributes those said last count, and they are the server's.
 */
export function withOffered(then: Tree, now: Tree, since: Since): void {
  for (const status of since.touched()) {
    const { fid } = status;
    const before = then.statuses.get(fid) ?? withoutContents(status);
    const here = now.statuses.get(fid);
    const version =
      here === undefined || here.digest === null ? null : since.versionOf(fid, here.digest);
    then.statuses.set(fid, {
      ...before,
      ...(here === undefined ? {} : { mode: here.mode, mtime: here.mtime, xattrs: here.xattrs }),
      ...(version === null ? {} : { digest: here?.digest ?? null, version }),
    });
    const recoveredIn = here === undefined ? undefined : since.recoveredIn(fid);
    if (recoveredIn !== undefined) entriesOf(then, recoveredIn).set(recoveredName(fid), fid);
  }
  for (const [dir, names] of now.entries) {
    const had = entriesOf(then, dir);
    for (const [name, fid] of names) if (since.hadEntry(dir, name, fid)) had.set(name, fid);
    for (const name of [...had.keys()]) {
      if (!names.has(name) && since.hadEntry(dir, name, null)) had.delete(name);
    }
  }
}
