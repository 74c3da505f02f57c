/**
 * A load in parts: it reads a few rows at a time, so that a large load delays no other. Rows are as of the moment of their part;
 * what was committed since the load began is in the overlay of the core (overlay.ts), and listings are as of a commit that they name.
 */
import type { AnyRow, KeyOf, RowKey, RowOf } from '../../shared/model/stored.ts';
import { present } from '../../shared/util/assert.ts';
import { LOAD_PART } from '../limits.ts';
import type { RowPaces } from './row-paces.ts';

/** What is asked for at one go, and how long that takes by what was measured before, milliseconds. */
export interface Part {
  readonly keys: readonly RowKey[];
  readonly time: number;
  /** The load is done with it. */
  readonly isLast: boolean;
}

type Listing = KeyOf<'directory'> | KeyOf<'snapshot'> | KeyOf<'changes'>;

/** Splits one load into parts, and joins their rows. */
export class LoadParts {
  readonly #keys: readonly RowKey[];
  readonly #rows: AnyRow[] = [];
  /** Of the listing that the next part goes on with. */
  #begun: AnyRow = null;
  #asked: Listing | null = null;

  constructor(keys: readonly RowKey[]) {
    this.#keys = keys;
  }

  get isBegun(): boolean {
    return this.#rows.length > 0 || this.#begun !== null;
  }

  get isDone(): boolean {
    return this.#rows.length === this.#keys.length;
  }

  /**
   * One for each key, once all are here; none is left here. A load that has waited long is among the old objects of the collector, and what such a one
   * holds is copied and kept until all memory is gone through, long after its answer.
   */
  giveAway(): readonly AnyRow[] {
    const rows = [...this.#rows];
    this.#rows.length = 0;
    return rows;
  }

  /** What to ask for next: as much as fits `time`, milliseconds, and one row at least. */
  next(time: number, paces: RowPaces): Part {
    const from = this.#rows.length;
    const first = this.#keys[from];
    if (first !== undefined && isListing(first)) {
      const pace = paces.of(first.kind);
      const most = Math.min(Math.max(Math.floor(time / pace), 1), LOAD_PART);
      this.#asked = this.#restOf(first, most);
      const isLast = this.#restOf(first).limit <= most && from === this.#keys.length - 1;
      return { keys: [this.#asked], time: this.#asked.limit * pace, isLast };
    }
    let [to, reckoned] = [from, 0];
    for (; to < this.#keys.length && to - from < LOAD_PART && reckoned < time; to++) {
      const key = present(this.#keys[to], 'a key');
      if (isListing(key)) break;
      reckoned += weightOf(key) * paces.of(key.kind);
    }
    return { keys: this.#keys.slice(from, to), time: reckoned, isLast: to === this.#keys.length };
  }

  came(rows: readonly AnyRow[]): void {
    const key = this.#keys[this.#rows.length];
    if (key === undefined || !isListing(key)) {
      this.#rows.push(...rows);
      return;
    }
    const { limit } = present(this.#asked, 'a part was asked for');
    const [joined, isLast] = join(key, this.#begun, rows[0] ?? null, limit);
    this.#begun = isLast ? null : joined;
    if (isLast) this.#rows.push(joined);
  }

  #restOf(key: Listing, most = key.limit): Listing {
    const begun = this.#begun;
    const had = begun === null ? 0 : countOf(key, begun);
    const limit = Math.min(key.limit - had, most);
    if (begun === null) return { ...key, limit };
    switch (key.kind) {
      case 'directory':
        return { ...key, limit, after: (begun as RowOf<'directory'>).entries.at(-1)?.name ?? null };
      case 'snapshot': {
        const { vnodes } = begun as RowOf<'snapshot'>;
        return { ...key, limit, after: vnodes.at(-1)?.status.fid ?? null };
      }
      case 'changes':
        return { ...key, limit, since: (begun as RowOf<'changes'>).upTo };
    }
  }
}

function isListing(key: RowKey): key is Listing {
  return key.kind === 'directory' || key.kind === 'snapshot' || key.kind === 'changes';
}

/** In look-ups of one row. */
function weightOf(key: RowKey): number {
  return 'limit' in key ? key.limit : 1;
}

function countOf({ kind }: Listing, row: AnyRow): number {
  if (kind === 'directory') return (row as RowOf<'directory'>).entries.length;
  if (kind === 'snapshot') return (row as RowOf<'snapshot'>).vnodes.length;
  return (row as RowOf<'changes'>).commits.length;
}

/** A listing with its next part, and whether that was the last one. */
function join(key: Listing, begun: AnyRow, part: AnyRow, asked: number): [AnyRow, boolean] {
  const isFull = (joined: AnyRow): boolean => countOf(key, joined) >= key.limit;
  switch (key.kind) {
    case 'directory': {
      const next = part as RowOf<'directory'>;
      const before = begun as RowOf<'directory'> | null;
      const joined = {
        status: before === null ? next.status : before.status,
        entries: [...(before?.entries ?? []), ...next.entries],
        more: next.more,
        current: next.current && (before?.current ?? true),
      };
      return [joined, !next.more || isFull(joined)];
    }
    case 'snapshot': {
      const next = part as RowOf<'snapshot'>;
      const before = begun as RowOf<'snapshot'> | null;
      const joined = { vnodes: [...(before?.vnodes ?? []), ...next.vnodes], more: next.more };
      return [joined, !next.more || isFull(joined)];
    }
    case 'changes': {
      const next = part as RowOf<'changes'>;
      const before = begun as RowOf<'changes'> | null;
      const joined = { commits: [...(before?.commits ?? []), ...next.commits], upTo: next.upTo };
      return [joined, next.commits.length < asked || isFull(joined)];
    }
  }
}
