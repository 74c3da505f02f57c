/**
 * Which devices are connected, and which of their messages are decoded: of a stranger only a few Hellos, which the first bytes of a message
 * show. The log gets one line for each connection whose messages are refused, however many they are.
 */
import type { Clock } from '../../shared/ports/clock.ts';
import type { ConnectionId, Fingerprint, StrangerLimits } from '../../shared/ports/transport.ts';
import { elapsed, type Instant } from '../../shared/model/time.ts';
import type { Log } from '../../shared/ports/log.ts';
import { rpcOf } from '../../shared/wire/codec.ts';
import { MAX_HELLO_BYTES } from '../../shared/wire/limits.ts';
import { MAX_MALFORMED, MAX_STRANGER_CALLS, STRANGERS, UNREAD_LOG_SPACING } from '../limits.ts';

/** For the Link of a server. */
export const STRANGER_LIMITS: StrangerLimits = { ...STRANGERS, maxHeaderBytes: MAX_HELLO_BYTES };

interface Peer {
  readonly fingerprint: Fingerprint;
  /** What its last Hello says. */
  name: string | null;
  /** Its Hello has succeeded. */
  isKnown: boolean;
  calls: number;
  malformed: number;
  isLogged: boolean;
}

/** `close`: it has asked for too much. `ignore`: its connection has ended, or is about to. */
export type Verdict = 'decode' | 'hello-first' | 'close' | 'ignore';

/** Tracks connected devices, and decides whether their messages are decoded. */
export class Peers {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #peers = new Map<ConnectionId, Peer>();

  /** When the log was last told of answers that a device leaves lying. */
  readonly #unread = new Map<Fingerprint, Instant>();

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  came(connection: ConnectionId, fingerprint: Fingerprint): void {
    this.#peers.set(connection, {
      fingerprint,
      name: null,
      isKnown: false,
      calls: 0,
      malformed: 0,
      isLogged: false,
    });
  }

  /** It ended, or this side ends it: what it still sends is not looked at. */
  left(connection: ConnectionId): void {
    this.#peers.delete(connection);
  }

  /** A Hello with this name of a device. */
  said(connection: ConnectionId, name: string): void {
    const peer = this.#peers.get(connection);
    if (peer !== undefined) peer.name = name;
  }

  admitted(connection: ConnectionId): void {
    const peer = this.#peers.get(connection);
    if (peer !== undefined) peer.isKnown = true;
  }

  fingerprint(connection: ConnectionId): string | undefined {
    return this.#peers.get(connection)?.fingerprint;
  }

  judge(connection: ConnectionId, header: Uint8Array): Verdict {
    const peer = this.#peers.get(connection);
    if (peer === undefined) return 'ignore';
    if (peer.isKnown) return 'decode';
    peer.calls += 1;
    if (peer.calls > MAX_STRANGER_CALLS) {
      this.refused(connection, 'too many calls before a Hello has succeeded');
      return 'close';
    }
    if (rpcOf(header) === 'Hello') return 'decode';
    this.refused(connection, 'no Hello came first');
    return 'hello-first';
  }

  /**
   * Something it sent could not be read. A request of another version is answered, as often as it comes; the others only MAX_MALFORMED times.
   * True: its connection is to be closed.
   */
  unreadable(connection: ConnectionId, header: Uint8Array, detail: string): boolean {
    this.refused(connection, detail);
    const peer = this.#peers.get(connection);
    if (peer === undefined || rpcOf(header) === null) return false;
    peer.malformed += 1;
    return peer.malformed > MAX_MALFORMED;
  }

  /** The device does not take its answers, and its requests wait until it does. The log gets a line now and then for such a device. */
  unread(connection: ConnectionId): void {
    const peer = this.#peers.get(connection);
    if (peer === undefined) return;
    const now = this.#clock.now();
    for (const [fingerprint, since] of this.#unread) {
      if (elapsed(since, now) >= UNREAD_LOG_SPACING) this.#unread.delete(fingerprint);
    }
    if (this.#unread.has(peer.fingerprint)) return;
    this.#unread.set(peer.fingerprint, now);
    this.#log.warn('a device leaves its answers unread; its requests wait', {
      connection,
      device: peer.name,
    });
  }

  /** Something it sent was refused. */
  refused(connection: ConnectionId, detail: string): void {
    const peer = this.#peers.get(connection);
    if (peer === undefined || peer.isLogged) return;
    peer.isLogged = true;
    this.#log.warn('a message was refused', { connection, detail });
  }
}
