/**
 * After a crash: the time of a directory that our own work changed and that was not put back.
 *
 * Each change of ours in a directory is followed by its recorded time (InDirectory). When the daemon dies in between, the directory has
 * the time of that change, which nobody wished: it gets the volume's again, where only our own work is found in it.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { mtimeInRange, type Mtime } from '../../../../shared/model/vnode.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { isUnlocked, stampOf, type DiskFacts } from '../disk/disk-facts.ts';
import type { LocalChangesParts } from './local-changes-parts.ts';

type Parts = Pick<LocalChangesParts, 'fileSystem' | 'files' | 'records' | 'root'>;

/** Knows in which directories a run that was killed had changed something, and puts their times back. */
export class OwnTimes {
  readonly #parts: Parts;
  readonly #found = new Set<Fid>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Something in the directory is as the volume has it, and was not recorded. */
  found(dir: Fid): void {
    this.#found.add(dir);
  }

  /** Its user changed something in the directory too: the time is that of a change of the user's, and is told. */
  told(dir: Fid): void {
    this.#found.delete(dir);
  }

  /**
   * Gives the facts of the directory as they are then. A time that was set by hand stays: it is not the one at which
   * the inode changed.
   */
  async putBack(dir: Fid, path: readonly string[], facts: DiskFacts): Promise<DiskFacts> {
    if (!this.#found.delete(dir)) return facts;
    const { records } = this.#parts;
    const record = records.get(dir);
    if (record === null) return facts;
    const wanted = await this.#timeInVolume(dir);
    if (wanted === null) return facts;
    const isLeftOpen = record.disk !== null && isUnlocked(facts, record.disk.mode);
    const isOurs = facts.mtime === facts.ctime || isLeftOpen;
    const now = wanted === facts.mtime ? facts : isOurs ? this.#set(path, facts, wanted) : null;
    if (now === null) return facts;
    const disk = { ...(record.disk ?? stampOf(now)), mtime: now.mtime };
    records.update(dir, { mtime: wanted, disk });
    return now;
  }

  /** null: it was changed since it was looked at, and is looked at again. */
  #set(path: readonly string[], facts: DiskFacts, mtime: Mtime): DiskFacts | null {
    const { root, files } = this.#parts;
    return root.within(path, (base, { inode, mtime: before }) => {
      if (inode !== facts.inode || before !== facts.mtime) return null;
      files.setMtime(`${base}/.`, BigInt(mtimeInRange(mtime)));
      return root.factsAt(`${base}/.`);
    });
  }

  /** null: it can't be known just now. */
  async #timeInVolume(dir: Fid): Promise<Mtime | null> {
    try {
      return (await this.#parts.fileSystem.getattr(dir)).mtime;
    } catch (error) {
      if (error instanceof GodwitError) return null;
      throw error;
    }
  }
}
