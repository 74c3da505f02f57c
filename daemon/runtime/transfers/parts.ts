/**
 * The parts of downloads that breaks left behind: which there are, and who is going on with one (rule D3).
 *
 * Invariants
 * 1. A part is free, or in the hands of one transfer, who gives it back, makes it longer, or uses it up.
 * 2. Free parts are bounded in number, bytes and age; the newest may be larger than the bound alone, or a very large file would
 *    never go on.
 * 3. When the disk is full they go first: all that they hold can be fetched again.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import { wallTime } from '../../../shared/model/time.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Delta } from '../../../shared/ports/delta.ts';
import type { Log } from '../../../shared/ports/log.ts';
import type { KeptPart, TransferFiles } from '../../../shared/ports/transfer-files.ts';
import { MAX_BEGUN } from '../../../shared/wire/limits.ts';
import { PART_AGE, PART_BYTES_KEPT, PARTS_KEPT } from '../../limits.ts';

export interface PartPorts {
  readonly delta: Delta;
  readonly files: TransferFiles;
  readonly clock: Clock;
  readonly log: Log;
}

/** The stream that a part is of. */
export interface StreamName {
  readonly fid: Fid;
  readonly digest: string;
  readonly length: number;
}

/**
 * Keeps interrupted downloads on disk, bounded in number, bytes and age, and lends each to one
 * transfer at a time.
 */
export class Parts {
  readonly #ports: PartPorts;
  readonly #loaded: Promise<void>;
  /** The newest first. */
  #free: KeptPart[] = [];

  constructor(ports: PartPorts) {
    this.#ports = ports;
    this.#loaded = this.#load();
  }

  /** The parts of a file's streams, which are the caller's now. */
  async claim(fid: Fid): Promise<KeptPart[]> {
    await this.#loaded;
    const claimed = this.#free.filter((part) => part.fid === fid).slice(0, MAX_BEGUN);
    this.#free = this.#free.filter((part) => !claimed.includes(part));
    return claimed;
  }

  /** They are as they were. */
  release(parts: readonly KeptPart[]): Promise<void> {
    this.#free.push(...parts);
    return this.#bound();
  }

  async drop(part: KeptPart, why: string): Promise<void> {
    const { log, files } = this.#ports;
    log.info('a part of a download goes', { why, fid: part.fid, bytes: part.size });
    await quietly(files.discard(part.path));
  }

  /** Keeps the received part of an interrupted stream. `before`: the claimed part that it continued. */
  async keep(left: { path: string; length: number }, of: StreamName, before: KeptPart | null) {
    const { delta, files, clock, log } = this.#ports;
    try {
      const size =
        before === null ? left.length : (await delta.join(before.path, left.path)).length;
      const note = { ...of, keptAt: clock.wall() };
      const path = await files.keep(before?.path ?? left.path, note);
      await this.#add({ ...note, path, size });
      log.info('a part of a download is kept', { fid: of.fid, bytes: size, of: of.length });
    } catch (error) {
      log.warn('a part of a download can not be kept', { why: (error as Error).message });
      await quietly(files.discard(left.path));
      if (before !== null) await quietly(files.discard(before.path));
    }
    await this.#bound();
  }

  /** Of the free ones. */
  get bytes(): number {
    return this.#free.reduce((sum, { size }) => sum + size, 0);
  }

  /** The disk is full. */
  async clear(): Promise<void> {
    await this.#loaded;
    for (const part of this.#free.splice(0)) await this.drop(part, 'the disk is full');
  }

  /** Of two parts of one stream the longer one stays. */
  async #add(part: KeptPart): Promise<void> {
    const same = this.#free.find(({ fid, digest }) => fid === part.fid && digest === part.digest);
    if (same === undefined) {
      this.#free.push(part);
      return;
    }
    const [longer, other] = same.size > part.size ? [same, part] : [part, same];
    this.#free = [...this.#free.filter((each) => each !== same), longer];
    if (other.path !== longer.path) await this.drop(other, 'there is more of it');
  }

  async #load(): Promise<void> {
    const { files, log } = this.#ports;
    try {
      for (const part of await files.parts()) {
        // One that was used up may be back after a loss of power, as another name of what was made of it.
        if (part.size > 0 && part.size < part.length) this.#free.push(part);
        else await this.drop(part, 'it is none');
      }
      await this.#bound();
    } catch (error) {
      log.warn('parts of downloads can not be read', { why: (error as Error).message });
    }
  }

  async #bound(): Promise<void> {
    const oldest = wallTime(this.#ports.clock.wall() - PART_AGE);
    const sorted = this.#free.sort((a, b) => b.keptAt - a.keptAt);
    const gone: Array<readonly [KeptPart, string]> = [];
    let bytes = 0;
    this.#free = sorted.filter((part, at) => {
      bytes += part.size;
      if (part.keptAt < oldest) gone.push([part, 'it is old']);
      else if (at >= PARTS_KEPT || (at > 0 && bytes > PART_BYTES_KEPT)) {
        gone.push([part, 'there are too many']);
      } else return true;
      return false;
    });
    for (const [part, why] of gone) await this.drop(part, why);
  }
}

/** What can not be removed now goes at the next start, or is found to be wrong. */
async function quietly(work: Promise<void>): Promise<void> {
  await work.catch(() => undefined);
}
