/**
 * The promises this client holds, and whether they may be used (rules P1, P2).
 *
 * Invariants
 * 1. A promise is usable only before `lease end`, which counts from the *sending* of the last request that was answered. An answer that comes
 *    after that end, because this machine slept or the line was slow, begins no lease.
 * 2. When the lease has run out, every promise is dropped: the server may have dropped its own, and a later request
 *    renews the lease but brings none of them back.
 * 3. A grant at or below the highest break seen for its subject, while the request that brought it was open, is dropped:
 *    a break that overtakes the reply it voids is the normal case.
 * 4. All promises end with their connection; a new session begins with none.
 * 5. A vnode or volume is the client's own (rule S1) as long as the promise that it came with. `takeEnded` names those that were.
 * 6. A volume's promise is for the state at one commit: nothing is used under it before the cache has got there.
 */
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { Break, GrantNumber } from '../../../shared/model/callback-promise.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import { after, type Duration, type Instant } from '../../../shared/model/time.ts';
import type { RequestId } from '../events.ts';

interface SeenBreak {
  readonly upTo: GrantNumber;
  /** The youngest request that was open when it came: the last one whose reply it can void. */
  readonly relevantTo: RequestId;
}

/**
 * Keeps the callback promises of this client, the lease and the breaks seen (the limited-duration
 * promises of MFS).
 */
export class CallbackPromises {
  #leaseEnd: Instant | null = null;
  /** Promises that came as unshared (rule S1); and below, those that have ended since `takeEnded`. */
  readonly #own = new Set<Fid | VolumeId>();
  #ended: Array<Fid | VolumeId> = [];
  #fids = new Map<Fid, GrantNumber>();
  #volumes = new Map<VolumeId, GrantNumber>();
  /** Volumes whose promise is for a later state than the cache has, and for which. */
  #behind = new Map<VolumeId, CommitNumber>();
  #breaks = new Map<string, SeenBreak>();
  /** Open requests in the order of sending, with the time of it. */
  #open = new Map<RequestId, Instant>();
  /** The youngest request whose answer said that the cached vnode is the present one. */
  #confirmed = new Map<Fid, RequestId>();
  /** The youngest request whose answer knew the vnode, and gave no promise that holds: somebody is about to change it. */
  #withheld = new Map<Fid, RequestId>();
  /** The youngest request that has brought its contents. */
  #read = new Map<Fid, RequestId>();

  get leaseEnd(): Instant | null {
    return this.#leaseEnd;
  }

  get count(): number {
    return this.#fids.size + this.#volumes.size;
  }

  /** The connection is gone, or a new session begins. */
  reset(): void {
    this.#leaseEnd = null;
    this.#own.clear();
    this.#ended = [];
    this.#fids.clear();
    this.#volumes.clear();
    this.#behind.clear();
    this.#breaks.clear();
    this.#open.clear();
    this.#confirmed.clear();
    this.#withheld.clear();
    this.#read.clear();
  }

  sent(request: RequestId, now: Instant): void {
    this.#open.set(request, now);
  }

  /** A request was answered (well or badly): the server has heard us at or after its sending. */
  answered(request: RequestId, lease: Duration, now: Instant): void {
    const sentAt = this.#open.get(request);
    if (sentAt === undefined) return;
    const end = after(sentAt, lease);
    if (end <= now) return;
    if (this.#leaseEnd === null || end > this.#leaseEnd) this.#leaseEnd = end;
  }

  /** Call it when all grants of its reply have been offered. */
  ended(request: RequestId): void {
    this.#open.delete(request);
    const oldest = this.#open.keys().next();
    for (const [subject, seen] of this.#breaks) {
      if (oldest.done === true || seen.relevantTo < oldest.value) this.#breaks.delete(subject);
    }
  }

  /** Drops everything when the lease has run out. True when it did so just now. */
  expire(now: Instant): boolean {
    if (this.#leaseEnd === null || now < this.#leaseEnd) return false;
    const held = this.count > 0;
    this.#leaseEnd = null;
    this.#ended.push(...this.#own);
    this.#own.clear();
    this.#fids.clear();
    this.#volumes.clear();
    return held;
  }

  /** `isOwn`: it comes as unshared. */
  granted(fid: Fid, grant: GrantNumber | null, request: RequestId, isOwn = false): void {
    if (request > (this.#confirmed.get(fid) ?? 0)) this.#confirmed.set(fid, request);
    if (grant === null || this.#leaseEnd === null || this.#isVoidOf(fid, grant)) {
      this.#withheld.set(fid, Math.max(request, this.#withheld.get(fid) ?? 0));
      return;
    }
    if (grant > (this.#fids.get(fid) ?? 0)) this.#fids.set(fid, grant);
    if (isOwn) this.#own.add(fid);
  }

  /** `asOf`: the commit that it is for. Tell afterwards how far the cache has got (`caughtUp`). */
  grantedVolume(
    volume: VolumeId,
    grant: GrantNumber | null,
    asOf: CommitNumber,
    isOwn = false,
  ): void {
    if (grant === null || this.#leaseEnd === null) return;
    if (this.#isVoid(subjectOfVolume(volume), grant)) return;
    this.#volumes.set(volume, grant);
    if (isOwn) this.#own.add(volume);
    this.#behind.set(volume, asOf);
  }

  /** What is cached of a volume is as of this commit. */
  caughtUp(volume: VolumeId, commit: CommitNumber): void {
    if (commit >= (this.#behind.get(volume) ?? Infinity)) this.#behind.delete(volume);
  }

  /** A volume's promise waits for the cache. */
  isBehind(volume: VolumeId): boolean {
    return this.#volumes.has(volume) && this.#behind.has(volume);
  }

  broken(item: Break): void {
    const { fid, volume } = item.subject;
    const subject = fid !== undefined ? subjectOfFid(fid) : subjectOfVolume(volume);
    const youngest = lastKey(this.#open);
    if (youngest !== null) {
      const before = this.#breaks.get(subject);
      const upTo = before !== undefined && before.upTo > item.upTo ? before.upTo : item.upTo;
      this.#breaks.set(subject, { upTo, relevantTo: youngest });
    }
    if (fid !== undefined) {
      if ((this.#fids.get(fid) ?? Infinity) <= item.upTo) this.#drop(fid);
      return;
    }
    if ((this.#volumes.get(volume) ?? Infinity) <= item.upTo) this.forgetVolume(volume);
    // Grants of its vnodes are of the same series, so a break of the volume's promise need not name each of them.
    for (const [held, grant] of this.#fids) {
      if (volumeOf(held) === volume && grant <= item.upTo) this.#drop(held);
    }
  }

  /** Drops all promises for a vnode: its cached state has to be validated before its next use. */
  forget(fid: Fid): void {
    this.#drop(fid);
    this.#confirmed.delete(fid);
    this.#withheld.delete(fid);
    this.#read.delete(fid);
  }

  /**
   * Gives the promise for a vnode up (rule N3), as if it were broken: answers on their way can't bring it back. null: there is none. Call it only where
   * nothing is hidden.
   */
  giveUp(fid: Fid): GrantNumber | null {
    const grant = this.#fids.get(fid) ?? null;
    if (grant !== null) this.broken({ subject: { fid }, upTo: grant });
    this.forget(fid);
    return grant;
  }

  holdsVolume(volume: VolumeId): boolean {
    return this.#leaseEnd !== null && this.#volumes.has(volume);
  }

  forgetVolume(volume: VolumeId): void {
    this.#volumes.delete(volume);
    if (this.#own.delete(volume)) this.#ended.push(volume);
  }

  /** It is the client's own (rule S1). Call `expire` first. */
  isOwn(fid: Fid): boolean {
    return this.#own.size > 0 && (this.#own.has(fid) || this.#own.has(volumeOf(fid)));
  }

  /** Those that have ceased to be the client's own since the last call of this. */
  takeEnded(): ReadonlyArray<Fid | VolumeId> {
    if (this.#ended.length === 0) return NOTHING;
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  #drop(fid: Fid): void {
    this.#fids.delete(fid);
    if (this.#own.delete(fid)) this.#ended.push(fid);
  }

  /** What is cached of this vnode may be used without asking. Call `expire` first. */
  usable(fid: Fid): boolean {
    if (this.#leaseEnd === null) return false;
    const volume = volumeOf(fid);
    return this.#fids.has(fid) || (this.#volumes.has(volume) && !this.#behind.has(volume));
  }

  /** A request sent after `since` found the vnode as it is cached: good enough for a call that began then. */
  confirmedSince(fid: Fid, since: RequestId): boolean {
    return (this.#confirmed.get(fid) ?? 0) > since;
  }

  /** The answer to a request for its contents, which waits for what is about to change them. */
  contentsCame(fid: Fid, request: RequestId): void {
    this.#read.set(fid, Math.max(request, this.#read.get(fid) ?? 0));
  }

  /** For a call that began at `since`, no promise was given, and the contents were not asked for: they may be changing. */
  mayBeChanging(fid: Fid, since: RequestId): boolean {
    return (this.#withheld.get(fid) ?? 0) > since && (this.#read.get(fid) ?? 0) <= since;
  }

  #isVoidOf(fid: Fid, grant: GrantNumber): boolean {
    return (
      this.#isVoid(subjectOfFid(fid), grant) || this.#isVoid(subjectOfVolume(volumeOf(fid)), grant)
    );
  }

  #isVoid(subject: string, grant: GrantNumber): boolean {
    const seen = this.#breaks.get(subject);
    return seen !== undefined && grant <= seen.upTo;
  }
}

const NOTHING: ReadonlyArray<Fid | VolumeId> = [];

const subjectOfFid = (fid: Fid): string => fid;
const subjectOfVolume = (volume: VolumeId): string => `v${volume}`;

function lastKey(map: Map<RequestId, unknown>): RequestId | null {
  let last: RequestId | null = null;
  for (const key of map.keys()) last = key;
  return last;
}
