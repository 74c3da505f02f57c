/**
 * A load in parts: what it asks for is asked for a little at a time, so that whoever asks for much holds nobody up. Rows are as of the moment of their part;
 * what was committed since the load began is in the overlay of the core (overlay.ts), and listings are as of a commit that they name.
 */
import type { AnyRow, KeyOf, RowKey, RowOf } from '../../shared/model/stored.ts';
import { present } from '../../shared/util/assert.ts';
import { LOAD_PART } from '../limits.ts';

type Listing = KeyOf<'directory'> | KeyOf<'snapshot'> | KeyOf<'changes'>;

export class LoadParts {
  readonly #keys: readonly RowKey[];
  readonly #rows: AnyRow[] = [];
  /** Of the listing that the next part goes on with. */
  #begun: AnyRow = null;

  constructor(keys: readonly RowKey[]) {
    this.#keys = keys;
  }

  get isDone(): boolean {
    return this.#rows.length === this.#keys.length;
  }

  /** One for each key, once all are here. */
  get rows(): readonly AnyRow[] {
    return this.#rows;
  }

  /** What to ask for next, and how many rows that is about. */
  next(): { readonly keys: readonly RowKey[]; readonly weight: number } {
    const from = this.#rows.length;
    const first = this.#keys[from];
    if (first !== undefined && isListing(first)) {
      const key = this.#restOf(first);
      return { keys: [key], weight: key.limit };
    }
    let [to, weight] = [from, 0];
    for (; to < this.#keys.length && weight < LOAD_PART; to++) {
      const key = present(this.#keys[to], 'a key');
      if (isListing(key)) break;
      weight += weightOf(key);
    }
    return { keys: this.#keys.slice(from, to), weight };
  }

  came(rows: readonly AnyRow[]): void {
    const key = this.#keys[this.#rows.length];
    if (key === undefined || !isListing(key)) {
      this.#rows.push(...rows);
      return;
    }
    const asked = this.#restOf(key);
    const [joined, isLast] = join(key, this.#begun, rows[0] ?? null, asked.limit);
    this.#begun = isLast ? null : joined;
    if (isLast) this.#rows.push(joined);
  }

  #restOf(key: Listing): Listing {
    const begun = this.#begun;
    const had = begun === null ? 0 : countOf(key, begun);
    const limit = Math.min(key.limit - had, LOAD_PART);
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
