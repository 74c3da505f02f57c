/**
 * The conflicts a person has not dealt with yet: what the status shows until they are dismissed. Each has what was at both paths, so that
 * what was changed since is not taken for it.
 */
import type { ConflictRow, UnseenSides } from '../../../shared/ports/client-store.ts';
import type { ConflictKind, FoundConflict } from '../../../shared/control/resolution.ts';
import type { ConflictPlace, ConflictStatus } from '../../../shared/control/snapshot.ts';
import {
  withFirstContents,
  type ConflictSide,
  type ConflictSides,
} from '../../../shared/model/conflict-side.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { Outbox } from '../effects.ts';

/** Kinds in which something was at both paths. */
export const HAD_BOTH: ReadonlySet<string> = new Set<ConflictKind>([
  'contents',
  'name',
  'elsewhere',
]);
/** Kinds of which nothing is left to tell when their copy is gone. */
const ENDS_WITH_COPY: ReadonlySet<string> = new Set<ConflictKind>([
  'elsewhere',
  'rename-undone',
  'removal-undone',
]);

/**
 * Keeps the durable list of conflicts that the status shows, and follows renames and removals of
 * their paths.
 */
export class ConflictList {
  readonly #out: Outbox;
  readonly #rows = new Map<number, ConflictRow>();
  /** The conflicts that are about a file whose contents have not come yet. */
  readonly #unwritten = new Map<Fid, Set<number>>();
  /** Those with sides that are not known yet, and may be asked for. */
  readonly #unseen = new Map<number, UnseenSides>();
  #lastId = 0;

  constructor(out: Outbox) {
    this.#out = out;
  }

  load(rows: ReadonlyMap<string, ConflictRow>, lastId: number): void {
    const ids = [...rows.keys()].map(Number).sort((a, b) => a - b);
    for (const id of ids) {
      const row = rows.get(String(id)) as ConflictRow;
      this.#rows.set(id, row);
      this.#await(id, row);
    }
    this.#lastId = lastId;
  }

  get size(): number {
    return this.#rows.size;
  }

  add(row: ConflictRow): number {
    this.#lastId += 1;
    this.#out.put('meta', 'last-conflict', this.#lastId);
    this.#put(this.#lastId, row);
    this.#await(this.#lastId, row);
    return this.#lastId;
  }

  get unseen(): ReadonlyMap<number, UnseenSides> {
    return this.#unseen;
  }

  sidesLearnt(id: number, sides: ConflictSides): void {
    const { unseen, ...row } = this.#rows.get(id) ?? {};
    if (unseen === undefined) return;
    this.#unseen.delete(id);
    this.#put(id, { ...(row as ConflictRow), sides });
    this.#await(id, { ...(row as ConflictRow), sides });
  }

  /** Nobody can tell any more what they were. */
  giveUpSides(id: number): void {
    const row = this.#rows.get(id);
    if (row === undefined || !this.#unseen.delete(id)) return;
    const { unseen, ...kept } = row;
    if (unseen !== undefined) this.#put(id, kept);
  }

  /** What became of the names of a volume on the way to here is not known. */
  giveUpUnseen(volume: VolumeId): void {
    for (const [id, { dir }] of [...this.#unseen]) {
      if (volumeOf(dir) === volume) this.giveUpSides(id);
    }
  }

  /** Gives up the unseen sides at these names, which a commit changed: the vnodes there now are not those of the conflict. */
  namesChanged(entries: ReadonlyArray<{ readonly dir: Fid; readonly name: string }>): void {
    for (const [id, unseen] of [...this.#unseen]) {
      const isChanged = entries.some(({ dir, name }) => dir === unseen.dir && name === unseen.name);
      if (isChanged) this.giveUpSides(id);
    }
  }

  /** A commit left these: a file that had no contents yet when it was a side of a conflict may have them now. */
  stored(vnodes: readonly ConflictSide[]): void {
    for (const vnode of vnodes) {
      for (const id of this.#unwritten.get(vnode.fid) ?? []) this.#storedOf(id, vnode);
    }
  }

  /** The copy got another path after all. */
  renamed(volume: VolumeId, copy: string, to: string): void {
    for (const [id, row] of this.#rows) {
      if (row.copy !== copy || !isIn(row, volume)) continue;
      this.#put(id, { ...row, copy: to });
    }
  }

  has(volume: VolumeId, copy: string): boolean {
    for (const row of this.#rows.values()) if (row.copy === copy && isIn(row, volume)) return true;
    return false;
  }

  /** It is a side of one that a person has not dealt with. */
  concerns(fid: Fid): boolean {
    return [...this.#rows.values()].some(({ sides }) =>
      sidesIn(sides).some((side) => side.fid === fid),
    );
  }

  /** That is the copy of a conflict of which both sides were kept. */
  hasCopy(volume: VolumeId, copy: string): boolean {
    for (const row of this.#rows.values()) {
      if (row.copy === copy && HAD_BOTH.has(row.kind) && isIn(row, volume)) return true;
    }
    return false;
  }

  /**
   * What was at a path is at another one by now, with all that is under it; `onlyUnder`: only what is under it is looked at. A conflict ends
   * when one of its sides has taken the place of the other. True if one did.
   */
  moved(volume: VolumeId, from: string, to: string, onlyUnder: boolean): boolean {
    let hasEnded = false;
    for (const [id, row] of [...this.#rows]) {
      if (!isIn(row, volume)) continue;
      if (onlyUnder && (row.path === from || row.copy === from)) continue;
      const path = movedPath(row.path, from, to);
      const copy = movedPath(row.copy, from, to);
      if (path === row.path && copy === row.copy) continue;
      if (path === copy && HAD_BOTH.has(row.kind)) {
        this.dismiss(id);
        hasEnded = true;
      } else {
        this.#put(id, { ...row, path, copy });
      }
    }
    return hasEnded;
  }

  /**
   * Nothing is at that path any more: what another laptop kept there was dealt with, and what was to stay there did not. Who removes the
   * copy of another laptop has dealt with that conflict, too.
   */
  gone(volume: VolumeId, copy: string, isOwn: boolean): boolean {
    const isOver = ({ kind }: ConflictRow): boolean =>
      ENDS_WITH_COPY.has(kind) || (!isOwn && HAD_BOTH.has(kind));
    const over = [...this.#rows].filter(
      ([, row]) => row.copy === copy && isIn(row, volume) && isOver(row),
    );
    for (const [id] of over) this.dismiss(id);
    return over.length > 0;
  }

  dismiss(id: number): void {
    for (const side of sidesIn(this.#rows.get(id)?.sides)) this.#awaitNoMore(id, side.fid);
    this.#unseen.delete(id);
    if (this.#rows.delete(id)) this.#out.drop('conflict', id);
  }

  /** The newest first. `nameOf` a volume; undefined: it is not known here. `goneOf` a row: its places where nothing is any more. */
  newest(
    most: number,
    nameOf: (volume: VolumeId) => string | undefined,
    goneOf: (row: ConflictRow) => readonly ConflictPlace[] = () => [],
  ): ConflictStatus[] {
    return [...this.#rows]
      .slice(-most)
      .reverse()
      .map(([id, row]) => {
        const gone = goneOf(row);
        return { ...shown(id, row, nameOf), ...(gone.length === 0 ? {} : { gone }) };
      });
  }

  /** The one with that number, and what it was about; null: there is none. */
  find(id: number, nameOf: (volume: VolumeId) => string | undefined): FoundConflict | null {
    const row = this.#rows.get(id);
    return row === undefined ? null : { ...shown(id, row, nameOf), sides: row.sides };
  }

  #put(id: number, row: ConflictRow): void {
    this.#rows.set(id, row);
    this.#out.put('conflict', id, row);
  }

  #await(id: number, { sides, unseen }: Pick<ConflictRow, 'sides' | 'unseen'>): void {
    if (unseen !== undefined) this.#unseen.set(id, unseen);
    for (const { kind, digest, fid } of sidesIn(sides)) {
      if (kind !== 'file' || digest !== null) continue;
      const waiting = this.#unwritten.get(fid) ?? new Set();
      this.#unwritten.set(fid, waiting.add(id));
    }
  }

  #awaitNoMore(id: number, fid: Fid): void {
    const waiting = this.#unwritten.get(fid);
    if (waiting?.delete(id) === true && waiting.size === 0) this.#unwritten.delete(fid);
  }

  #storedOf(id: number, vnode: ConflictSide): void {
    const row = this.#rows.get(id);
    if (row === undefined || row.sides === null) return;
    const { mine, theirs } = row.sides;
    const sides = {
      mine: withFirstContents(mine, vnode) ?? mine,
      theirs: theirs === null ? null : (withFirstContents(theirs, vnode) ?? theirs),
    };
    if (sides.mine === mine && sides.theirs === theirs) return;
    this.#awaitNoMore(id, vnode.fid);
    this.#put(id, { ...row, sides });
  }
}

function shown(
  id: number,
  { volume, when, path, copy, kind }: ConflictRow,
  nameOf: (volume: VolumeId) => string | undefined,
): ConflictStatus {
  const name = volume === null ? undefined : nameOf(volume);
  return { id, when, path, copy, kind, ...(name === undefined ? {} : { volume: name }) };
}

function sidesIn(sides: ConflictSides | null | undefined): ConflictSide[] {
  if (sides === null || sides === undefined) return [];
  return sides.theirs === null ? [sides.mine] : [sides.mine, sides.theirs];
}

/** Of one that was found before volumes were kept, its path alone can tell. */
const isIn = (row: ConflictRow, volume: VolumeId): boolean =>
  row.volume === null || row.volume === volume;

function movedPath(path: string, from: string, to: string): string {
  if (path === from) return to;
  return path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path;
}
