/**
 * Extended attributes that were synced and that the disk did not take when they came: full, or without any then. They are tried again at each start, as
 * the disk may be another one by now, or have room.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../../shared/model/vnode.ts';
import type { Mutex } from '../../../../shared/concurrency/mutex.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { LetOthersRun } from '../yielder.ts';
import type { PutInPlace } from './put-in-place.ts';
import type { PutInPlaceParts } from './put-parts.ts';

export interface AbsentXattrsParts extends Pick<PutInPlaceParts, 'records' | 'disks'> {
  readonly put: PutInPlace;
  readonly mutex: Mutex;
  readonly letOthersRun: LetOthersRun;
  readonly log: Log;
}

/** Sets what is absent, where the disk takes it now. */
export class AbsentXattrs {
  readonly #parts: AbsentXattrsParts;

  constructor(parts: AbsentXattrsParts) {
    this.#parts = parts;
  }

  /** Everything was looked at: what is changed here meanwhile is left to the next look, and this to the next start. */
  async setAgain(): Promise<void> {
    const { records, mutex, letOthersRun } = this.#parts;
    const fids = [...records.fids()].filter((fid) => records.get(fid)?.absent !== undefined);
    for (const fid of fids) {
      await mutex.take(() => Promise.resolve(this.#set(fid)));
      await letOthersRun();
    }
  }

  #set(fid: Fid): void {
    const { records, disks, put, log } = this.#parts;
    const record = records.get(fid);
    const [place] = records.names(fid);
    const path = place === undefined ? [] : records.pathOfPlace(place);
    if (record?.absent === undefined || record.placeholder === true || path === null) return;
    if (!disks.holding(path).can.xattrs) return;
    const status = { ...record, commit: 0 as CommitNumber, links: records.names(fid).length };
    try {
      put.run({ do: 'attributes', status }, null);
    } catch (error) {
      // They stay absent, and are said to be.
      log.debug('extended attributes could not be set', { error: String(error) });
    }
  }
}
