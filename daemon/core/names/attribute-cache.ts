/**
 * The server's statuses of vnodes, as far as we know them. A status is as of the commit that wrote it, and of two the later one is right; so answers
 * may come in any order.
 *
 * One with a commit of ours in it may carry the number of an earlier commit (log/settle.ts), over restarts too. That commit made a version, and
 * versions only grow while an epoch lasts: a status with an older version is from before it, even if it names a later commit.
 */
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { CommitNumber, VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Outbox } from '../effects.ts';

/** An answer is on its way for a few round trips; thousands of files may be removed in that time. */
const ENDS_KEPT = 10_000;

/** What is of before this is not taken any more. */
interface End {
  readonly commit: CommitNumber;
  /** What was known last, if anything. It is kept as a row without links: nothing older is shown after a restart either. */
  readonly known: VnodeStatus | null;
}

/**
 * Caches statuses by fid, apart from the names, and decides which of two is newer (the attribute
 * cache of the name-cache paper).
 */
export class AttributeCache {
  readonly #out: Outbox;
  #statuses = new Map<Fid, VnodeStatus>();
  readonly #lacking = new Set<Fid>();
  readonly #counts = new Map<VolumeId, number>();
  /**
   * The last ones that ended: by a commit, or by one that took a name of theirs when we knew no more of them, or at no commit that we
   * know of (the server has them no more), but not before what we knew of them.
   */
  readonly #ends = new Map<Fid, End>();

  constructor(out: Outbox) {
    this.#out = out;
  }

  load(rows: ReadonlyMap<string, VnodeStatus>): void {
    const ended: VnodeStatus[] = [];
    this.#statuses = new Map();
    this.#counts.clear();
    for (const status of rows.values()) {
      if (status.links > 0) this.#put(status);
      else ended.push(status);
    }
    ended.sort((a, b) => a.commit - b.commit);
    for (const known of ended) this.#ends.set(known.fid, { commit: known.commit, known });
  }

  get(fid: Fid): VnodeStatus | undefined {
    return this.#statuses.get(fid);
  }

  get count(): number {
    return this.#statuses.size;
  }

  /** Of one volume. */
  countIn(volume: VolumeId): number {
    return this.#counts.get(volume) ?? 0;
  }

  fids(): IterableIterator<Fid> {
    return this.#statuses.keys();
  }

  all(): IterableIterator<VnodeStatus> {
    return this.#statuses.values();
  }

  /** Those of vnodes that ended lately, too, as they were then. */
  *allWithEnded(): IterableIterator<VnodeStatus> {
    for (const { known } of this.#ends.values()) if (known !== null) yield known;
    yield* this.#statuses.values();
  }

  /** Takes what the server said unless we know something newer. True: taken. */
  learn(status: VnodeStatus): boolean {
    const known = this.#statuses.get(status.fid);
    if (known !== undefined && known.commit >= status.commit) return false;
    if (this.#isOfBeforeEnd(status)) return false;
    if (known !== undefined && status.version < known.version) {
      this.#lacking.add(status.fid);
      return false;
    }
    this.set(status);
    return true;
  }

  /** Whether the status lacks a change of others: until an answer includes both, no promise makes it the present one. */
  lacksOthers(fid: Fid): boolean {
    return this.#lacking.has(fid);
  }

  /** The server may have lost commits of this volume (rule I1): what it says of a vnode that is forgotten is right, however old. */
  beginEpoch(volume: VolumeId): void {
    for (const fid of this.#lacking) if (volumeOf(fid) === volume) this.#lacking.delete(fid);
    for (const fid of this.#ends.keys()) if (volumeOf(fid) === volume) this.#dropEnd(fid);
  }

  /**
   * Whether the status has changes of others below a later commit of ours that the cache has, or is from before an end: only an answer after that
   * commit includes both.
   */
  isPassedOver(status: VnodeStatus): boolean {
    if (this.#isOfBeforeEnd(status)) return true;
    const known = this.#statuses.get(status.fid);
    if (known === undefined || known.commit >= status.commit) return false;
    return status.version < known.version;
  }

  /** A status that we made ourselves with a commit, without being sure of the rest of it. */
  setOurs(status: VnodeStatus): void {
    const lacks = this.#lacking.has(status.fid);
    this.set(status);
    if (lacks) this.#lacking.add(status.fid);
  }

  set(status: VnodeStatus): void {
    this.#lacking.delete(status.fid);
    this.#ends.delete(status.fid);
    this.#put(status);
    this.#out.put('status', status.fid, status);
  }

  /** A commit ended it, or what is there since then is not known: an answer on its way may be of before. */
  ended(fid: Fid, commit: CommitNumber): void {
    const known = this.#statuses.get(fid) ?? this.#ends.get(fid)?.known ?? null;
    this.#end(fid, { commit, known });
  }

  /** A later commit of ours changed it while what is there is not known: an answer on its way may be of before that, too. */
  changedSince(fid: Fid, commit: CommitNumber): void {
    const end = this.#ends.get(fid);
    if (end !== undefined && end.commit < commit) this.#end(fid, { ...end, commit });
  }

  /** The server has it no more, or it is not known what it has: what is older than what was known is not taken for it. */
  forget(fid: Fid): void {
    const known = this.#statuses.get(fid);
    if (known !== undefined) this.#end(fid, { commit: known.commit, known });
  }

  /** It is kept no longer, though it may be there: an answer on its way that is older is still not taken. */
  drop(fid: Fid): void {
    const known = this.#statuses.get(fid);
    if (known === undefined) return;
    this.#end(fid, { commit: known.commit, known: null });
    this.#out.drop('status', fid);
  }

  #put(status: VnodeStatus): void {
    if (!this.#statuses.has(status.fid)) this.#count(status.fid, 1);
    this.#statuses.set(status.fid, status);
  }

  #count(fid: Fid, by: number): void {
    const volume = volumeOf(fid);
    this.#counts.set(volume, this.countIn(volume) + by);
  }

  #end(fid: Fid, { commit, known }: End): void {
    this.#lacking.delete(fid);
    if (this.#statuses.delete(fid)) this.#count(fid, -1);
    this.#ends.delete(fid);
    // Thousands may be kept: without what can be large.
    const row = known && { ...known, commit, links: 0, xattrs: [] };
    this.#ends.set(fid, { commit, known: row });
    if (row !== null) this.#out.put('status', fid, row);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > ENDS_KEPT && oldest !== undefined) this.#dropEnd(oldest);
  }

  #dropEnd(fid: Fid): void {
    if (this.#ends.get(fid)?.known) this.#out.drop('status', fid);
    this.#ends.delete(fid);
  }

  #isOfBeforeEnd({ fid, commit, version }: VnodeStatus): boolean {
    const end = this.#ends.get(fid);
    return end !== undefined && (commit < end.commit || version < (end.known?.version ?? 0));
  }
}
