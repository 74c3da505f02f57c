/** What the volume has, and what a laptop's folder shows: each as paths with what is there, to be compared. */
import type { ChangeSet } from '../../../../shared/model/change.ts';
import { rootOf, type Fid, type VolumeId } from '../../../../shared/model/fid.ts';
import { lacksContents, type Digest, type VnodeStatus } from '../../../../shared/model/vnode.ts';
import { digestOf } from '../disk/content-digest.ts';
import type { ProgramCalls, Stats } from '../posix/program-calls.ts';
import { readFile } from '../posix/program-calls.ts';
import { OWN_OF_MOUNTED } from './mount-above.ts';

export interface Shown {
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly digest: Digest | null;
  readonly mode: number;
  readonly target: string | null;
  /** Nanoseconds since 1970; null: nothing is said of it. */
  readonly mtime: bigint | null;
  /** Extended attributes of the user, by their names without `user.`, in base64. */
  readonly xattrs: ReadonlyMap<string, string>;
}

/** One version of a file after another. */
export interface VersionStep {
  readonly fid: Fid;
  readonly version: number;
  readonly before: Digest;
  readonly after: Digest;
}

export type Tree = ReadonlyMap<string, Shown>;

const OURS = /^\.godwit($|-[0-9a-f]{32}$)/;
const PLACEHOLDER = '.godwit';

/** The volume as its commits have made it. */
export class VolumeState {
  readonly vnodes = new Map<Fid, VnodeStatus>();
  readonly entries = new Map<Fid, Map<string, Fid>>();
  /** All contents that were ever committed. */
  readonly digests = new Set<Digest>();
  /** Stores over contents, in their order. */
  readonly stores: VersionStep[] = [];
  readonly #versions = new Map<string, Digest>();
  readonly #root: Fid;

  constructor(volume: VolumeId, commits: readonly ChangeSet[]) {
    this.#root = rootOf(volume);
    for (const change of commits) this.#apply(change);
  }

  /** In order of paths. A file that nobody stored has no contents, and is not shown (rule W2). */
  tree(): Tree {
    const tree = new Map<string, Shown>();
    const walk = (dir: Fid, path: string): void => {
      const names = [...(this.entries.get(dir) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [name, fid] of names) {
        const status = this.vnodes.get(fid);
        if (status === undefined || lacksContents(status)) continue;
        const at = path === '' ? name : `${path}/${name}`;
        tree.set(at, shownOf(status));
        if (status.kind === 'directory') walk(fid, at);
      }
    };
    walk(this.#root, '');
    return tree;
  }

  digestAt(fid: string, version: number): Digest | null {
    return this.#versions.get(`${fid}@${version}`) ?? null;
  }

  #apply({ vnodes, entries }: ChangeSet): void {
    for (const status of vnodes) {
      this.#note(status);
      if (status.links === 0 && status.fid !== this.#root) this.vnodes.delete(status.fid);
      else this.vnodes.set(status.fid, status);
    }
    for (const { dir, name, fid } of entries) {
      const names = this.entries.get(dir) ?? new Map<string, Fid>();
      if (fid === null) names.delete(name);
      else names.set(name, fid);
      this.entries.set(dir, names);
    }
  }

  #note({ fid, version, digest: after }: VnodeStatus): void {
    if (after === null) return;
    this.digests.add(after);
    this.#versions.set(`${fid}@${version}`, after);
    const before = this.vnodes.get(fid)?.digest ?? null;
    if (before !== null && before !== after) this.stores.push({ fid, version, before, after });
  }
}

function shownOf({ kind, digest, mode, target, mtime, xattrs }: VnodeStatus): Shown {
  return {
    ...{ kind, digest, mode: kind === 'symlink' ? 0 : mode & 0o777, target },
    ...{ mtime: BigInt(mtime), xattrs: new Map(xattrs.map(({ name, value }) => [name, value])) },
  };
}

/** All that lies in a folder, as a process sees it that may see all. A placeholder stands for its file: it has no digest. */
export function diskTree(calls: ProgramCalls, root: string): Map<string, Shown> {
  const tree = new Map<string, Shown>();
  const walk = (path: string): void => {
    for (const name of namesIn(calls, path === '' ? root : `${root}/${path}`)) {
      if (OURS.test(name)) continue;
      const at = path === '' ? name : `${path}/${name}`;
      if (name.includes(NO_TEXT) && !isThere(calls, `${root}/${at}`)) continue;
      const shown = shownAt(calls, `${root}/${at}`);
      if (shown === null) continue;
      tree.set(at, shown);
      if (shown.kind === 'directory') walk(at);
    }
  };
  walk('');
  return tree;
}

function shownAt(calls: ProgramCalls, path: string): Shown | null {
  const stats = calls.lstat(path);
  const mode = stats.mode & 0o777;
  const { mtime } = stats;
  const nothing = { digest: null, target: null, mtime, xattrs: NO_XATTRS };
  switch (stats.kind) {
    case 'file': {
      const digest = digestOf(readFile(calls, path));
      return { ...nothing, kind: 'file', digest, mode, xattrs: userXattrs(calls, path) };
    }
    case 'directory':
      return { ...nothing, kind: 'directory', mode, xattrs: userXattrs(calls, path) };
    case 'symlink':
      return { ...nothing, kind: 'symlink', mode: 0, target: calls.readlink(path) };
    default:
      return null;
  }
}

const USER = 'user.';
const NO_XATTRS: ReadonlyMap<string, string> = new Map();

function userXattrs(calls: ProgramCalls, path: string): ReadonlyMap<string, string> {
  const names = calls.listxattr(path).filter((name) => name.startsWith(USER));
  return new Map(
    names.map((name) => {
      const value = Buffer.from(calls.getxattr(path, name)).toString('base64');
      return [name.slice(USER.length), value];
    }),
  );
}

/** What a byte that is no text is shown as. */
const NO_TEXT = '\ufffd';

function isThere(calls: ProgramCalls, path: string): boolean {
  try {
    calls.lstat(path);
    return true;
  } catch {
    return false;
  }
}

/** Regular files beneath a directory, at any depth, that have no other name. */
export function filesIn(
  calls: ProgramCalls,
  dir: string,
): Map<string, { readonly digest: Digest; readonly stats: Stats }> {
  const found = new Map<string, { readonly digest: Digest; readonly stats: Stats }>();
  const walk = (at: string): void => {
    for (const name of namesIn(calls, at)) {
      const path = `${at}/${name}`;
      // A name that is no text leads nowhere by the text that it is told as.
      if (name.includes(NO_TEXT) && !isThere(calls, path)) continue;
      const stats = calls.lstat(path);
      if (stats.kind === 'directory') walk(path);
      if (stats.kind !== 'file') continue;
      found.set(path, { digest: digestOf(readFile(calls, path)), stats });
    }
  };
  walk(dir);
  return found;
}

/**
 * Whether a directory has something in it, at any depth, that is neither file, directory nor link, or whose name is no text, or is that of an engine's
 * own directory.
 */
export function hasOthers(calls: ProgramCalls, dir: string): boolean {
  return namesIn(calls, dir).some((name) => {
    const path = `${dir}/${name}`;
    if (OWN_OF_MOUNTED.test(name) || !isThere(calls, path)) return true;
    const { kind } = calls.lstat(path);
    return kind === 'directory' ? hasOthers(calls, path) : !['file', 'symlink'].includes(kind);
  });
}

/** Whether both paths are names of one file. */
export function isSameFile(calls: ProgramCalls, one: string, other: string): boolean {
  if (!isThere(calls, one) || !isThere(calls, other)) return false;
  const [a, b] = [calls.lstat(one), calls.lstat(other)];
  return a.kind === 'file' && a.dev === b.dev && a.ino === b.ino;
}

/** In order. What is not there has none. */
export function namesIn(calls: ProgramCalls, dir: string): string[] {
  try {
    return calls.readdir(dir).sort();
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return [];
    throw error;
  }
}

export function isPlaceholderName(path: string): boolean {
  return path.endsWith(PLACEHOLDER);
}
