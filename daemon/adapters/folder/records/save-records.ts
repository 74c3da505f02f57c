/**
 * Keeps the records of the folder durable. On a full disk, or one that fails, nothing goes on that needs them to be: it waits until
 * there is room, and what has changed meanwhile is saved with it.
 */
import { GodwitError, type ErrorCode } from '../../../../shared/wire/error-codes.ts';
import type { Mutex } from '../../../../shared/concurrency/mutex.ts';
import type { Background } from '../background.ts';
import type { InDirectory } from '../disk/in-directory.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { KeptRecords, Loaded } from './record-store.ts';
import type { UpdateNotes } from './update-notes.ts';

export interface SaveRecordsParts {
  readonly store: KeptRecords;
  readonly loaded: Loaded;
  readonly notes: UpdateNotes;
  /** What was done in directories is durable before the records are. */
  readonly directories: Pick<InDirectory, 'syncTouched'>;
  /** Is told when the records are durable. */
  readonly across: { saved(): void };
  readonly board: ErrorBoard;
  readonly mutex: Mutex;
  readonly background: Background;
  readonly limits: Pick<FolderLimits, 'saveAgain'>;
}

/** Saves the changes of the records, and tries again later where the disk refuses. */
export class SaveRecords {
  readonly #parts: SaveRecordsParts;
  /** What was said of the last try; null: it went well. */
  #said: ErrorCode | null = null;

  constructor(parts: SaveRecordsParts) {
    this.#parts = parts;
  }

  /** The caller has the folder to itself. False: the disk has not taken it, and a later time will do. Throws what no later time mends. */
  now(): boolean {
    const { store, loaded, notes, directories, across, board } = this.#parts;
    try {
      directories.syncTouched();
      store.save(loaded.records, loaded.held, notes.covered());
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
    across.saved();
    return true;
  }

  /** Resolves when everything that has changed until now is durable. */
  async saved(): Promise<void> {
    const { mutex, background, limits } = this.#parts;
    while (!(await mutex.take(() => this.now()))) {
      await background.delay(limits.saveAgain);
      background.signal.throwIfAborted();
    }
  }
}
