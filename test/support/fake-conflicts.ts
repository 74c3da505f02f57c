/** What the fake volume makes of an update that its server refuses: the rules C1-C3, in short. */
import type { Fid } from '../../shared/model/fid.ts';
import type { Refusal, Update } from '../../shared/model/update.ts';
import { dataVersion, type VnodeStatus } from '../../shared/model/vnode.ts';
import type { ConflictRepair } from '../../shared/ports/feed.ts';
import type { FakeTree } from './fake-tree.ts';

type Distributed<T> = T extends unknown ? Omit<T, 'id' | 'volume'> : never;

/** What the rules need of the volume. */
export interface ConflictedVolume {
  readonly device: number;
  readonly server: FakeTree;
  readonly view: FakeTree;
  readonly queue: Array<{ update: Update }>;
  commit(update: Update, device: number): unknown;
  offer(adjustment: Distributed<ConflictRepair>): void;
  takeFid(device?: number): Fid;
}

/** Applies the rules for conflicts to a refused update. */
export function resolveConflict(
  volume: ConflictedVolume,
  update: Update,
  refused: { readonly refusal: Refusal; readonly existing: VnodeStatus | null },
): void {
  const { refusal, existing } = refused;
  switch (update.op) {
    case 'create':
    case 'mkdir':
    case 'symlink':
      if (refusal === 'name-taken') return nameTaken(volume, update, existing);
      return inNearest(volume, update);
    case 'store':
      return storeLost(volume, update, existing);
    case 'remove':
    case 'rmdir':
      if (existing !== null || refusal === 'no-such-entry') {
        volume.offer({ kind: 'restored', fid: update.fid });
      }
      return;
    case 'rename': {
      const renamed = { path: update.toName, copy: update.fromName, isGone: existing === null };
      if (existing !== null || refusal === 'no-such-entry') {
        volume.offer({ kind: 'restored', fid: update.fid, renamed });
      }
      return;
    }
    case 'link':
    case 'setattr':
  }
}

type Making = Extract<Update, { op: 'create' | 'mkdir' | 'symlink' }>;

function nameTaken(volume: ConflictedVolume, update: Making, existing: VnodeStatus | null): void {
  const store = volume.queue.find(({ update: u }) => u.op === 'store' && u.fid === update.fid);
  const digest = store?.update.op === 'store' ? store.update.digest : null;
  const isSame =
    (update.op === 'mkdir' && existing?.kind === 'directory') ||
    (update.op === 'symlink' && existing?.target === update.target) ||
    (update.op === 'create' && existing?.digest === digest && digest !== null);
  if (isSame && existing !== null) {
    const into = existing.fid;
    const kept = volume.queue.filter(({ update: u }) => u.fid !== update.fid);
    for (const queued of kept) queued.update = substituted(queued.update, update.fid, into);
    volume.queue.splice(0, volume.queue.length, ...kept);
    volume.offer({ kind: 'merged', fid: update.fid, into });
    return;
  }
  const from = { dir: update.dir, name: update.name };
  const to = {
    dir: update.dir,
    name: freeName(volume, update.fid, update.dir, conflictName(update.name)),
  };
  volume.commit({ ...update, ...to }, volume.device);
  volume.offer({ kind: 'renamed', fid: update.fid, from, to });
}

function inNearest(volume: ConflictedVolume, update: Making): void {
  const from = { dir: update.dir, name: update.name };
  const { root } = volume.server;
  const to = { dir: root, name: freeName(volume, update.fid, root, update.name) };
  volume.commit({ ...update, ...to }, volume.device);
  volume.offer({ kind: 'renamed', fid: update.fid, from, to });
}

function storeLost(
  volume: ConflictedVolume,
  update: Extract<Update, { op: 'store' }>,
  existing: VnodeStatus | null,
): void {
  if (existing?.digest === update.digest) return;
  const { server } = volume;
  const place = server.names(update.fid)[0] ?? server.lastPlaces.get(update.fid);
  const isThere = place !== undefined && server.get(place.dir) !== null;
  const dir = isThere ? place.dir : server.root;
  const name = place?.name ?? 'unnamed';
  const to = {
    dir,
    name: freeName(volume, update.fid, dir, existing === null ? name : conflictName(name)),
  };
  const copy = volume.takeFid();
  const { mtime } = update;
  const mode = volume.view.get(update.fid)?.mode ?? 0o644;
  volume.commit(
    { op: 'create', fid: copy, ...to, mode, mtime, xattrs: [], at: mtime },
    volume.device,
  );
  volume.commit({ ...update, fid: copy, base: dataVersion(0) }, volume.device);
  let version = 1;
  for (const queued of volume.queue) {
    if (queued.update.fid !== update.fid) continue;
    if (queued.update.op === 'store') {
      queued.update = { ...queued.update, fid: copy, base: dataVersion(version++) };
    } else if (queued.update.op === 'setattr') queued.update = { ...queued.update, fid: copy };
  }
  volume.offer({ kind: 'copied', fid: update.fid, copy, to, lost: update.base });
}

/** The name, or a marked one that is free on both sides. */
function freeName(volume: ConflictedVolume, fid: Fid, dir: Fid, name: string): string {
  const [there, here] = [volume.server.at(dir, name), volume.view.at(dir, name)];
  const isTaken = there !== null || (here !== null && here !== fid);
  return isTaken ? freeName(volume, fid, dir, conflictName(name)) : name;
}

function conflictName(name: string): string {
  return `${name} (conflict)`;
}

function substituted(update: Update, from: Fid, to: Fid): Update {
  const swap = (fid: Fid): Fid => (fid === from ? to : fid);
  if (update.op === 'rename') {
    return { ...update, fromDir: swap(update.fromDir), toDir: swap(update.toDir) };
  }
  return 'dir' in update ? { ...update, dir: swap(update.dir) } : update;
}
