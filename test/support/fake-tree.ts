/** A volume's tree in memory, changed by updates as the server would (and refused as it would): for `FakeVolume`. */
import type { ChangeSet, EntryChange } from '../../shared/model/change.ts';
import type { Place } from '../../shared/ports/file-system.ts';
import type { Fid } from '../../shared/model/fid.ts';
import type { Refusal, Update } from '../../shared/model/update.ts';
import {
  commitNumber,
  dataVersion,
  mtimeOf,
  type CommitNumber,
  type Mtime,
  type VnodeStatus,
} from '../../shared/model/vnode.ts';

export interface TreeNode {
  status: VnodeStatus;
  readonly entries: Map<string, Fid>;
  readonly names: Place[];
}

export type Applied =
  | { readonly ok: true; readonly vnodes: VnodeStatus[]; readonly entries: EntryChange[] }
  | { readonly ok: false; readonly refusal: Refusal; readonly existing: VnodeStatus | null };

type Op<O extends Update['op']> = Extract<Update, { op: O }>;

/** The tree of a fake volume. */
export class FakeTree {
  readonly nodes = new Map<Fid, TreeNode>();
  /** The last places of removed vnodes. */
  readonly lastPlaces = new Map<Fid, Place>();
  readonly root: Fid;

  constructor(root: Fid) {
    this.root = root;
    this.nodes.set(root, {
      status: statusOf(root, 'directory', 0o755),
      entries: new Map(),
      names: [],
    });
  }

  clone(): FakeTree {
    const copy = new FakeTree(this.root);
    for (const [fid, { status, entries, names }] of this.nodes) {
      copy.nodes.set(fid, { status, entries: new Map(entries), names: [...names] });
    }
    return copy;
  }

  get(fid: Fid): VnodeStatus | null {
    return this.nodes.get(fid)?.status ?? null;
  }

  at(dir: Fid, name: string): Fid | null {
    return this.nodes.get(dir)?.entries.get(name) ?? null;
  }

  /** The fid of a path; the root's for ''. */
  find(path: string): Fid | null {
    let at: Fid | null = this.root;
    for (const name of path.split('/').filter(Boolean)) {
      if (at === null) return null;
      at = this.at(at, name);
    }
    return at;
  }

  names(fid: Fid): readonly Place[] {
    return this.nodes.get(fid)?.names ?? [];
  }

  apply(update: Update, commit: CommitNumber): Applied {
    const changes = new Changes(this, commit);
    const refused = this.#change(update, changes);
    if (refused !== null) return { ok: false, ...refused };
    return { ok: true, ...changes.taken() };
  }

  #change(update: Update, to: Changes): { refusal: Refusal; existing: VnodeStatus | null } | null {
    switch (update.op) {
      case 'create':
      case 'mkdir':
      case 'symlink':
        return this.#make(update, to);
      case 'link':
        if (this.get(update.fid) === null) return { refusal: 'no-such-vnode', existing: null };
        return this.#name(update.dir, update.name, update.fid, update.at, to);
      case 'remove':
      case 'rmdir':
        return this.#remove(update, to);
      case 'rename':
        return this.#rename(update, to);
      case 'setattr': {
        const status = this.get(update.fid);
        if (status === null) return { refusal: 'no-such-vnode', existing: null };
        const { mode, mtime, xattrs } = status;
        to.status(update.fid, {
          mode: update.mode ?? mode,
          mtime: update.mtime ?? mtime,
          xattrs: update.xattrs ?? xattrs,
        });
        return null;
      }
      case 'store': {
        const status = this.get(update.fid);
        if (status === null) return { refusal: 'no-such-vnode', existing: null };
        if (status.version !== update.base) return { refusal: 'stale-base', existing: status };
        const { digest, size, mtime } = update;
        to.status(update.fid, { digest, size, mtime, version: dataVersion(status.version + 1) });
        return null;
      }
    }
  }

  #make(update: Op<'create' | 'mkdir' | 'symlink'>, to: Changes) {
    const kind = update.op === 'create' ? 'file' : update.op === 'mkdir' ? 'directory' : 'symlink';
    const mode = update.op === 'symlink' ? 0o777 : update.mode;
    const target = update.op === 'symlink' ? update.target : null;
    const xattrs = update.op === 'symlink' ? [] : update.xattrs;
    const size = target === null ? 0 : Buffer.byteLength(target);
    const status = {
      ...statusOf(update.fid, kind, mode),
      mtime: update.mtime,
      target,
      xattrs,
      size,
    };
    const taken = this.#check(update.dir, update.name);
    if (taken !== null) return taken;
    this.nodes.set(update.fid, { status: { ...status, links: 0 }, entries: new Map(), names: [] });
    return this.#name(update.dir, update.name, update.fid, update.at, to);
  }

  #check(dir: Fid, name: string) {
    const above = this.get(dir);
    if (above === null) return { refusal: 'no-such-vnode', existing: null } as const;
    if (above.kind !== 'directory') {
      return { refusal: 'wrong-kind', existing: above } as const;
    }
    const there = this.at(dir, name);
    return there === null ? null : ({ refusal: 'name-taken', existing: this.get(there) } as const);
  }

  #name(dir: Fid, name: string, fid: Fid, at: Mtime, to: Changes) {
    const taken = this.#check(dir, name);
    if (taken !== null) return taken;
    to.entry(dir, name, fid, at);
    const status = this.get(fid);
    to.status(fid, { links: (status?.links ?? 0) + 1 });
    return null;
  }

  #remove(update: Op<'remove' | 'rmdir'>, to: Changes) {
    const there = this.at(update.dir, update.name);
    const status = there === null ? null : this.get(there);
    if (there !== update.fid) return { refusal: 'no-such-entry', existing: status } as const;
    if (update.op === 'remove' && status?.version !== update.base && status?.kind === 'file') {
      return { refusal: 'stale-base', existing: status } as const;
    }
    if ((this.nodes.get(there)?.entries.size ?? 0) > 0) {
      return { refusal: 'not-empty', existing: status } as const;
    }
    to.entry(update.dir, update.name, null, update.at);
    to.status(there, { links: (status?.links ?? 1) - 1 });
    return null;
  }

  #rename(update: Op<'rename'>, to: Changes) {
    const { fid, fromDir, fromName, toDir, toName, over, at } = update;
    if (this.at(fromDir, fromName) !== fid) {
      return { refusal: 'no-such-entry', existing: null } as const;
    }
    const there = this.at(toDir, toName);
    const replaced = there === null ? null : this.get(there);
    if ((over?.fid ?? null) !== there)
      return { refusal: 'name-taken', existing: replaced } as const;
    to.entry(fromDir, fromName, null, at);
    to.entry(toDir, toName, fid, at);
    to.status(fid, {});
    if (there !== null) to.status(there, { links: (replaced?.links ?? 1) - 1 });
    return null;
  }
}

/** Collects the writes of one update and applies them. */
class Changes {
  readonly #tree: FakeTree;
  readonly #commit: CommitNumber;
  readonly #vnodes = new Map<Fid, VnodeStatus>();
  readonly #entries: EntryChange[] = [];

  constructor(tree: FakeTree, commit: CommitNumber) {
    this.#tree = tree;
    this.#commit = commit;
  }

  entry(dir: Fid, name: string, fid: Fid | null, time: Mtime): void {
    const node = this.#tree.nodes.get(dir);
    const before = node?.entries.get(name);
    const names = before === undefined ? [] : (this.#tree.nodes.get(before)?.names ?? []);
    const at = names.findIndex((place) => place.dir === dir && place.name === name);
    if (at >= 0) names.splice(at, 1);
    if (before !== undefined) this.#tree.lastPlaces.set(before, { dir, name });
    if (fid === null) node?.entries.delete(name);
    else {
      node?.entries.set(name, fid);
      this.#tree.nodes.get(fid)?.names.push({ dir, name });
    }
    this.#entries.push({ dir, name, fid });
    const version = dataVersion((node?.status.version ?? 0) + 1);
    this.status(dir, { mtime: time, version });
  }

  status(fid: Fid, change: Partial<VnodeStatus>): void {
    const node = this.#tree.nodes.get(fid);
    if (node === undefined) return;
    node.status = { ...node.status, ...change, commit: this.#commit };
    this.#vnodes.set(fid, node.status);
    if (node.status.links === 0) this.#tree.nodes.delete(fid);
  }

  taken(): Pick<ChangeSet, 'vnodes'> & { vnodes: VnodeStatus[]; entries: EntryChange[] } {
    return { vnodes: [...this.#vnodes.values()], entries: this.#entries };
  }
}

function statusOf(fid: Fid, kind: VnodeStatus['kind'], mode: number): VnodeStatus {
  return {
    ...{ fid, kind, mode, mtime: mtimeOf(0n), size: 0, version: dataVersion(0) },
    ...{ commit: commitNumber(0), digest: null, target: null, links: 1, xattrs: [] },
  };
}
