/** What the file-system port refuses by the view of a fake volume (shared/ports/file-system.ts): each throws GodwitError. */
import type { Fid } from '../../shared/model/fid.ts';
import { nameFault } from '../../shared/model/names.ts';
import type { VnodeStatus } from '../../shared/model/vnode.ts';
import type {
  Place,
  RemoveOptions,
  RenameOptions,
  SeenVersion,
} from '../../shared/ports/file-system.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { FakeTree, TreeNode } from './fake-tree.ts';

/** Throws `bad-name` for an invalid name. */
export function mustBeName(name: string): void {
  const fault = nameFault(name);
  if (fault !== null) throw new GodwitError('bad-name', fault);
}

/** The status of a vnode; throws without one. */
export function statusIn(view: FakeTree, fid: Fid): VnodeStatus {
  const status = view.get(fid);
  if (status === null) throw new GodwitError('not-found', `no ${fid}`);
  return status;
}

/** The node of a directory; throws for anything else. */
export function directoryIn(view: FakeTree, dir: Fid): TreeNode {
  if (statusIn(view, dir).kind !== 'directory') throw new GodwitError('not-a-directory', dir);
  return view.nodes.get(dir) as TreeNode;
}

/** The status of the vnode at a place; throws without one. */
export function entryIn(view: FakeTree, { dir, name }: Place): VnodeStatus {
  mustBeName(name);
  const fid = directoryIn(view, dir).entries.get(name);
  if (fid === undefined) throw new GodwitError('not-found', `no ${name}`);
  return statusIn(view, fid);
}

/** Throws `exists` for a name that is taken. */
export function mustBeFree(view: FakeTree, { dir, name }: Place): void {
  mustBeName(name);
  if (directoryIn(view, dir).entries.has(name)) throw new GodwitError('exists', name);
}

/** Throws `is-a-directory` for a directory. */
export function mustBeNoDirectory({ kind, fid }: VnodeStatus): void {
  if (kind === 'directory') throw new GodwitError('is-a-directory', fid);
}

/** The vnode that may be removed at a place; throws otherwise. */
export function removable(
  view: FakeTree,
  op: 'remove' | 'rmdir',
  place: Place,
  { only }: RemoveOptions,
): VnodeStatus {
  const status = entryIn(view, place);
  mustBeOnly(only, place.name, status);
  if (op === 'remove') mustBeNoDirectory(status);
  else if (directoryIn(view, status.fid).entries.size > 0) throw new GodwitError('not-empty');
  return status;
}

/** The vnode to rename and the one it would replace, or null when it has the name already. */
export function renamable(
  view: FakeTree,
  from: Place,
  to: Place,
  { noReplace = false, only }: RenameOptions,
): { readonly fid: Fid; readonly over: SeenVersion | null } | null {
  const source = entryIn(view, from);
  mustBeName(to.name);
  const there = directoryIn(view, to.dir).entries.get(to.name);
  if (there !== undefined && noReplace) throw new GodwitError('exists', to.name);
  if (only !== undefined && there === undefined) throw new GodwitError('not-found', to.name);
  if (there === source.fid && only === undefined) return null;
  const isFolder = source.kind === 'directory';
  if (isFolder && isInside(view, to.dir, source.fid)) throw new GodwitError('cycle', from.name);
  if (there === undefined) return { fid: source.fid, over: null };
  const target = statusIn(view, there);
  mustBeOnly(only, to.name, target);
  if (!isFolder) mustBeNoDirectory(target);
  else if (directoryIn(view, there).entries.size > 0) throw new GodwitError('not-empty', to.name);
  return { fid: source.fid, over: { fid: there, base: target.version } };
}

function mustBeOnly(only: RemoveOptions['only'], name: string, status: VnodeStatus): void {
  if (only === undefined) return;
  if (only.fid !== status.fid) throw new GodwitError('not-found', name);
  if (only.version !== status.version) throw new GodwitError('exists', name);
}

function isInside(view: FakeTree, dir: Fid, folder: Fid): boolean {
  return dir === folder || view.names(dir).some((place) => isInside(view, place.dir, folder));
}

/** Checks the name of a volume; throws `no-such-volume`. */
export function namedVolume(name: string): void {
  if (name !== 'home') throw new GodwitError('no-such-volume', name);
}

/** The status at a path below the root. */
export function statusAt(view: FakeTree, path: readonly string[]): VnodeStatus {
  let at = statusIn(view, view.root);
  for (const name of path) at = entryIn(view, { dir: at.fid, name });
  return at;
}
