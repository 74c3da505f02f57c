/**
 * Takes away files that the daemon had made for the folder and never stored, since it was killed in between, and that were gone from the disk when
 * it was back. No record knows them, so nothing else would; their names would be in everybody's way.
 */
import type { Feed } from '../../../../shared/ports/feed.ts';
import type { FileSystem, Place } from '../../../../shared/ports/file-system.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import { lacksContents, type VnodeStatus } from '../../../../shared/model/vnode.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { HeldRows } from '../records/held-rows.ts';
import type { InDirectory } from '../disk/in-directory.ts';
import type { Mutex } from '../../../../shared/concurrency/mutex.ts';

export interface UnfinishedParts {
  readonly feed: Feed;
  readonly fileSystem: FileSystem;
  readonly records: FolderRecords;
  readonly held: HeldRows;
  readonly directories: InDirectory;
  readonly mutex: Mutex;
  readonly log: Log;
}

/** Removes vnodes that the folder made and never stored, if their files are gone from the disk. */
export class Unfinished {
  readonly #parts: UnfinishedParts;

  constructor(parts: UnfinishedParts) {
    this.#parts = parts;
  }

  /** When the whole folder was looked at: what is there has got its vnode back by then. */
  async takeAway(): Promise<void> {
    const { held, mutex } = this.#parts;
    if (![...held.vnodes()].some((status) => this.#isUnfinished(status))) return;
    await mutex.take(async () => {
      for (const status of [...held.vnodes()]) {
        if (!this.#isUnfinished(status)) continue;
        for (const { dir, name } of held.entriesNaming(status.fid)) {
          await this.#remove(status, { dir, name });
        }
      }
    });
  }

  #isUnfinished(status: VnodeStatus): boolean {
    const { feed, records } = this.#parts;
    return isUnfinished(status, records, feed);
  }

  async #remove(status: VnodeStatus, place: Place): Promise<void> {
    const { fileSystem, directories, log } = this.#parts;
    // It has not been looked at yet, then.
    if (directories.factsOf(place, status.fid) !== null) return;
    await removeUnfinished(status, place, fileSystem);
    const { fid } = status;
    log.info('a file that was made and never stored is taken away', { fid, name: place.name });
  }
}

/** The vnode was made for the folder and never stored, and no record knows it. */
export function isUnfinished(
  status: VnodeStatus,
  records: Pick<FolderRecords, 'has'>,
  feed: Pick<Feed, 'isUnfinished'>,
): boolean {
  return lacksContents(status) && !records.has(status.fid) && feed.isUnfinished(status.fid);
}

/** Unless somebody has stored it by now. */
export async function removeUnfinished(
  { fid, version, digest }: VnodeStatus,
  place: Place,
  fileSystem: Pick<FileSystem, 'remove'>,
): Promise<void> {
  try {
    await fileSystem.remove(place, { observed: { fid, base: version, digest } });
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code !== 'not-found') throw error;
  }
}
