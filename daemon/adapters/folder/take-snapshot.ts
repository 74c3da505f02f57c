/**
 * The whole volume as of one commit, as rows to be put in place: at the first start, and when the server no longer keeps
 * the changes since our position. What is recorded and not in it, is gone.
 */
import type { EntryChange, VolumeInfo } from '../../../shared/model/change.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { CommitNumber, VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Feed } from '../../../shared/ports/feed.ts';
import { placeKey, type FolderRecords } from './folder-records.ts';
import type { HeldRows } from './held-rows.ts';

export interface Snapshot {
  readonly at: CommitNumber;
  /** Adds the rows to those held. */
  hold(records: FolderRecords, held: HeldRows): void;
}

export async function takeSnapshot(
  feed: Feed,
  volume: VolumeInfo,
  signal: AbortSignal,
): Promise<Snapshot> {
  const vnodes: VnodeStatus[] = [];
  const entries: EntryChange[] = [];
  let position: { at: CommitNumber; after: Fid } | null = null;
  for (;;) {
    const page = await feed.snapshot(volume.id, position, signal);
    for (const { status, names } of page.vnodes) {
      vnodes.push(status);
      for (const { dir, name } of names) entries.push({ dir, name, fid: status.fid });
    }
    const last = page.vnodes.at(-1);
    if (!page.more || last === undefined) {
      return { at: page.at, hold: (records, held) => hold(vnodes, entries, records, held) };
    }
    position = { at: page.at, after: last.status.fid };
  }
}

function hold(
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
