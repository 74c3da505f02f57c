/**
 * The whole state of the volume as rows to be put in place. What is recorded and not in it, is gone, but for what is ours
 * and not yet seen in the feed.
 */
import type { EntryChange } from '../../../../shared/model/change.ts';
import type { CommitNumber, VnodeStatus } from '../../../../shared/model/vnode.ts';
import { placeKey, type FolderRecords } from './folder-records.ts';
import type { HeldRows } from './held-rows.ts';

/** Holds all these rows; for what is recorded and not among them, one that says that it is gone. */
export function holdWhole(
  vnodes: readonly VnodeStatus[],
  entries: readonly EntryChange[],
  records: FolderRecords,
  held: HeldRows,
): void {
  const fids = new Set(vnodes.map(({ fid }) => fid));
  const places = new Set(entries.map(({ dir, name }) => placeKey(dir, name)));
  held.merge({ vnodes, entries });
  for (const fid of records.fids()) {
    for (const { dir, name } of records.names(fid)) {
      const isGone = !places.has(placeKey(dir, name)) && !records.isOwn(dir, name);
      if (isGone) held.setEntry({ dir, name, fid: null });
    }
    const record = records.get(fid);
    const isOwn = records.names(fid).some(({ dir, name }) => records.isOwn(dir, name));
    if (fids.has(fid) || record === null || isOwn) continue;
    const { kind, version, digest, size, mode, mtime, target, xattrs } = record;
    const commit = 0 as CommitNumber;
    held.setVnode({
      fid,
      kind,
      version,
      digest,
      size,
      mode,
      mtime,
      target,
      xattrs,
      commit,
      links: 0,
    });
  }
}
