/**
 * The attributes of what is put in place here: those that are synced, and those that the file had here and nobody syncs (owner, group, access
 * list, what systems and programs attach to it). What can't be kept, and what must not be, is said once for each file.
 */
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Disk } from './disk.ts';
import type { Disks } from './folder-disks.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { ErrorBoard } from '../error-board.ts';
import { setAttributes, type AttributesBefore } from './set-attributes.ts';
import type { LeftXattrs } from './xattrs.ts';

export interface FileAttributesParts {
  readonly files: Disk;
  readonly disks: Pick<Disks, 'canAt'>;
  readonly board: ErrorBoard;
  readonly log: Log;
}

/** Conflicts whose winners are still to come; of more than these some get what a new file gets. */
const MOST_LIKES = 1000;

type Wanted = Pick<VnodeStatus, 'kind' | 'mode' | 'mtime' | 'xattrs'>;
type Known = readonly VnodeStatus['xattrs'][number][];

/** Sets the attributes of files that are put in place, and keeps those that are not synced. */
export class FileAttributes {
  readonly #parts: FileAttributesParts;
  readonly #likes = new Map<Fid, Fid>();

  constructor(parts: FileAttributesParts) {
    this.#parts = parts;
  }

  /** `shown`: the path in the folder, for people. Gives the names of the extended attributes that this disk does not take. */
  set(
    path: string,
    wanted: Wanted,
    before: AttributesBefore | null,
    { shown, known = [] }: { shown: readonly string[]; known?: Known },
  ): readonly string[] {
    const { files, disks, board } = this.#parts;
    const hasXattrs = disks.canAt(path, shown).xattrs;
    const { xattrs, isTamed } = setAttributes(files, path, wanted, before, { hasXattrs, known });
    if (isTamed) this.#sayDropped(shown, ['setuid or setgid']);
    if (xattrs !== null) logLeftAttributes(board, shown, xattrs);
    // What a whole disk lacks is said of the disk; of this file it is remembered, so that it is nobody's removal.
    return hasXattrs ? (xattrs?.absent ?? []) : wanted.xattrs.map(({ name }) => name);
  }

  /** A private file is about to take the place of `old`. */
  keep(old: string, file: string, shown: readonly string[]): void {
    const { files, board, log } = this.#parts;
    try {
      const dropped = files.keepUnsynced(old, file);
      if (dropped.length > 0) this.#sayDropped(shown, dropped);
      else board.clear('rights-dropped', shown.join('/'));
    } catch (error) {
      // The file is more than what it had beside.
      log.warn('what is not synced of a file could not be kept', {
        path: shown.join('/'),
        error: String(error),
      });
    }
  }

  /** What was said of a file, or of those in a directory, goes where that went. */
  moved(from: readonly string[], to: readonly string[]): void {
    this.#parts.board.moved(from.join('/'), to.join('/'));
  }

  /** What was `fid` here is a conflict copy from now on: what comes in its place has what that had. */
  replacedBy(fid: Fid, copy: Fid): void {
    if (this.#likes.size >= MOST_LIKES) this.#likes.clear();
    this.#likes.set(fid, copy);
  }

  /** The copy whose attributes a new file takes over; null: none. */
  takeLike(fid: Fid): Fid | null {
    const like = this.#likes.get(fid) ?? null;
    this.#likes.delete(fid);
    return like;
  }

  /** A private file is about to get a name of its own in a directory. */
  inherit(directory: string, file: string): void {
    const { files, log } = this.#parts;
    try {
      files.inherit(directory, file);
    } catch (error) {
      log.warn('a new file did not get what its folder gives', { error: String(error) });
    }
  }

  #sayDropped(shown: readonly string[], what: readonly string[]): void {
    const { board, log } = this.#parts;
    const path = shown.join('/');
    const text = `a change from another device took from it: ${what.join(', ')}`;
    if (board.has('rights-dropped', path)) return;
    board.set('rights-dropped', path, text);
    log.warn(text, { path });
  }
}

/** Of a file whose extended attributes were read or set. */
export function logLeftAttributes(
  board: ErrorBoard,
  shown: readonly string[],
  { left, absent }: LeftXattrs,
): void {
  const parts = [
    left.length === 0 ? '' : `extended attributes that stay here alone: ${shownNames(left)}`,
    absent.length === 0
      ? ''
      : `extended attributes that this disk does not take: ${shownNames(absent)}`,
  ].filter((part) => part !== '');
  const path = shown.join('/');
  if (parts.length === 0) board.clear('attributes-left', path);
  else board.set('attributes-left', path, parts.join('; '));
}

/** A name may have 250 bytes, and there may be hundreds. */
const MOST_SHOWN = 3;
const MOST_CHARACTERS = 40;

function shownNames(names: readonly string[]): string {
  const short = (name: string): string =>
    name.length > MOST_CHARACTERS ? `${name.slice(0, MOST_CHARACTERS)}...` : name;
  const some = names.slice(0, MOST_SHOWN).map(short);
  const more = names.length - some.length;
  return `${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
