/** The conflicts a person has not dealt with yet: what the status shows until they are dismissed. */
import type { ConflictRow } from '../../../shared/ports/client-store.ts';
import type { ConflictKind } from '../../../shared/control/resolution.ts';
import type { ConflictStatus } from '../../../shared/control/snapshot.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { Outbox } from '../effects.ts';

/** Kinds of which nothing is left to tell when their copy is gone. */
const ENDS_WITH_COPY: ReadonlySet<string> = new Set<ConflictKind>([
  'elsewhere',
  'rename-undone',
  'removal-undone',
]);

export class ConflictList {
  readonly #out: Outbox;
  readonly #rows = new Map<number, ConflictRow>();
  #lastId = 0;

  constructor(out: Outbox) {
    this.#out = out;
  }

  load(rows: ReadonlyMap<string, ConflictRow>, lastId: number): void {
    const ids = [...rows.keys()].map(Number).sort((a, b) => a - b);
    for (const id of ids) this.#rows.set(id, rows.get(String(id)) as ConflictRow);
    this.#lastId = lastId;
  }

  get size(): number {
    return this.#rows.size;
  }

  add(row: ConflictRow): number {
    this.#lastId += 1;
    this.#out.put('meta', 'last-conflict', this.#lastId);
    this.#rows.set(this.#lastId, row);
    this.#out.put('conflict', this.#lastId, row);
    return this.#lastId;
  }

  /** The copy got another path after all. */
  renamed(volume: VolumeId, copy: string, to: string): void {
    for (const [id, row] of this.#rows) {
      if (row.copy !== copy || !isIn(row, volume)) continue;
      this.#rows.set(id, { ...row, copy: to });
      this.#out.put('conflict', id, { ...row, copy: to });
    }
  }

  has(volume: VolumeId, copy: string): boolean {
    for (const row of this.#rows.values()) if (row.copy === copy && isIn(row, volume)) return true;
    return false;
  }

  /** What was at a path is at another one by now, with all that is under it; `onlyUnder`: only what is under it is looked at. */
  moved(volume: VolumeId, from: string, to: string, onlyUnder: boolean): void {
    for (const [id, row] of this.#rows) {
      if (!isIn(row, volume)) continue;
      if (onlyUnder && (row.path === from || row.copy === from)) continue;
      const path = movedPath(row.path, from, to);
      const copy = movedPath(row.copy, from, to);
      if (path === row.path && copy === row.copy) continue;
      this.#rows.set(id, { ...row, path, copy });
      this.#out.put('conflict', id, { ...row, path, copy });
    }
  }

  /** Nothing is at that path any more: what another laptop kept there was dealt with, and what was to stay there did not. */
  gone(volume: VolumeId, copy: string): boolean {
    const over = [...this.#rows].filter(
      ([, row]) => row.copy === copy && isIn(row, volume) && ENDS_WITH_COPY.has(row.kind),
    );
    for (const [id] of over) this.dismiss(id);
    return over.length > 0;
  }

  dismiss(id: number): void {
    if (this.#rows.delete(id)) this.#out.drop('conflict', id);
  }

  /** The newest first. `nameOf` a volume; undefined: it is not known here. */
  newest(most: number, nameOf: (volume: VolumeId) => string | undefined): ConflictStatus[] {
    return [...this.#rows]
      .slice(-most)
      .reverse()
      .map(([id, { volume, ...row }]) => {
        const name = volume === null ? undefined : nameOf(volume);
        return { id, ...row, ...(name === undefined ? {} : { volume: name }) };
      });
  }
}

/** Of one that was found before volumes were kept, its path alone can tell. */
const isIn = (row: ConflictRow, volume: VolumeId): boolean =>
  row.volume === null || row.volume === volume;

function movedPath(path: string, from: string, to: string): string {
  if (path === from) return to;
  return path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path;
}
