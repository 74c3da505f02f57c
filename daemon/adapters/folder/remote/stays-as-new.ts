/**
 * What its user gave another name while others removed it stays on the disk, as something new: a folder with all that is in it here (rule C3).
 *
 * Invariants
 * 1. Nothing is changed on the disk: the records forget it, and the next look finds it. Only what stands for contents that are not here goes.
 * 2. Changes of ours below it are answered first, and what conflicts ask for them is done: each of them has a place of its own.
 * 3. A volume that is mounted below it leaves first: nothing of it becomes a file of the volume around.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Became, Feed } from '../../../../shared/ports/feed.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';

/** What it needs of the records. */
export interface RecordedHere {
  readonly mountPoints: ReadonlySet<Fid>;
  get(fid: Fid): { readonly placeholder?: boolean } | null;
  names(fid: Fid): readonly Place[];
  entries(fid: Fid): ReadonlyArray<readonly [name: string, child: Fid]>;
  isOwn(dir: Fid, name: string): boolean;
  unlink(place: Place): void;
}

export interface StaysAsNewParts {
  readonly feed: Pick<Feed, 'pendingVnode' | 'blocked'>;
  readonly records: RecordedHere;
  /** Takes from the disk what is recorded there. */
  readonly drop: (place: Place, fid: Fid) => void;
  /** It is to be looked at. */
  readonly changed: (place: Place) => void;
}

/** Lets go of vnodes that are gone, and leaves on the disk what they were. */
export class StaysAsNew {
  readonly #parts: StaysAsNewParts;

  constructor(parts: StaysAsNewParts) {
    this.#parts = parts;
  }

  /** It and all that is recorded beneath it; null: something of it is to be answered or to leave first. */
  below(fid: Fid): ReadonlySet<Fid> | null {
    const { feed, records } = this.#parts;
    const all = new Set<Fid>([fid]);
    for (const each of all) {
      const isAnswered = !feed.pendingVnode(each) || feed.blocked(each) !== null;
      if (!isAnswered || records.mountPoints.has(each)) return null;
      for (const [, child] of records.entries(each)) all.add(child);
    }
    return all;
  }

  /** Forgets its names that are ours alone. In a turn. `gone`: there was nothing of it here but what stood for its contents. */
  letGo(fid: Fid): Became {
    const { records, changed } = this.#parts;
    let became: Became = 'new';
    for (const place of [...records.names(fid)]) {
      if (!records.isOwn(place.dir, place.name)) continue;
      if (records.get(fid)?.placeholder === true) became = 'gone';
      this.#dropPlaceholders(place, fid);
      records.unlink(place);
      changed(place);
    }
    return became;
  }

  #dropPlaceholders(place: Place, fid: Fid): void {
    const { records, drop } = this.#parts;
    for (const [name, child] of records.entries(fid)) {
      this.#dropPlaceholders({ dir: fid, name }, child);
    }
    if (records.get(fid)?.placeholder === true) drop(place, fid);
  }
}
