/**
 * Names that stay out of the folder, for its disk can't have them. The volume keeps them; each is said with its reason, and counts as not in
 * place until it is there, or nobody's wish any more.
 */
import type { EntryChange } from '../../../shared/model/change.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { CommitNumber, VnodeKind } from '../../../shared/model/vnode.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { isFolded } from './disk-abilities.ts';
import type { ErrorBoard } from './error-board.ts';
import type { FolderDisk, KeptOut } from './folder-disk.ts';
import { placeKey, type FolderRecords } from './folder-records.ts';
import type { HeldRows } from './held-rows.ts';
import { isParked } from './plan-remote.ts';
import type { SafeRoot } from './safe-root.ts';
import type { Unplaced } from './unplaced.ts';

export interface KeptOutParts {
  readonly records: FolderRecords;
  readonly held: HeldRows;
  readonly root: SafeRoot;
  readonly disk: FolderDisk;
  readonly board: ErrorBoard;
}

interface Out extends Place {
  readonly code: KeptOut['code'];
  readonly path: string;
}

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
    const { disk, held } = this.#parts;
    if (to === null || isParked(to) || !disk.isRefused(to.name, error)) return false;
    const row = held.entry(to.dir, to.name);
    return row !== null && this.isOut(row, false);
  }

  /** Says why, and takes it back where it is not so any more. `isLink`: a further name of what has one. */
  isOut({ dir, name, fid }: EntryChange, isLink: boolean): boolean {
    const { board, disk, records, held } = this.#parts;
    const place = { dir, name };
    const kind = fid === null ? null : this.#kindOf(fid);
    const twin = kind === null ? null : this.#twinOf(place, fid);
    const why = kind === null ? null : disk.whyOut({ name, kind, isLink, twin });
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
    const { disk, records, root } = this.#parts;
    const path = isFolded(disk.can) ? records.pathOf(dir) : null;
    // Only where something is found is it worth a look at all names.
    if (path === null || root.facts(path, name) === null) return null;
    const twins = records.entries(dir).filter(([other]) => disk.isSame(other, name));
    return twins.find(([, there]) => there !== fid)?.[0] ?? null;
  }
}
