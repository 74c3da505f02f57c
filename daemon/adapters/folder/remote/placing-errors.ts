/** What is said of vnodes that could not be put in place, on the board and to who waits for them, until it is put right. */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../../shared/model/vnode.ts';
import { ERROR_CODES, type ErrorCode } from '../../../../shared/wire/error-codes.ts';
import type { ErrorBoard } from '../error-board.ts';
import { NOT_PLACED, describeError, wordsFor } from '../error-words.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { HeldRows } from '../records/held-rows.ts';
import type { InTheWay } from './in-the-way.ts';
import type { Unplaced } from './unplaced.ts';

export interface PlacingErrorsParts {
  readonly board: ErrorBoard;
  readonly unplaced: Unplaced;
  readonly events: FolderEvents;
  readonly records: FolderRecords;
  readonly held: HeldRows;
}

/** Reports why vnodes could not be put in place, and takes that back when they are. */
export class PlacingErrors {
  readonly #parts: PlacingErrorsParts;
  /** What is on the board. */
  readonly #said = new Map<Fid, { readonly code: ErrorCode; readonly path: string | null }>();

  constructor(parts: PlacingErrorsParts) {
    this.#parts = parts;
  }

  /** The disk, or who was to bring the contents, has refused. It is tried again. */
  failed(
    fid: Fid,
    error: unknown,
    { path = this.shownPath(fid), commit = this.commitOf(fid) } = {},
  ): void {
    const { board, unplaced, events } = this.#parts;
    const code = describeError(board, path, error);
    const reason = wordsFor(error, path, NOT_PLACED)[2] ?? ERROR_CODES[code].summary;
    unplaced.failed(fid, { commit, path, reason }, code);
    this.#said.set(fid, { code, path });
    events.emit('retryNeeded');
  }

  /** Something is in its place that nobody will log. It is tried again. */
  taken(fid: Fid, path: string | null, { reason, leftOver }: InTheWay): void {
    const { board, unplaced, events } = this.#parts;
    unplaced.explain(fid, reason, leftOver);
    board.set('place-taken', path, reason);
    this.#said.set(fid, { code: 'place-taken', path });
    events.emit('retryNeeded');
  }

  /** It is in place, or nobody's wish any more. */
  clear(fid: Fid): void {
    const { board } = this.#parts;
    const said = this.#said.get(fid);
    if (said === undefined) return;
    if (said.path !== null) board.clearPath(said.path);
    else board.clear(said.code, null);
    this.#said.delete(fid);
  }

  /** Nothing is said any more of what is not held any more. */
  prune(isHeld: (fid: Fid) => boolean): void {
    for (const fid of [...this.#said.keys()]) if (!isHeld(fid)) this.clear(fid);
  }

  /** The commit that the held row of a vnode is of; 0: there is none. */
  commitOf(fid: Fid): CommitNumber {
    return this.#parts.held.vnode(fid)?.commit ?? (0 as CommitNumber);
  }

  /** The path of a vnode in the folder, or the one that it is to get, with slashes; null: it has none. */
  shownPath(fid: Fid): string | null {
    const { records, held } = this.#parts;
    const place = records.names(fid)[0] ?? held.entriesNaming(fid)[0];
    return (place && records.pathOfPlace(place)?.join('/')) ?? null;
  }
}
