/**
 * The session with the server: connect, Hello, stay, come back.
 *
 *   down -> connecting -> hello (-> epoch) -> up -> down ...      hello, up -> refused (slow retries, or none)
 *
 * epoch: the server was put back from a backup; what this means for us is being found out (recovery/epoch-change.ts).
 *
 * Invariants
 * 1. Nothing but Hello is sent before Hello has been answered.
 * 2. The next incarnation is durable before the Hello that names it, and the same pair (previous, next) is offered until an
 *    answer comes: the server may have taken the step although we never heard of it (rule I2).
 * 3. `away` means that answers come from the cache: the last attempt failed, or the first one after a loss takes too long.
 * 4. An address that a person gives is tried at once, also while another attempt is under way or delayed.
 * 5. Attempts back off, doubled each time, half of the delay being jitter; a connection that reached Hello begins anew. For a while after a session
 *    one that hears nothing is followed at once by another, and one that fails within a second: there may be no network at all just now.
 */
import { after, milliseconds, type Instant } from '../../../shared/model/time.ts';
import type { CloseReason } from '../../../shared/ports/transport.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { Liveness } from './liveness.ts';
import {
  AWAY_AFTER,
  HELLO_WAIT,
  RECONNECT_FIRST,
  RECONNECT_MOST,
  RECONNECT_REFUSED,
  SEARCH_FOR,
  SEARCH_MOST,
  SEARCH_WAITS,
} from '../../limits.ts';

export type SessionPhase = 'down' | 'connecting' | 'hello' | 'epoch' | 'up';

export interface SessionFailure {
  readonly code: ErrorCode;
  readonly detail: string;
}

/** Of a connection: times in ms, bytes since it began, the rate of what waits for nobody; null: it is not measured. */
export interface LinkStatistics {
  readonly rttMs: number | null;
  readonly baseRttMs: number | null;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly bulkBytesPerSecond: number | null;
}

const NOT_MEASURED = { rttMs: null, baseRttMs: null, bulkBytesPerSecond: null } as const;

/** Refusals that no amount of trying heals: a person has to act, and the daemon starts anew then. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'incarnation-reused',
  'epoch-changed',
  'device-revoked',
  'invitation-unknown',
  'invitation-used',
  'invitation-expired',
]);

/** Failures that pass by themselves; everything else is retried slowly. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'server-unreachable',
  'try-again',
  'server-full',
  'server-closing',
  'internal',
]);

/** Decides when to connect, to give up an attempt, and to try again. It sends nothing itself. */
export class Session {
  #phase: SessionPhase = 'down';
  /** When the next thing happens by itself: an attempt (down), or giving one up (connecting, hello). */
  #due: Instant | null = null;
  #failures = 0;
  #failure: SessionFailure | null = null;
  /** When the last session ended, or the program began. */
  #downSince: Instant;
  #attemptFailed = false;
  #stopped = false;
  #hasBeenUp = false;
  #attemptBegan: Instant;
  /** Attempts since the last session that were given up for the next one; whether the present one is to be, and is. */
  #searches = 0;
  #isSearching = false;
  #searchesOn = false;
  /** The server is at another address: the connection to the old one is being ended. */
  #turns = false;
  /** What the server refused last since its disk is full, and has taken none of since: stores, or metadata. */
  readonly #fullFor = new Set<string>();

  /** Syncing is paused by a person, over restarts too. */
  #isPaused = false;
  #wasAway = false;
  #link: LinkStatistics = { ...NOT_MEASURED, sentBytes: 0, receivedBytes: 0 };
  readonly liveness: Liveness;
  /** How far the server's clock was ahead of the one here when it last told the time, in ms; null: it has not yet. */
  clockAheadMs: number | null = null;
  /** The run of the daemon before this one, where it is known to have ended (daemon-instance.ts). */
  previousInstance: string | null = null;

  constructor(now: Instant) {
    this.liveness = new Liveness(now);
    this.#downSince = now;
    this.#attemptBegan = now;
  }

  refusedAsFull(what: string): void {
    this.#fullFor.add(what);
  }

  hadRoomFor(what: string): void {
    this.#fullFor.delete(what);
  }

  get isServerFull(): boolean {
    return this.#fullFor.size > 0;
  }

  get phase(): SessionPhase {
    return this.#phase;
  }

  get isUp(): boolean {
    return this.#phase === 'up';
  }

  get downSince(): Instant {
    return this.#downSince;
  }

  /** Why there is no session, as far as it matters to a person. */
  get failure(): SessionFailure | null {
    return this.#failure;
  }

  get isRefused(): boolean {
    return this.#failure !== null && !PASSING.has(this.#failure.code);
  }

  /** A person can do something about it: the server said no, or that its disk is full, which passes by itself when there is room. */
  get isAnswered(): boolean {
    return this.isRefused || this.#failure?.code === 'server-full';
  }

  isAway(now: Instant): boolean {
    if (this.#phase === 'up') return false;
    return this.#attemptFailed || now >= after(this.#downSince, AWAY_AFTER);
  }

  /** Whether it has become another answer since this was asked last: calls that wait are to be looked at. */
  turnsAway(now: Instant): boolean {
    if (this.isAway(now) === this.#wasAway) return false;
    this.#wasAway = !this.#wasAway;
    return true;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
  }

  /** What the transport has measured of this connection last. */
  get link(): LinkStatistics {
    return this.#link;
  }

  measured(link: LinkStatistics): void {
    this.#link = { ...link };
  }

  /** When something changes by the mere passing of time. */
  nextWake(now: Instant): Instant | null {
    const awayAt = after(this.#downSince, AWAY_AFTER);
    const turnsAway = !this.isUp && !this.isAway(now) ? awayAt : null;
    if (this.#due === null) return turnsAway;
    return turnsAway === null || this.#due < turnsAway ? this.#due : turnsAway;
  }

  start(now: Instant): void {
    this.#downSince = now;
    this.#due = now;
  }

  /** An attempt takes too long: its connection is being closed. */
  gaveUp(): void {
    this.#due = null;
    this.#searchesOn = this.#phase === 'connecting' && this.#isSearching;
  }

  /**
   * What went wrong at the old address says nothing of the new one, which is tried at once. True: the connection there is to be closed
   * first.
   */
  readdress(now: Instant): boolean {
    this.#failure = null;
    this.#failures = 0;
    this.#stopped = false;
    this.#searchesOn = false;
    this.#turns = this.#phase !== 'down';
    this.#due = this.#turns ? null : now;
    return this.#turns;
  }

  /** What is due: begin an attempt, give one up, or nothing. */
  due(now: Instant): 'connect' | 'give-up' | null {
    if (this.#stopped || this.#due === null || now < this.#due) return null;
    if (this.#phase === 'up') return null;
    return this.#phase === 'down' ? 'connect' : 'give-up';
  }

  connecting(now: Instant): void {
    this.#phase = 'connecting';
    this.#attemptBegan = now;
    this.#isSearching = this.#hasBeenUp && now < after(this.#downSince, SEARCH_FOR);
    const wait = SEARCH_WAITS[this.#searches % SEARCH_WAITS.length] ?? HELLO_WAIT;
    this.#due = after(now, this.#isSearching ? wait : HELLO_WAIT);
  }

  connected(): void {
    this.#phase = 'hello';
    if (this.#due !== null) this.#due = after(this.#attemptBegan, HELLO_WAIT);
  }

  /** Hello was accepted, by a server with a new epoch: it takes the time it takes. */
  changingEpoch(): void {
    this.#phase = 'epoch';
    this.#due = null;
  }

  helloAccepted(): void {
    this.#phase = 'up';
    this.#due = null;
    this.#failures = 0;
    this.#failure = null;
    this.#attemptFailed = false;
    this.#stopped = false;
    this.#hasBeenUp = true;
    this.#searches = 0;
  }

  /** The server refused our Hello, or what came after it; the connection is to be closed. */
  refused(failure: SessionFailure): void {
    this.#failure = failure;
  }

  closed(now: Instant, reason: CloseReason, detail: string, fraction: number): void {
    const wasUp = this.#phase === 'up';
    this.#phase = 'down';
    this.#link = { ...this.#link, ...NOT_MEASURED };
    if (wasUp) this.#downSince = now;
    if (this.#turns) {
      this.#turns = false;
      this.#failure = null;
      this.#due = now;
      return;
    }
    if (wasUp && this.#failure === null) {
      this.#attemptFailed = false;
      this.#failure = null;
      this.#due = now;
      return;
    }
    if (this.#searchesOn) {
      this.#searchesOn = false;
      this.#searches += 1;
      this.#failure ??= failureOf('unreachable', detail, null);
      this.#due = now;
      return;
    }
    this.#attemptFailed = true;
    if (this.#failure === null || PASSING.has(this.#failure.code) || reason === 'pin-mismatch') {
      this.#failure = failureOf(reason, detail, this.#failure);
    }
    this.#stopped = FINAL.has(this.#failure.code);
    this.#due = this.#stopped ? null : after(now, this.#delay(fraction));
    this.#failures += 1;
  }

  #delay(fraction: number) {
    if (this.isRefused) return RECONNECT_REFUSED;
    const most = this.#isSearching ? SEARCH_MOST : RECONNECT_MOST;
    const base = Math.min(RECONNECT_FIRST * 2 ** Math.min(this.#failures, 20), most);
    return milliseconds(base / 2 + (base / 2) * fraction);
  }
}

function failureOf(
  reason: CloseReason,
  detail: string,
  before: SessionFailure | null,
): SessionFailure {
  if (reason === 'pin-mismatch') return { code: 'wrong-fingerprint', detail };
  // A refused Hello said more than the closing of its connection does.
  if (before !== null && (reason === 'local' || reason === 'peer')) return before;
  return { code: 'server-unreachable', detail };
}
