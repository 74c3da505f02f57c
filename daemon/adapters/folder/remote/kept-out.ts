/**
 * Names that stay out of the folder, for its disk can't have them. The volume keeps them; each is said with its reason, and counts as not in
 * place until it is there, or nobody's wish any more.
 */
import type { EntryChange } from '../../../../shared/model/change.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { CommitNumber, VnodeKind } from '../../../../shared/model/vnode.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import { isFolded } from '../disk/disk-abilities.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { Rooms } from '../disk/own-directories.ts';
import type { NameRefusal } from '../disk/folder-disk.ts';
import type { Disks } from '../disk/folder-disks.ts';
import { placeKey, type FolderRecords } from '../records/folder-records.ts';
import type { HeldRows } from '../records/held-rows.ts';
import { isParked } from '../disk/own-directory.ts';
import type { SafeRoot } from '../disk/safe-root.ts';
import type { Unplaced } from './unplaced.ts';

export interface KeptOutParts {
  readonly records: FolderRecords;
  readonly held: HeldRows;
  readonly root: SafeRoot;
  readonly disks: Disks;
  readonly rooms: Pick<Rooms, 'diskOf'>;
  readonly board: ErrorBoard;
}

const APART =
  'it is a further name (hard link) of a file that is on another disk here; the volume keeps it';

interface Out extends Place {
  readonly code: NameRefusal['code'];
  readonly path: string;
}

/** Keeps account of the names that the disk of the folder can not have. */
export class KeptOutNames {
  readonly #parts: KeptOutParts;
  readonly #unplaced: Unplaced;
  readonly #names = new Map<string, Out>();

  constructor(parts: KeptOutParts, unplaced: Unplaced) {
    this.#parts = parts;
    this.#unplaced = unplaced;
  }

  get size(): number {
    return this.#names.size;
  }

  /** Something could not have its name: whether that is the name's fault. Then it stays out from now on, and other names go on. */
  isRefused(to: Place | null, error: unknown): boolean {
    const { disks, held } = this.#parts;
    if (to === null || isParked(to)) return false;
    if (!disks.at(this.#nearest(to.dir)).isRefused(to.name, error)) return false;
    const row = held.entry(to.dir, to.name);
    return row !== null && this.isOut(row, false);
  }

  /** Says why, and takes it back where it is not so any more. `isLink`: a further name of what has one. */
  isOut({ dir, name, fid }: EntryChange, isLink: boolean): boolean {
    const { board, disks, records, held } = this.#parts;
    const place = { dir, name };
    const kind = fid === null ? null : this.#kindOf(fid);
    const twin = kind === null ? null : this.#twinOf(place, fid);
    const disk = disks.at(this.#nearest(dir));
    const why =
      kind === null
        ? null
        : (this.#whyApart(place, fid, isLink) ?? disk.whyOut({ name, kind, isLink, twin }));
    if (why === null || fid === null) {
      this.letIn(place);
      return false;
    }
    const key = placeKey(dir, name);
    const path = records.pathOfPlace(place)?.join('/') ?? name;
    const before = this.#names.get(key);
    const isSaid = before?.code === why.code && before.path === path;
    if (before !== undefined && !isSaid) board.clear(before.code, before.path);
    board.set(why.code, path, why.text);
    this.#names.set(key, { ...place, code: why.code, path });
    const commit = held.vnode(fid)?.commit ?? (0 as CommitNumber);
    this.#unplaced.keptOut(key, { commit, path, reason: why.text }, why.code);
    return true;
  }

  /** The directory, or the nearest one above it that is in place. */
  #nearest(dir: Fid): Fid {
    return nearestPlaced(dir, this.#parts);
  }

  /** Names of one file are on one disk. */
  #whyApart({ dir }: Place, fid: Fid | null, isLink: boolean): NameRefusal | null {
    const { records, rooms } = this.#parts;
    const [first] = fid === null ? [] : records.names(fid);
    if (!isLink || first === undefined) return null;
    if (rooms.diskOf(first.dir) === rooms.diskOf(this.#nearest(dir))) return null;
    return { code: 'disk-lacks', text: APART };
  }

  letIn({ dir, name }: Place): void {
    const key = placeKey(dir, name);
    const out = this.#names.get(key);
    if (out === undefined) return;
    this.#names.delete(key);
    this.#unplaced.letIn(key);
    this.#parts.board.clear(out.code, out.path);
  }

  /** Nothing is said any more of what is nobody's wish. */
  prune(): void {
    const { held } = this.#parts;
    for (const out of [...this.#names.values()]) {
      if ((held.entry(out.dir, out.name)?.fid ?? null) === null) this.letIn(out);
    }
  }

  #kindOf(fid: Fid): VnodeKind | null {
    const { records, held } = this.#parts;
    return records.get(fid)?.kind ?? held.vnode(fid)?.kind ?? null;
  }

  /** What the disk takes for the name, and is recorded under another one. */
  #twinOf({ dir, name }: Place, fid: Fid | null): string | null {
    const { disks, records, root } = this.#parts;
    const disk = disks.at(this.#nearest(dir));
    const path = isFolded(disk.can) ? records.pathOf(dir) : null;
    // Only where something is found is it worth a look at all names.
    if (path === null || root.factsOrNull([...path, name]) === null) return null;
    const twins = records.entries(dir).filter(([other]) => disk.isSame(other, name));
    return twins.find(([, there]) => there !== fid)?.[0] ?? null;
  }
}

/** A directory, or the nearest one above it that is in place; the root at last. */
export function nearestPlaced(
  dir: Fid,
  { records, held }: Pick<KeptOutParts, 'records' | 'held'>,
): Fid {
  const seen = new Set<Fid>();
  for (let at: Fid | undefined = dir; at !== undefined && !seen.has(at);) {
    if (records.has(at)) return at;
    seen.add(at);
    at = held.entriesNaming(at)[0]?.dir;
  }
  return records.root;
}
