/**
 * The prefetch list (MFS, section 4.1): file groups, the one touched last first; and what each has brought.
 *
 * Invariants
 * 1. A group is in it once. Touched, it goes to the head; when all of it is here, to the end.
 * 2. What was prefetched is unused until it is opened, and then a hit; it counts for one group.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Instant } from '../../../shared/model/time.ts';
import { MOST_LISTED, PREFETCH_PROBE, TRUST_MEMORY } from '../../limits.ts';
import type { RequestId } from '../events.ts';

export interface ListedGroup {
  readonly fid: Fid;
  /** When it was touched last; by requests, by uses of the cache, and by the clock. */
  since: RequestId;
  use: number;
  touchedAt: Instant;
  /** Touches in a row with none of another group between them. */
  streak: number;
  /** Bytes of its files that were opened since it is listed, and of those among them that were prefetched. */
  readonly opened: Map<Fid, number>;
  hitBytes: number;
  /** Prefetched and not opened, with their bytes. */
  readonly unused: Map<Fid, number>;
  /** Demanded in a row when their prefetch had brought nothing yet, and gained no time. */
  late: number;
  /** Could not be fetched since it was touched. */
  readonly failed: Set<Fid>;
}

/**
 * Keeps the listed file groups in order, with the prefetched files that nobody has opened yet.
 * Sizes are bytes.
 */
export class PrefetchList {
  /** The first is the head. */
  #groups: ListedGroup[] = [];
  readonly #byFile = new Map<Fid, ListedGroup>();
  #hits = 0;
  #misses = 0;

  get size(): number {
    return this.#groups.length;
  }

  inOrder(): readonly ListedGroup[] {
    return [...this.#groups];
  }

  head(): ListedGroup | null {
    return this.#groups[0] ?? null;
  }

  get(fid: Fid): ListedGroup | undefined {
    return this.#groups.find((group) => group.fid === fid);
  }

  touch(fid: Fid, since: RequestId, use: number, at: Instant): ListedGroup {
    const group = this.get(fid) ?? newGroup(fid, since, use, at);
    group.streak = this.head() === group ? group.streak + 1 : 1;
    this.#groups = [group, ...this.#groups.filter((each) => each !== group)];
    group.since = since;
    group.use = use;
    group.touchedAt = at;
    group.failed.clear();
    for (const last of this.#groups.splice(MOST_LISTED)) this.#forget(last);
    return group;
  }

  toEnd(group: ListedGroup): void {
    this.#groups = [...this.#groups.filter((each) => each !== group), group];
  }

  remove(group: ListedGroup): void {
    this.#groups = this.#groups.filter((each) => each !== group);
    this.#forget(group);
  }

  /** A prefetch has brought it. */
  brought(group: ListedGroup, file: Fid, bytes: number): void {
    this.#byFile.get(file)?.unused.delete(file);
    group.unused.set(file, bytes);
    this.#byFile.set(file, group);
  }

  /** Somebody opened a file of the group. */
  opened(group: ListedGroup, file: Fid, bytes: number): void {
    group.opened.set(file, bytes);
    this.wanted(file);
  }

  /** What was prefetched, or was just being, is wanted. */
  wanted(file: Fid): void {
    const group = this.#byFile.get(file);
    const bytes = group?.unused.get(file);
    if (group === undefined || bytes === undefined) return;
    group.unused.delete(file);
    this.#byFile.delete(file);
    group.hitBytes += bytes;
    group.late = 0;
    this.#count(1, 0);
  }

  /**
   * Bytes that may lie here unused for a group ("setting a byte threshold", MFS, section 4.4): a probe, as much again as was opened of
   * it, as far as groups are worth trusting, and what was a hit.
   */
  allowance(group: ListedGroup): number {
    let opened = 0;
    for (const bytes of group.opened.values()) opened += bytes;
    return this.trust(group) * (PREFETCH_PROBE + opened) + group.hitBytes;
  }

  /** The share of what was prefetched that was used, of late; what other groups have lying here unused is not used. */
  trust(group: ListedGroup): number {
    let unused = 0;
    for (const each of this.#groups) if (each !== group) unused += each.unused.size;
    return (this.#hits + 1) / (this.#hits + this.#misses + unused + 1);
  }

  #forget(group: ListedGroup): void {
    this.#count(0, group.unused.size);
    for (const file of group.unused.keys()) this.#byFile.delete(file);
  }

  #count(hits: number, misses: number): void {
    this.#hits += hits;
    this.#misses += misses;
    if (this.#hits + this.#misses <= TRUST_MEMORY) return;
    this.#hits /= 2;
    this.#misses /= 2;
  }
}

function newGroup(fid: Fid, since: RequestId, use: number, touchedAt: Instant): ListedGroup {
  const nothing = { opened: new Map(), unused: new Map(), failed: new Set<Fid>() };
  return { fid, since, use, touchedAt, streak: 0, hitBytes: 0, late: 0, ...nothing };
}
