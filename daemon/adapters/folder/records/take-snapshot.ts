/**
 * The whole volume as of one commit, as rows to be put in place: at the first start, and when the server no longer keeps
 * the changes since our position. What is recorded and not in it, is gone.
 */
import type { EntryChange, VolumeInfo } from '../../../../shared/model/change.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { CommitNumber, VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Feed } from '../../../../shared/ports/feed.ts';
import type { FolderRecords } from './folder-records.ts';
import type { HeldRows } from './held-rows.ts';
import { holdWhole } from './hold-whole.ts';

export interface Snapshot {
  readonly at: CommitNumber;
  /** Adds the rows to those held. */
  hold(records: FolderRecords, held: HeldRows): void;
}

/** Asks page by page. Rejects as `Feed.snapshot` does: with `history-gone` where the server lost the commit meanwhile. */
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
      return {
        at: page.at,
        hold: (records, held) => {
          for (const place of records.freed()) {
            if (!feed.pendingEntry(place.dir, place.name)) records.forgetFreed(place);
          }
          records.shown({ vnodes, entries }, feed);
          holdWhole(vnodes, entries, records, held);
        },
      };
    }
    position = { at: page.at, after: last.status.fid };
  }
}
