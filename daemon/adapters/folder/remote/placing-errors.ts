/** What is said of vnodes that could not be put in place, on the board and to who waits for them, until it is put right. */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { CommitNumber } from '../../../../shared/model/vnode.ts';
import { ERROR_CODES, GodwitError, type ErrorCode } from '../../../../shared/wire/error-codes.ts';
import { isParked } from '../disk/own-directory.ts';
import type { ErrorBoard } from '../error-board.ts';
import { NOT_PLACED, describeError, wordsFor } from '../error-words.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { HeldRows } from '../records/held-rows.ts';
import type { InTheWay } from './in-the-way.ts';
import type { DiskAction } from './plan-remote.ts';
import type { Unplaced } from './unplaced.ts';

export interface PlacingErrorsParts {
  readonly board: ErrorBoard;
  readonly unplaced: Unplaced;
  readonly events: FolderEvents;
  readonly records: FolderRecords;
  readonly held: HeldRows;
  readonly mounts: { isMountPoint(path: readonly string[]): boolean };
}

/** What a system says to who moves or removes a directory at which something is mounted: no right to what lies beneath, or that it is in use. */
const OF_MOUNTS: ReadonlySet<unknown> = new Set(['EACCES', 'EBUSY', 'EPERM']);
const MOUNTED = 'a disk is mounted at it';

/** Reports why vnodes could not be put in place, and takes that back when they are. */
export class PlacingErrors {
  readonly #parts: PlacingErrorsParts;
  /** What is on the board, by path: several names of a file may each be refused. */
  readonly #said = new Map<Fid, Map<string | null, ErrorCode>>();

  constructor(parts: PlacingErrorsParts) {
    this.#parts = parts;
  }

  /** The disk, or who was to bring the contents, has refused. It is tried again. */
  failed(
    fid: Fid,
    error: unknown,
    { path = this.shownPath(fid), commit = this.commitOf(fid), what = NOT_PLACED } = {},
  ): void {
    const { board, unplaced, events } = this.#parts;
    const code = describeError(board, path, error, what);
    const reason = wordsFor(error, path, what)[2] ?? ERROR_CODES[code].summary;
    unplaced.failed(fid, { commit, path, reason }, code);
    this.#say(fid, path, code);
    events.emit('retryNeeded');
  }

  /** Its contents are being brought again. */
  trying(fid: Fid): void {
    for (const [path, code] of this.#said.get(fid) ?? []) this.#parts.board.trying(code, path);
  }

  /** The same of one action. */
  notDone(action: DiskAction, fid: Fid, error: unknown): void {
    switch (action.do) {
      case 'move':
        return this.notMoved(fid, error, action.to, action.from ?? undefined);
      case 'remove':
      case 'rmdir':
        return this.#stays(fid, error, action.place, action.place);
      case 'link': {
        const path = this.#parts.records.pathOfPlace(action.place)?.join('/');
        return this.failed(fid, error, path === undefined ? {} : { path });
      }
      default:
        this.failed(fid, error);
    }
  }

  /** The same of what is in place, and is to be at `to`: that is told there, where the volume has it and it is missing. */
  notMoved(fid: Fid, error: unknown, to: Place, from = this.#parts.records.names(fid)[0]): void {
    if (from === undefined || isParked(from)) this.failed(fid, error);
    else this.#stays(fid, error, from, to);
  }

  #stays(fid: Fid, error: unknown, from: Place, told: Place): void {
    const { records, mounts } = this.#parts;
    const at = records.pathOfPlace(from);
    const path = records.pathOfPlace(told)?.join('/');
    if (at === null || path === undefined) return this.failed(fid, error);
    const what =
      from === told
        ? 'it can not be removed'
        : `it is still “${at.join('/')}” here, and can not be moved`;
    const { code } = error as { code?: unknown };
    const isMount = OF_MOUNTS.has(code) && mounts.isMountPoint(at);
    const why = isMount ? new GodwitError('sync-blocked', `${what}: ${MOUNTED}`) : error;
    this.failed(fid, why, { path, what });
  }

  /** Something is in its place that nobody will log. It is tried again. */
  taken(fid: Fid, path: string | null, { reason, leftOver }: InTheWay): void {
    const { board, unplaced, events } = this.#parts;
    unplaced.explain(fid, reason, leftOver);
    board.set('place-taken', path, reason);
    this.#say(fid, path, 'place-taken');
    events.emit('retryNeeded');
  }

  #say(fid: Fid, path: string | null, code: ErrorCode): void {
    const said = this.#said.get(fid);
    if (said === undefined) this.#said.set(fid, new Map([[path, code]]));
    else said.set(path, code);
  }

  /** It is in place, or nobody's wish any more. */
  clear(fid: Fid): void {
    for (const path of [...(this.#said.get(fid)?.keys() ?? [])]) this.clearAt(fid, path);
  }

  /** One of its names is in place. */
  clearAt(fid: Fid, path: string | null): void {
    const { board } = this.#parts;
    const said = this.#said.get(fid);
    const code = said?.get(path);
    if (said === undefined || code === undefined) return;
    if (path !== null) board.clearPath(path);
    else board.clear(code, null);
    said.delete(path);
    if (said.size === 0) this.#said.delete(fid);
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
