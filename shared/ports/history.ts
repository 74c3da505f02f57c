/**
 * The history port: what the server knows of the past of a volume (shared/model/history.ts), page by page.
 *
 * Contract
 * 1. Only of volumes that this device may read; of its own commits only.
 * 2. It has what is committed; updates that are queued here are not in it.
 * 3. Contents of the past are had with `open ... from` of the file-system port.
 * Errors: GodwitError `not-connected`, `no-such-volume`, `server-too-old`.
 */
import type { Fid, VolumeId } from '../model/fid.ts';
import type {
  OwnCommitsPage,
  PastDirectoryPage,
  PastNamesPage,
  PastVersionsPage,
} from '../model/history.ts';
import type { NamedSnapshot } from '../model/snapshots.ts';
import type { CommitNumber, DataVersion } from '../model/vnode.ts';
import type { Place } from './file-system.ts';

export interface History {
  /** Newest first; `before`: the last version of the page before. */
  versions(fid: Fid, before: DataVersion | null): Promise<PastVersionsPage>;
  /** `name` null: all names, in their order; of one name the oldest first. `after`: the last of the page before. */
  names(
    dir: Fid,
    name: string | null,
    after: { readonly name: string; readonly commit: CommitNumber } | null,
  ): Promise<PastNamesPage>;
  /** Newest first; `before`: the last commit of the page before. */
  ownCommits(volume: VolumeId, before: CommitNumber | null): Promise<OwnCommitsPage>;
  /** A directory as a commit has it, in the order of names. `after`: the last of the page before. Rejects `not-found` too. */
  directory(fid: Fid, at: CommitNumber, after: string | null): Promise<PastDirectoryPage>;
  /** The oldest first. */
  snapshots(volume: VolumeId): Promise<readonly NamedSnapshot[]>;
  /** Where a vnode is now, as far as that is known here without asking. */
  placesOf(fid: Fid): readonly Place[];
}
