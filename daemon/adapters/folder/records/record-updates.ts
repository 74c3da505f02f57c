/**
 * What a change that was told makes of the records: names first of all, and what the feed has not shown of them yet.
 *
 * It is done when the log has taken the change, and again after a crash for what the log had taken and the records on the disk had not: so what
 * this folder has told is never another's change to it.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Digest, Mtime, Xattr } from '../../../../shared/model/vnode.ts';
import type { KeptNote } from '../../../../shared/ports/feed.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import { stampToLog } from '../disk/disk-facts.ts';
import type { FolderRecords, VnodeRecord } from './folder-records.ts';
import type { HeldRows } from './held-rows.ts';

export type CarriedOutUpdate =
  | {
      readonly did: 'make';
      readonly place: Place;
      readonly record: Omit<VnodeRecord, 'fid' | 'version'>;
    }
  | {
      readonly did: 'store';
      readonly fid: Fid;
      readonly inode: string;
      readonly digest: Digest;
      readonly size: number;
      readonly mtime: Mtime;
    }
  | {
      readonly did: 'attributes';
      readonly fid: Fid;
      readonly mode?: number;
      readonly mtime?: Mtime;
      readonly xattrs?: readonly Xattr[];
    }
  | { readonly did: 'link' | 'remove'; readonly fid: Fid; readonly place: Place }
  | {
      readonly did: 'move';
      readonly fid: Fid;
      readonly from: Place;
      readonly to: Place;
      /** What had the new name. */
      readonly over: Fid | null;
    };

/** Changes the records after a local change was logged. */
export class RecordUpdates {
  readonly #records: FolderRecords;
  readonly #held: HeldRows;

  constructor(records: FolderRecords, held: HeldRows) {
    this.#records = records;
    this.#held = held;
  }

  move(fid: Fid, from: Place, to: Place, over: Fid | null): void {
    const records = this.#records;
    if (over !== null) this.takeAway(to, over);
    const wasOwn = records.isOwn(from.dir, from.name);
    records.move(from, to, true);
    this.#freed(from, fid, wasOwn);
  }

  takeAway(place: Place, fid: Fid): void {
    const wasOwn = this.#records.isOwn(place.dir, place.name);
    this.#records.unlink(place);
    this.#freed(place, fid, wasOwn);
  }

  /**
   * Once more, after a crash. What does not fit was built on something that was put in place and is not recorded, such as a folder of others:
   * it is found by looking at the disk.
   */
  again(told: CarriedOutUpdate, { fid, version }: Pick<KeptNote, 'fid' | 'version'>): void {
    const records = this.#records;
    switch (told.did) {
      case 'make':
        if (records.has(fid) || !this.#isFree(told.place)) return;
        records.put({ ...told.record, fid, version });
        return records.link(told.place, fid, true);
      case 'store':
        return this.#storeAgain(told, version);
      case 'attributes':
        return this.#attributesAgain(told);
      case 'link':
        if (records.has(told.fid) && this.#isFree(told.place))
          records.link(told.place, told.fid, true);
        return;
      case 'remove':
        if (this.#has(told.place, told.fid)) this.takeAway(told.place, told.fid);
        return;
      case 'move': {
        const { from, to, over } = told;
        const fits = over === null ? this.#isFree(to) : this.#has(to, over);
        if (fits && this.#has(from, told.fid)) this.move(told.fid, from, to, over);
      }
    }
  }

  /** The attributes may not have been told: those of the file are looked at, and its contents, if it is as it was. */
  #storeAgain(
    told: Extract<CarriedOutUpdate, { did: 'store' }>,
    version: KeptNote['version'],
  ): void {
    const { fid, inode, digest, size, mtime } = told;
    const record = this.#records.get(fid);
    if (record === null) return;
    const mode = record.disk?.mode ?? record.mode;
    const disk = { ...stampToLog(inode, { mode, mtime }), size };
    const here = { placeholder: false, unused: false };
    this.#records.update(fid, { version, digest, size, mtime, ...here, disk });
  }

  /** What the disk has by now may be what it had before them: it is compared with what was told. */
  #attributesAgain({ fid, ...told }: Extract<CarriedOutUpdate, { did: 'attributes' }>): void {
    const record = this.#records.get(fid);
    if (record === null) return;
    const { mode = record.mode, mtime = record.mtime, xattrs = record.xattrs } = told;
    const { disk } = record;
    const seen = disk === null ? null : { ...disk, mode: told.mode ?? disk.mode, ctime: '' };
    this.#records.update(fid, {
      ...{ mode, mtime, xattrs },
      disk: seen === null ? null : { ...seen, mtime: told.mtime ?? seen.mtime },
    });
  }

  #isFree({ dir, name }: Place): boolean {
    return this.#records.get(dir)?.kind === 'directory' && this.#records.at(dir, name) === null;
  }

  #has({ dir, name }: Place, fid: Fid): boolean {
    return this.#records.at(dir, name) === fid;
  }

  /** Noted until the feed shows it; where held rows say it already, there is nothing to wait for. */
  #freed(place: Place, fid: Fid, wasOwn: boolean): void {
    const row = this.#held.entry(place.dir, place.name);
    const isTold = this.#held.vnode(fid) !== null || this.#held.entriesNaming(fid).length > 0;
    if (row !== null && row.fid !== fid && isTold) return;
    this.#records.free(place, fid, wasOwn);
  }
}
