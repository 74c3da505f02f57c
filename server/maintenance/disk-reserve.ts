/**
 * A file that keeps some room on the disk of the server, to be given up when that is full: SQLite needs room to say that a file was
 * removed, and collection to give room back.
 *
 * Once it is given up, contents are refused (`server-full`) until there is room again, so that what came free stays for metadata: reads,
 * renames and removals go on. It is made again when the disk has room for it several times.
 */
import { randomBytes } from 'node:crypto';
import { close, fsync, openSync, rmSync, statSync, write } from 'node:fs';
import { promisify } from 'node:util';
import type { Log } from '../../shared/ports/log.ts';
import { isNoRoom, type FreeDiskSpace } from '../../shared/system/free-disk.ts';
import { RESERVE_BYTES, RESERVE_MADE_AT, RESERVE_SHARE, RESERVE_GIVEN_AT } from '../limits.ts';

const PIECE_BYTES = 1024 * 1024;

const writeAt = promisify(write);
const sync = promisify(fsync);
const closeFile = promisify(close);

/**
 * Keeps a file of random bytes as a reserve of the disk, gives it up and makes it again. Sizes are
 * bytes.
 */
export class DiskReserve {
  readonly #path: string;
  readonly #log: Log;
  /** missing: never made yet, and nobody has needed it. */
  #state: 'missing' | 'making' | 'kept' | 'given';

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    this.#state = size > 0 ? 'kept' : 'missing';
  }

  static bytesOn({ total }: FreeDiskSpace): number {
    return Math.min(RESERVE_BYTES, Math.floor(total / RESERVE_SHARE));
  }

  /** Contents may be put: the room that is left is not the reserve's. */
  get isForContents(): boolean {
    return this.#state !== 'given';
  }

  /** Gives the reserved room back, so that a caller that met a full disk may try once more. False: there was none to give. */
  give(): boolean {
    const had = this.#state === 'kept' || this.#state === 'making';
    if (this.#state !== 'given') {
      this.#log.warn('the disk is full: no contents are taken until there is room', {
        reserve: had,
      });
    }
    this.#state = 'given';
    rmSync(this.#path, { force: true });
    return had;
  }

  /** Gives it up, or makes it (again), as the disk is. Nothing where that fails: the next look tries again. */
  async adapt(room: FreeDiskSpace): Promise<void> {
    const bytes = DiskReserve.bytesOn(room);
    if (this.#state === 'kept' || this.#state === 'making') {
      if (room.free < bytes * RESERVE_GIVEN_AT) this.give();
    } else if (room.free >= bytes * RESERVE_MADE_AT) {
      await this.#make(bytes);
    } else if (this.#state === 'missing' && room.free < bytes) {
      this.give();
    }
  }

  async #make(bytes: number): Promise<void> {
    const wasGiven = this.#state === 'given';
    this.#state = 'making';
    try {
      await this.#write(bytes);
    } catch (error) {
      if (!isNoRoom(error)) throw error;
      this.give();
      return;
    }
    if (!this.#isMaking()) {
      // It was given up meanwhile, by its name.
      return;
    }
    this.#state = 'kept';
    if (wasGiven) this.#log.info('the disk has room again: contents are taken', {});
  }

  #isMaking(): boolean {
    return this.#state === 'making';
  }

  /**
   * Random bytes: a file system that packs them would keep no room. The file is opened at once: given up from then on, it has no
   * name any more, and what is written is gone when it is closed.
   */
  async #write(bytes: number): Promise<void> {
    const file = openSync(this.#path, 'w', 0o600);
    try {
      const piece = randomBytes(PIECE_BYTES);
      for (let at = 0; at < bytes && this.#isMaking(); at += PIECE_BYTES) {
        await writeAt(file, piece, 0, Math.min(PIECE_BYTES, bytes - at), at);
      }
      await sync(file);
    } finally {
      await closeFile(file);
    }
  }
}
