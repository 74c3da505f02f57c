/**
 * Which contents are in the file store: whole files, by fid, version and digest.
 *
 * Invariants
 * 1. A content with a holder (an open handle, a logged store, a task on it) is not removed; the last one to let go
 *    of a content that is no longer `current` removes it.
 * 2. A content named by a logged store is `queued`; once that store is answered it is a cached version like any other.
 * 3. Names are never reused.
 * 4. The order of uses outlives the daemon, but for the last USES_AHEAD of them where it is killed.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { DataVersion, VnodeStatus } from '../../../shared/model/vnode.ts';
import { compareNames } from '../../../shared/model/names.ts';
import type { ContentRow } from '../../../shared/ports/client-store.ts';
import { EVICT_AHEAD, MIN_DELTA, USES_AHEAD } from '../../limits.ts';
import type { Outbox } from '../effects.ts';

export interface CachedContent extends ContentRow {
  readonly name: string;
}

/** Names reserved by one row. */
const NAMES_AHEAD = 1000;

/**
 * A version by its number and its contents: a queued store of ours, or a version that a restored server has lost (rule I1), may have the number of
 * another's. Digest null: there are none.
 */
type Version = Pick<VnodeStatus, 'fid' | 'version' | 'digest'>;

const isOf = ({ version, digest }: CachedContent, wanted: Version | null): boolean =>
  version === wanted?.version && digest === wanted.digest;

interface Held {
  content: CachedContent;
  holders: number;
  doomed: boolean;
  /** Its digest was found right since the start. */
  checked: boolean;
}

/**
 * Indexes the contents in the file store, and chooses which of them to remove, least recently used
 * first. Sizes are bytes. Rows are staged in the outbox; a removed content also emits the effect
 * that removes its file. (A whole-file cache on the disk, as in AFS and MFS, section 2.1.)
 */
export class FileCache {
  readonly #out: Outbox;
  /** In the order of last use: the first is the least recently used. */
  readonly #contents = new Map<string, Held>();
  readonly #byFid = new Map<Fid, Set<string>>();
  #bytes = 0;
  #lastName = 0;
  /** The durable row reserves names up to this one. */
  #reserved = 0;
  #mayGo: ((content: CachedContent) => boolean) | null = null;
  #lastUse = 0;
  /** Prefetched and not opened yet. Their age is that of the use that caused the prefetch. */
  readonly #ahead = new Set<string>();
  /** Used since their rows were written. */
  readonly #unsaved = new Set<string>();
  /** Fetched last: the call that waits for it may have to wait for something else too. */
  #latest: string | null = null;
  /** The content fetched last was held, and is not held any more. */
  #wasRead = false;
  /** The last plan found too little to evict, and nothing has changed since. */
  #stuck = false;

  constructor(out: Outbox) {
    this.#out = out;
  }

  load(rows: ReadonlyMap<string, ContentRow>, lastName: number): void {
    this.#lastName = lastName;
    this.#reserved = lastName;
    const ordered = [...rows].sort(([a, one], [b, other]) => {
      return one.used - other.used || compareNames(a, b);
    });
    for (const [name, row] of ordered) {
      this.#index({ ...row, name });
      this.#lastUse = Math.max(this.#lastUse, row.used);
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#contents.size;
  }

  /** The contents that are not doomed, in the order of last use. */
  *all(): Generator<CachedContent, void, undefined> {
    for (const { content, doomed } of this.#contents.values()) if (!doomed) yield content;
  }

  /** It was prefetched, and not opened yet. */
  isAhead(name: string): boolean {
    return this.#ahead.has(name);
  }

  names(): Set<string> {
    return new Set(this.#contents.keys());
  }

  newName(): string {
    this.#lastName += 1;
    if (this.#lastName > this.#reserved) {
      // A crash skips the rest of them; a row for each name would be a transaction for each open.
      this.#reserved = this.#lastName + NAMES_AHEAD;
      this.#out.put('meta', 'last-content', this.#reserved);
    }
    return `c${this.#lastName.toString(36)}`;
  }

  get(name: string): CachedContent | undefined {
    return this.#contents.get(name)?.content;
  }

  find(wanted: Version): CachedContent | null {
    for (const name of this.#byFid.get(wanted.fid) ?? []) {
      const content = this.#contents.get(name)?.content;
      if (content !== undefined && isOf(content, wanted)) return content;
    }
    return null;
  }

  /** The newest version of those that fit. */
  newestOf(fid: Fid, fits: (content: CachedContent) => boolean): CachedContent | null {
    let newest: CachedContent | null = null;
    for (const name of this.#byFid.get(fid) ?? []) {
      const content = this.#contents.get(name)?.content;
      if (content === undefined || content.version <= (newest?.version ?? -1)) continue;
      if (fits(content)) newest = content;
    }
    return newest;
  }

  /** The newest version after that one. */
  newestAfter(fid: Fid, version: number): CachedContent | null {
    return this.newestOf(fid, (content) => content.version > version);
  }

  /** A file of the store is this content now. */
  add(fresh: Omit<CachedContent, 'used'>): void {
    this.#lastUse += 1;
    const content = { ...fresh, used: this.#lastUse };
    this.#index(content);
    this.checked(content.name);
    this.#write(content);
  }

  /** It was fetched: plans spare it until the next fetch. */
  fetched(name: string): void {
    this.#latest = name;
    this.#wasRead = false;
  }

  /** A queued store was committed: its content is this version. */
  renumber(name: string, fid: Fid, version: DataVersion): void {
    const held = this.#contents.get(name);
    if (held === undefined) return;
    this.#unindex(held.content);
    held.content = { ...held.content, fid, version };
    held.doomed = false;
    this.#byFid.set(fid, (this.#byFid.get(fid) ?? new Set()).add(name));
    this.#write(held.content);
  }

  /** It is from before this start, and was not checked since. */
  isUnchecked(name: string): boolean {
    return this.#contents.get(name)?.checked === false;
  }

  checked(name: string): void {
    const held = this.#contents.get(name);
    if (held !== undefined) held.checked = true;
  }

  used(name: string): void {
    const held = this.#contents.get(name);
    if (held === undefined) return;
    this.#lastUse += 1;
    this.#ahead.delete(name);
    held.content = { ...held.content, used: this.#lastUse };
    this.#contents.delete(name);
    this.#contents.set(name, held);
    this.#unsaved.add(name);
    if (this.#unsaved.size >= USES_AHEAD) this.saveUses();
  }

  /** The number of the last use. */
  get lastUse(): number {
    return this.#lastUse;
  }

  /** It was prefetched; `use`: the number of the use that caused the prefetch. */
  cameAhead(name: string, use: number): void {
    const held = this.#contents.get(name);
    if (held === undefined) return;
    held.content = { ...held.content, used: use };
    this.#ahead.add(name);
    this.#write(held.content);
    if (this.#latest === name) this.#latest = null;
  }

  /** The order of uses so far is made durable. */
  saveUses(): void {
    for (const name of this.#unsaved) {
      const held = this.#contents.get(name);
      if (held !== undefined && !held.doomed) this.#write(held.content);
    }
    this.#unsaved.clear();
  }

  hold(name: string): void {
    const held = this.#contents.get(name);
    if (held !== undefined) held.holders += 1;
  }

  release(name: string): void {
    const held = this.#contents.get(name);
    if (held === undefined) return;
    held.holders -= 1;
    this.#stuck = false;
    if (held.holders <= 0 && name === this.#latest) this.#wasRead = true;
    if (held.doomed && held.holders <= 0) this.#remove(name, held);
  }

  /** Not wanted any more; it goes when nobody holds it. */
  doom(name: string): void {
    const held = this.#contents.get(name);
    if (held === undefined || held.doomed) return;
    held.doomed = true;
    // No search finds it from now on, and after a crash its file is an orphan.
    this.#unindex(held.content);
    this.#out.drop('content', name);
    if (held.holders <= 0) this.#remove(name, held);
  }

  /**
   * There is a newer version than what is here. Until its contents are here, the newest one before it stays, as the base of a delta (rule
   * D2): what both have in common need not come.
   */
  superseded(present: Version): void {
    const { fid, version } = present;
    const isBase = (content: CachedContent): boolean =>
      content.version < version && content.size >= MIN_DELTA;
    const base = this.find(present) === null ? this.newestOf(fid, isBase) : null;
    this.#keep(fid, present, base?.name ?? null);
  }

  /** Dooms every version of a vnode but this one (null: all), unless somebody holds it for the server. */
  keepOnly(fid: Fid, present: Version | null): void {
    this.#keep(fid, present, null);
  }

  #keep(fid: Fid, present: Version | null, base: string | null): void {
    for (const name of [...(this.#byFid.get(fid) ?? [])]) {
      const held = this.#contents.get(name);
      if (held === undefined || isOf(held.content, present) || name === base) continue;
      // What is held is open, or queued: then it may be the next version.
      if (held.holders <= 0) this.#remove(name, held);
    }
  }

  /** The same for held contents: no search finds them by their version any more. Contents that the log names stay. */
  doomOthers(fid: Fid, present: Version | null, logged: ReadonlySet<string | null>): void {
    for (const name of [...(this.#byFid.get(fid) ?? [])]) {
      const held = this.#contents.get(name);
      if (held === undefined || isOf(held.content, present) || logged.has(name)) continue;
      this.doom(name);
    }
  }

  /** The file has left the store (a caller took it): only the row goes. */
  left(name: string): void {
    const held = this.#contents.get(name);
    if (held === undefined) return;
    this.#forget(name, held);
  }

  /** Of all versions. */
  namesOf(fid: Fid): string[] {
    return [...(this.#byFid.get(fid) ?? [])];
  }

  isHeld(name: string): boolean {
    return (this.#contents.get(name)?.holders ?? 0) > 0;
  }

  /** Only what fits may go to make room from now on; null: all that nobody holds. */
  yieldOnly(fits: ((content: CachedContent) => boolean) | null): void {
    this.#mayGo = fits;
    this.#stuck = false;
  }

  /** What is kept may have changed: it is worth looking again. */
  lookAgain(): void {
    this.#stuck = false;
  }

  /**
   * Plan: what to remove so that at most `limit` bytes stay, least recently used first, nothing that is held, nor what `keeps` says.
   * Where there is more than that, somewhat more goes (EVICT_AHEAD).
   */
  evictable(limit: number, keeps: (content: CachedContent) => boolean): string[] {
    const names: string[] = [];
    let bytes = this.#bytes;
    if (bytes <= limit) return names;
    const goal = limit * (1 - EVICT_AHEAD);
    for (const content of this.#leastUsed()) {
      if (bytes <= goal) return names;
      if (!this.#canGo(content) || keeps(content)) continue;
      names.push(content.name);
      bytes -= content.size;
    }
    return names;
  }

  /** Plan: so many bytes, of what was used before that use alone; null: there is not so much of it. */
  evictableBefore(
    use: number,
    wanted: number,
    keeps: (content: CachedContent) => boolean,
  ): string[] | null {
    const names: string[] = [];
    let bytes = 0;
    for (const content of this.#leastUsed()) {
      if (bytes >= wanted) break;
      if (content.used >= use) break;
      if (!this.#canGo(content) || keeps(content)) continue;
      names.push(content.name);
      bytes += content.size;
    }
    return bytes >= wanted ? names : null;
  }

  #canGo(content: CachedContent): boolean {
    const { name } = content;
    if (this.isHeld(name) || name === this.#latest) return false;
    return this.#mayGo?.(content) !== false;
  }

  /** In the order of uses; what came ahead in between. */
  *#leastUsed(): Generator<CachedContent, void, undefined> {
    const ahead = [...this.#ahead]
      .flatMap((name) => this.get(name) ?? [])
      .sort((a, b) => a.used - b.used);
    let next = ahead.shift();
    for (const [name, { content }] of this.#contents) {
      if (this.#ahead.has(name)) continue;
      for (; next !== undefined && next.used <= content.used; next = ahead.shift()) yield next;
      yield content;
    }
    if (next !== undefined) yield* [next, ...ahead];
  }

  /** The next plan takes what was fetched last, too. */
  spareNothing(): void {
    this.#latest = null;
    this.#stuck = false;
  }

  /** The same, unless somebody may still be about to read it. */
  spareWhatWasRead(): void {
    if (this.#latest !== null && this.#wasRead) this.spareNothing();
  }

  /** What is over the limit goes, as far as it may. */
  keepTo(limit: number, keeps: (content: CachedContent) => boolean): void {
    if (this.#bytes <= limit || this.#stuck) return;
    for (const name of this.evictable(limit, keeps)) this.doom(name);
    this.#stuck = this.#bytes > limit;
  }

  /** The disk is full: all goes that can be fetched again, and that nobody holds. What is queued is held. */
  makeRoom(keeps: (content: CachedContent) => boolean): void {
    this.spareNothing();
    for (const name of this.evictable(0, keeps)) this.doom(name);
  }

  #index(content: CachedContent): void {
    this.#stuck = false;
    this.#contents.set(content.name, { content, holders: 0, doomed: false, checked: false });
    const names = this.#byFid.get(content.fid) ?? new Set<string>();
    this.#byFid.set(content.fid, names.add(content.name));
    this.#bytes += content.size;
  }

  #unindex(content: CachedContent): void {
    const names = this.#byFid.get(content.fid);
    names?.delete(content.name);
    if (names?.size === 0) this.#byFid.delete(content.fid);
  }

  #remove(name: string, held: Held): void {
    this.#forget(name, held);
    this.#out.emit({ kind: 'file', task: 0, work: { what: 'remove', name } });
  }

  #forget(name: string, held: Held): void {
    this.#contents.delete(name);
    this.#ahead.delete(name);
    this.#unindex(held.content);
    this.#bytes -= held.content.size;
    this.#out.drop('content', name);
  }

  #write(content: CachedContent): void {
    this.#unsaved.delete(content.name);
    const { name, ...row } = content;
    this.#out.put('content', name, row);
  }
}
