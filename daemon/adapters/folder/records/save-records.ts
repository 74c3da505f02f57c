/**
 * Keeps the records of the folder durable. On a full disk, or one that fails, nothing goes on that needs them to be: it waits until
 * there is room, and what has changed meanwhile is saved with it.
 */
import { GodwitError, type ErrorCode } from '../../../../shared/wire/error-codes.ts';
import type { Background } from '../background.ts';
import type { FolderParts, FolderRooms } from '../build-folder.ts';

export class SaveRecords {
  readonly #parts: FolderParts;
  readonly #rooms: FolderRooms;
  readonly #background: Background;
  /** What was said of the last try; null: it went well. */
  #said: ErrorCode | null = null;

  constructor(parts: FolderParts, rooms: FolderRooms, background: Background) {
    this.#parts = parts;
    this.#rooms = rooms;
    this.#background = background;
  }

  /** In a turn of the caller. False: the disk has not taken it, and a later time will do. Throws what no later time mends. */
  now(): boolean {
    const { store, loaded, notes } = this.#parts;
    const { directories, remote, board } = this.#rooms;
    try {
      directories.syncTouched();
      store.save(loaded.records, loaded.held, remote.merged, notes.covered());
    } catch (error) {
      const isOfDisk =
        error instanceof GodwitError &&
        (error.code === 'disk-full' || error.code === 'disk-failing');
      if (!isOfDisk) throw error;
      this.#said = error.code;
      board.set(error.code, null, error.message);
      return false;
    }
    if (this.#said !== null) board.clear(this.#said, null);
    this.#said = null;
    notes.saved();
    this.#rooms.across.saved();
    return true;
  }

  /** Resolves when everything that has changed until now is durable. */
  async saved(): Promise<void> {
    const { mutex } = this.#rooms;
    while (!(await mutex.take(() => this.now()))) {
      await this.#background.delay(this.#parts.limits.retry);
      this.#background.signal.throwIfAborted();
    }
  }
}
