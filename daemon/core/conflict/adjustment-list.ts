/**
 * What conflicts ask the front end to do to its disk (feed port, contract 4).
 *
 * Invariants
 * 1. An adjustment is offered only when every update it awaits is committed: a copy is safe before the local name changes (C1).
 * 2. It is offered, in order of ids, until it is `adjusted`, over restarts too.
 * 3. An event that lets it be offered (an answer, a refusal, a restored server) wakes the front end of its volume.
 */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { ConflictRepairRow } from '../../../shared/ports/client-store.ts';
import type { ConflictRepair } from '../../../shared/ports/feed.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import type { Outbox } from '../effects.ts';

type Distributed<T> = T extends unknown ? Omit<T, 'id'> : never;
export type NewConflictRepair = Distributed<ConflictRepair>;

/**
 * Keeps the durable list of conflict repairs, each with the updates that have to be committed
 * before it is offered.
 */
export class ConflictRepairList {
  readonly #out: Outbox;
  readonly #rows = new Map<number, ConflictRepairRow>();
  #lastId = 0;

  constructor(out: Outbox) {
    this.#out = out;
  }

  load(rows: ReadonlyMap<string, ConflictRepairRow>, lastId: number): void {
    const sorted = [...rows.values()].sort((a, b) => a.adjustment.id - b.adjustment.id);
    for (const row of sorted) this.#rows.set(row.adjustment.id, row);
    this.#lastId = lastId;
  }

  get size(): number {
    return this.#rows.size;
  }

  add(adjustment: NewConflictRepair, awaits: readonly UpdateSeq[]): number {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#out.put('meta', 'last-adjustment', id);
    this.#put({ adjustment: { ...adjustment, id }, awaits });
    return id;
  }

  get(id: number): ConflictRepair | undefined {
    return this.#rows.get(id)?.adjustment;
  }

  /** Those the front end may act on now. */
  offered(volume: VolumeId): ConflictRepair[] {
    return [...this.#rows.values()]
      .filter((row) => row.awaits.length === 0 && row.adjustment.volume === volume)
      .map((row) => row.adjustment);
  }

  /** The oldest of them, offered or not. */
  first(most: number): ConflictRepair[] {
    const rows = [...this.#rows.values()].slice(0, most);
    return rows.map(({ adjustment }) => adjustment);
  }

  remove(id: number): void {
    if (this.#rows.delete(id)) this.#out.drop('adjustment', id);
  }

  /** No front end follows this volume: its repairs are dropped. */
  removeAll(volume: VolumeId): void {
    for (const { adjustment } of [...this.#rows.values()]) {
      if (adjustment.volume === volume) this.remove(adjustment.id);
    }
  }

  committed(seq: UpdateSeq): void {
    this.renumbered(seq, null);
  }

  /** An update got another number, or (null) nothing is to be waited for in its stead: it is done, or will not be sent at all. */
  renumbered(from: UpdateSeq, to: UpdateSeq | null): void {
    for (const row of [...this.#rows.values()]) {
      if (!row.awaits.includes(from)) continue;
      const awaits = row.awaits.filter((other) => other !== from);
      this.#put({ ...row, awaits: to === null ? awaits : [...awaits, to] });
    }
  }

  /** The vnode that was to be called something could not be; its adjustment follows. False: there is none. */
  moved(fid: Fid, from: Place, to: Place): boolean {
    for (const row of [...this.#rows.values()]) {
      const { adjustment } = row;
      if (adjustment.kind !== 'copied' && adjustment.kind !== 'renamed') continue;
      const moved = adjustment.kind === 'copied' ? adjustment.copy : adjustment.fid;
      if (row.awaits.length === 0 || moved !== fid || !samePlace(adjustment.to, from)) continue;
      this.#put({ ...row, adjustment: { ...adjustment, to } });
      return true;
    }
    return false;
  }

  /** The adjustment that is to give this copy its name on the disk. */
  ofCopy(copy: Fid): number | null {
    for (const { adjustment } of this.#rows.values()) {
      if (adjustment.kind === 'copied' && adjustment.copy === copy) return adjustment.id;
    }
    return null;
  }

  /** The adjustment that is to move this vnode away from a place where the disk still has it. */
  ofRenamed(fid: Fid, from: Place): { id: number; to: Place } | null {
    for (const { adjustment } of this.#rows.values()) {
      if (adjustment.kind !== 'renamed' || adjustment.fid !== fid) continue;
      if (samePlace(adjustment.from, from)) return adjustment;
    }
    return null;
  }

  /** The copy turned out to be another vnode. False: it is nobody's copy. */
  replaceCopy(from: Fid, to: Fid): boolean {
    const id = this.ofCopy(from);
    const row = id === null ? undefined : this.#rows.get(id);
    if (row?.adjustment.kind !== 'copied') return false;
    this.#put({ ...row, adjustment: { ...row.adjustment, copy: to } });
    return true;
  }

  /** A person moved the file on the disk before the adjustment did: that is where it is to be now. */
  retarget(id: number, to: Place): void {
    const row = this.#rows.get(id);
    if (row?.adjustment.kind !== 'copied' && row?.adjustment.kind !== 'renamed') return;
    this.#put({ ...row, adjustment: { ...row.adjustment, to } });
  }

  /** An adjustment of this vnode waits for updates still. */
  holdsVnode(fid: Fid): boolean {
    return this.#unoffered((adjustment) => adjustment.fid === fid);
  }

  holdsEntry(dir: Fid, name: string): boolean {
    return this.#unoffered(
      (a) => a.kind === 'renamed' && (isAt(a.from, dir, name) || isAt(a.to, dir, name)),
    );
  }

  /**
   * Whether a repair that merges this vnode into another is not done yet, offered or not: until then the front end means the other vnode by this fid.
   */
  merges(fid: Fid): boolean {
    for (const { adjustment } of this.#rows.values()) {
      if (adjustment.kind === 'merged' && adjustment.fid === fid) return true;
    }
    return false;
  }

  /** An adjustment, offered or not, is about this vnode, or about what it became. */
  concerns(fid: Fid): boolean {
    for (const { adjustment: each } of this.#rows.values()) {
      if (each.fid === fid) return true;
      if (each.kind === 'copied' && each.copy === fid) return true;
      if (each.kind === 'merged' && each.into === fid) return true;
    }
    return false;
  }

  #unoffered(matches: (adjustment: ConflictRepair) => boolean): boolean {
    for (const row of this.#rows.values()) {
      if (row.awaits.length > 0 && matches(row.adjustment)) return true;
    }
    return false;
  }

  #put(row: ConflictRepairRow): void {
    this.#rows.set(row.adjustment.id, row);
    if (row.awaits.length === 0) this.#out.wake(row.adjustment.volume);
    this.#out.put('adjustment', row.adjustment.id, row);
  }
}

function isAt(place: Place, dir: Fid, name: string): boolean {
  return place.dir === dir && place.name === name;
}

function samePlace(a: Place, b: Place): boolean {
  return isAt(a, b.dir, b.name);
}
