/**
 * What a loss of power took from the folder. A program's file is logged, and soon committed, before the disk has made it durable; after a
 * loss of power it may be missing, or torn, and no program did that. So it is no change of the user's: it comes back from the volume.
 *
 * Looked at is what had changed last before the loss. A disk writes out what is older (ext4, XFS and Btrfs within half a minute).
 *
 * A name that the disk had not made durable is lost as well: the torn file is where a program had it before, and comes back by the lost name.
 *
 * Allowed: what a user removed in the moment before the loss, or before the daemon ran again, may come back. A torn file is kept in
 * `lost+found`. Other bytes of the same length and time are found as torn; a file that went back to older contents under another inode is not.
 */
import type { Mutex } from '../../../../shared/concurrency/mutex.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { DiskStamp } from '../disk/disk-facts.ts';
import type { LostAndFound } from '../disk/lost-and-found.ts';
import type { TornFiles } from '../disk/torn-files.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { KeptStates } from '../kept-states.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { ForgottenNames } from './forgotten-names.ts';
import type { Removal } from './held-removals.ts';
import type { LocalPlan } from './local-plan.ts';

export interface PowerLossParts {
  readonly store: KeptStates;
  readonly loaded: { readonly clean: boolean };
  /** Changes with each start of the machine; null: that can't be told. */
  readonly boot: string | null;
  readonly records: FolderRecords;
  readonly tornFiles: Pick<TornFiles, 'at' | 'isAt'>;
  readonly lostAndFound: Pick<LostAndFound, 'take'>;
  readonly mutex: Mutex;
  readonly limits: Pick<FolderLimits, 'powerLoss'>;
  readonly forgotten: Pick<ForgottenNames, 'forget'>;
  readonly log: Log;
}

/** The key under which is kept which start of the machine looked at the folder last. */
const STATE = 'boot';
/** What a system says of one file, not of its disk. */
const OF_ONE_FILE: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EBUSY']);

/** Finds what a loss of power took, and has it brought back. */
export class PowerLoss {
  readonly #parts: PowerLossParts;
  /** What has changed since then may be lost, in nanoseconds; null: nothing is. */
  #since: bigint | null = null;
  /** Where a look has found files with other contents than are recorded: by a name that the loss has given back, it may be. */
  readonly #found = new Map<Fid, Place>();

  constructor(parts: PowerLossParts) {
    this.#parts = parts;
    const { store, loaded, boot, records, limits } = parts;
    const before = store.state(STATE);
    if (loaded.clean || boot === null || before === null || before === boot) return;
    let newest = 0n;
    for (const fid of records.fids()) {
      const at = changedAt(records.get(fid)?.disk ?? null) ?? 0n;
      if (at > newest) newest = at;
    }
    this.#since = newest - BigInt(limits.powerLoss) * 1_000_000n;
  }

  /** Everything was looked at. After a loss torn files are set aside and forgotten, so that they come back, and all is looked at `again`. */
  async looked(again: () => Promise<void>): Promise<void> {
    const { store, boot } = this.#parts;
    const isLoss = this.#since !== null;
    if (isLoss) await this.#takeAside();
    this.#since = null;
    this.#found.clear();
    if (isLoss) await again();
    if (boot !== null && store.state(STATE) !== boot) store.setState(STATE, boot);
  }

  async #takeAside(): Promise<void> {
    const { records, mutex, forgotten } = this.#parts;
    await mutex.take(async () => {
      const torn: Array<[Fid, DiskStamp]> = [];
      for (const fid of records.fids()) {
        const stamp = await this.#torn(fid);
        if (stamp !== null) torn.push([fid, stamp]);
      }
      const taken: Place[] = [];
      try {
        for (const [fid, stamp] of torn) this.#setAside(fid, stamp, taken);
      } finally {
        forgotten.forget(taken);
      }
    });
  }

  /**
   * Of what a look has found that which a user may have done. Names that the loss took are forgotten, so that they come back. Contents are left for
   * the next look: before it they are judged at the names that the loss has given them back.
   */
  meant({
    ops,
    removals,
  }: Pick<LocalPlan, 'ops' | 'removals'>): Pick<LocalPlan, 'ops' | 'removals'> {
    if (this.#since === null) return { ops, removals };
    for (const op of ops) if (op.op === 'check') this.#noteFound(op.fid, op.path);
    const told = ops.filter((op) => op.op !== 'check' || !this.#isYoung(op.fid));
    return { ops: told, removals: this.#removed(removals) };
  }

  #noteFound(fid: Fid, path: readonly string[]): void {
    const dir = this.#parts.records.directoryAt(path.slice(0, -1));
    const name = path.at(-1);
    if (dir !== null && name !== undefined) this.#found.set(fid, { dir, name });
  }

  #removed(removals: readonly Removal[]): readonly Removal[] {
    const { records, forgotten, log } = this.#parts;
    const isLost = ({ dir, name }: Removal): boolean => {
      const fid = records.at(dir as Fid, name);
      return fid !== null && this.#isYoung(fid);
    };
    const lost = removals.filter(isLost);
    if (lost.length === 0) return removals;
    forgotten.forget(lost.map(({ dir, name }) => ({ dir: dir as Fid, name })));
    log.warn('a loss of power took files or folders; they come back', { count: lost.length });
    return removals.filter((removal) => !lost.includes(removal));
  }

  async #torn(fid: Fid): Promise<DiskStamp | null> {
    const { records, tornFiles } = this.#parts;
    const record = records.get(fid);
    const [place] = records.names(fid);
    if (record?.kind !== 'file' || record.placeholder === true || place === undefined) return null;
    const { disk, digest } = record;
    if (disk === null || digest === null || !this.#isYoung(fid)) return null;
    return tornFiles.at(this.#found.get(fid) ?? place, disk, digest);
  }

  /** What may not be moved stays, and is not sent. Throws what is wrong with the whole disk: then nothing can come back. */
  #setAside(fid: Fid, stamp: DiskStamp, taken: Place[]): void {
    const { records, lostAndFound, log, tornFiles } = this.#parts;
    const path = records.pathOf(fid)?.join('/') ?? null;
    try {
      const names = [...records.names(fid)];
      const found = this.#found.get(fid);
      if (found !== undefined) lostAndFound.take(found);
      for (const place of names) {
        if (tornFiles.isAt(place, stamp)) lostAndFound.take(place);
        taken.push(place);
      }
      log.warn('a loss of power has torn a file; it comes back', { path });
    } catch (error) {
      if (!OF_ONE_FILE.has((error as { code?: unknown }).code)) throw error;
      log.warn('a loss of power has torn a file that may not be moved; it is not sent', { path });
      records.update(fid, { disk: stamp });
    }
  }

  /** It was changed so late that the disk may not have kept it, and the volume has it. */
  #isYoung(fid: Fid): boolean {
    const record = this.#parts.records.get(fid);
    if (record === null || (record.kind === 'file' && record.digest === null)) return false;
    const at = changedAt(record.disk);
    return this.#since !== null && at !== null && at >= this.#since;
  }
}

/** In nanoseconds; null: it is not known. */
function changedAt(disk: DiskStamp | null): bigint | null {
  return disk !== null && /^\d+$/.test(disk.ctime) ? BigInt(disk.ctime) : null;
}
