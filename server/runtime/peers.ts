/**
 * Who is connected, and what of theirs is looked at: of a stranger a Hello, and a few of those, told by the first bytes of a message before anything
 * of it is decoded. A log gets one line of each connection that sends what is refused, however often it does.
 */
import type { ConnectionId, StrangerLimits } from '../../shared/ports/link.ts';
import type { Log } from '../../shared/ports/log.ts';
import { rpcOf } from '../../shared/wire/codec.ts';
import { MAX_HELLO_BYTES } from '../../shared/wire/limits.ts';
import { MAX_MALFORMED, MAX_STRANGER_CALLS, STRANGERS } from '../limits.ts';

/** For the Link of a server. */
export const STRANGER_LIMITS: StrangerLimits = { ...STRANGERS, maxHeaderBytes: MAX_HELLO_BYTES };

interface Peer {
  readonly fingerprint: string;
  /** Its Hello has succeeded. */
  isKnown: boolean;
  calls: number;
  malformed: number;
  isLogged: boolean;
}

/** `close`: it has asked for too much. `ignore`: its connection has ended, or is about to. */
export type Verdict = 'decode' | 'hello-first' | 'close' | 'ignore';

export class Peers {
  readonly #log: Log;
  readonly #peers = new Map<ConnectionId, Peer>();

  constructor(log: Log) {
    this.#log = log;
  }

  came(connection: ConnectionId, fingerprint: string): void {
    this.#peers.set(connection, {
      fingerprint,
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

  /** Something it sent was refused. */
  refused(connection: ConnectionId, detail: string): void {
    const peer = this.#peers.get(connection);
    if (peer === undefined || peer.isLogged) return;
    peer.isLogged = true;
    this.#log.warn('a message was refused', { connection, detail });
  }
}
