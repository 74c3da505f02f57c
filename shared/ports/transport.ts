/**
 * The Transport port: one endpoint (a daemon or a server) that speaks RPCs with others.
 *
 * One RPC is one bidirectional stream: a length-prefixed header, then content bytes where there are
 * any; the same back. Either side of a connection may begin an RPC. Headers are opaque bytes here;
 * `shared/wire` gives them a meaning. Contents never pass through JavaScript: they are read from and
 * received into files, and hashed (BLAKE3) on the way.
 *
 * Contract
 * 1. Every method returns at once; results come as handler calls, never from inside a method call.
 * 2. For each RPC the order is: `incoming` (or `reply`) -> `content` where contentLength > 0 -> done.
 *    `content` comes only when all bytes have arrived and the sender has finished in good order.
 *    A caller gets exactly one ending for a request: the reply is complete (`reply`, and `content`
 *    where there is one), or `aborted`.
 *    A callee's ending is `sent` or `aborted`. For a caller `sent` comes before `reply`. A reply given before
 *    the request's content is here ends its transfer: then no `content` follows at the callee, and no `sent` at
 *    the caller. An empty content is no content (contentLength 0, digest null).
 * 3. Strict priority between classes for what this endpoint sends; first-in first-out in one class, except that
 *    a header does not wait for the contents before it, and that contents of FETCH leave in the order in which they would be done if all of them took
 *    turns (so what is short does not wait for what is long, and nothing ends later than by turns). `setClass` takes effect on what has not left yet. A
 *    reply begins in the class of its request (as seen by the sender: the class is carried in the frame).
 *    It is an order of sending only. It does not determine what arrives first: each RPC is a stream of its own, so one that lost a
 *    packet is overtaken by others of its class, and the end of a call or connection overtakes what was sent before it.
 * 4. Ids are never reused in the life of an endpoint. A call on an id that has ended is ignored.
 * 5. After `closed(connection)` no more events come for it; each open call of it has been `aborted`
 *    (reason `closed`) before that. A request on a connection that has ended is `aborted` so too.
 * 6. A received content lies in the spool folder of the endpoint under the path given by the event;
 *    it belongs to the receiver of the event, which renames or removes it. It is not synced: durability is the
 *    receiver's task.
 * 7. Both ends present a certificate. A peer without one is refused. `connected` names the peer's
 *    fingerprint; a client whose pin does not match gets `closed` with `pin-mismatch`, and not a
 *    byte of a request is sent. No session is resumed: each connection shows anew that it has the key. The
 *    client hears `connected` before
 *    the server has judged its certificate (TLS 1.3): only a reply means that it is in.
 * 8. The part of a content that has arrived when its call ends is handed over: `partial`, once, before `aborted`, where at
 *    least `partialFrom` bytes came and could be written, and the call ends for the reason `closed`, `local` or `peer`. It is a
 *    prefix without holes that lacks one byte at least, and a file as in 6. Less than that, and the parts of calls that end otherwise or that were replied
 *    to, the Transport removes.
 * 9. Where the endpoint has `strangers`, a connection that another began is a stranger until `admit`, with those limits: a longer
 *    header, or any content, ends its call (`too-large` for the caller; the callee gets no event), and calls beyond those it may have at a
 *    time wait at the caller. Where one more stranger comes than there may be, of all or of one address, the oldest is closed. An address that
 *    begins too often is refused. What a stranger sends costs the endpoint no more than that.
 * 10. After `close(connection)` no `incoming` without content comes for it: what is in the way of the end is dropped, not worked off. Of calls that are
 *    dropped so nothing is told.
 * 11. Of who leaves answers lying no `incoming` without content comes: while headers of replies on a connection that the other side has not acknowledged
 *    take more than MOST_UNHEARD_ANSWERS, its requests wait, with the bound that their bytes have; but those told at one go with the last one do not.
 *    They come when it has taken some. Other connections go on.
 *    The first time that happens on a connection is told: `unread`.
 * 12. After `limit(connection, rate)` no more bytes of contents leave on it in any time of `t` seconds than `rate * t + limitBurst(rate)`, of all classes together
 *    and in the order of 3; what is sent again after a loss does not count. Headers don't wait for it. It holds at once, also for what is under way. null: no
 *    limit, as at the beginning.
 */
import type { PriorityClass } from '../model/priority-class.ts';

export type ConnectionId = number;
export type CallId = number;

/** Lower-case hex SHA-256 of the peer's certificate in DER form: 64 characters. */
export type Fingerprint = string;

/** A device's or a server's key and self-signed certificate, PEM. */
export interface Identity {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  readonly fingerprint: Fingerprint;
}

/** Part of a local file that is to be sent: read from `offset`, `length` bytes. */
export interface ContentSource {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

/** The first `length` bytes of a content that will not arrive whole. */
export interface PartialContent {
  readonly path: string;
  readonly length: number;
}

/** A shorter part is not kept, for sending it again is cheaper than asking for the rest. Bytes. */
export const KEEP_PARTIAL = 64 * 1024;

/** Contract 11, bytes: more than a long line holds, and a few of the longest. `link/lanes.rs` has the same. */
export const MOST_UNHEARD_ANSWERS = 4 * 1024 * 1024;

/** Contract 12: what may leave at once after a rest, bytes. `link/limit.rs` has the same. */
export function limitBurst(bytesPerSecond: number): number {
  return Math.max(16 * 1024, bytesPerSecond / 10);
}

/** A content that has arrived whole. `digest` is lower-case hex BLAKE3-256, 64 characters. */
export interface ReceivedContent {
  readonly path: string;
  readonly length: number;
  readonly digest: string;
}

export type CloseReason =
  | 'local' // this side asked for it
  | 'peer' // the other side closed it in good order
  | 'idle' // no packet within the disconnect time-out
  | 'unreachable' // no answer to the handshake, or the host said so
  | 'refused' // the peer listens, but refused us (no certificate, protocol, too many)
  | 'pin-mismatch' // the peer's certificate is not the pinned one
  | 'failed'; // anything else; `detail` says what

export type AbortReason =
  | 'closed' // its connection ended
  | 'local' // this side aborted it
  | 'peer' // the other side aborted it; `code` is its reason
  | 'too-large' // a header over the limit
  | 'source' // the content's file could not be read in full
  | 'spool' // the spool could not be written (disk full, permissions)
  | 'protocol'; // the frame is not one of ours

/**
 * Codes of an abort by `peer` that the transport itself sends: the other side's transport could not read the content's file, or could
 * not write its spool. Codes of users stay below 0xfffffff0.
 */
export const PEER_SOURCE_FAILED = 0xffff_fff1;
export const PEER_SPOOL_FAILED = 0xffff_fff2;

export interface ConnectionStatistics {
  /** Smoothed round trip, milliseconds. */
  readonly rttMs: number;
  readonly minRttMs: number;
  readonly bytesInFlight: number;
  readonly congestionWindow: number;
  /** Totals since the connection began: UDP payload bytes. */
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly lostPackets: number;
  /** The delivery rate of contents from here, headers included, as the bulk window estimates it; null: not known yet. */
  readonly bulkBytesPerSecond: number | null;
}

/** Content bytes of one call so far: sent ones count when acknowledged by the peer. */
export interface CallProgress {
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

export interface TransportHandler {
  /** The handshake is complete. See contract 7. */
  connected(
    connection: ConnectionId,
    about: { peer: Fingerprint; address: string; inbound: boolean },
  ): void;
  closed(connection: ConnectionId, reason: CloseReason, detail: string): void;
  /** The peer begins an RPC. Answer with `reply` or `abort`. */
  incoming(
    connection: ConnectionId,
    call: CallId,
    request: { priorityClass: PriorityClass; header: Uint8Array; contentLength: number },
  ): void;
  /** The reply to a call of ours. */
  reply(call: CallId, reply: { header: Uint8Array; contentLength: number }): void;
  /** The content of an incoming request or of a reply is here, whole. */
  content(call: CallId, content: ReceivedContent): void;
  /** The content of an incoming request or of a reply is not here, whole; this much of it is. See contract 8. */
  partial(call: CallId, content: PartialContent): void;
  /** All that we sent on this call (request or reply) has been received; digest of the content sent, or null. */
  sent(call: CallId, digest: string | null): void;
  aborted(call: CallId, reason: AbortReason, code: number): void;
  progress(call: CallId, progress: CallProgress): void;
  /** At most 4 times a second for each connection, and only while something moves. */
  statistics(connection: ConnectionId, statistics: ConnectionStatistics): void;
  /** The other side leaves answers lying: see contract 11. Once for each connection. */
  unread(connection: ConnectionId): void;
}

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

export interface ConnectOptions {
  readonly host: string;
  readonly port: number;
  readonly pin: Fingerprint;
}

/** Limits of connections that a peer began and that are not admitted: see contract 9. */
export interface StrangerLimits {
  /** Of a header, bytes. */
  readonly maxHeaderBytes: number;
  /** Calls of one connection at a time. */
  readonly maxCalls: number;
  /** Connections at a time, handshakes included. */
  readonly most: number;
  /** The same of one address; of IPv6, of its first 64 bits. */
  readonly mostOfAddress: number;
  /** Connections that one address may begin at once and are not admitted, and how many a second it may begin from then on. */
  readonly atOnce: number;
  readonly perSecond: number;
}

export interface Transport {
  /**
   * Begins to accept connections. Rejects with a TransportError: `port-in-use`, `address` (not an address
   * of this machine, or no permission).
   */
  listen(options: ListenOptions): Promise<{ host: string; port: number }>;
  connect(options: ConnectOptions): ConnectionId;
  request(
    connection: ConnectionId,
    request: { priorityClass: PriorityClass; header: Uint8Array; content: ContentSource | null },
  ): CallId;
  reply(call: CallId, reply: { header: Uint8Array; content: ContentSource | null }): void;
  setClass(call: CallId, priorityClass: PriorityClass): void;
  /** Ends a call at once on both sides; `code` (0..2^32-1) is sent to the peer. */
  abort(call: CallId, code: number): void;
  /** The machine's address changed: moves the connection to the present one. */
  rebind(connection: ConnectionId): void;
  /** The peer is known: the limits for strangers end for this connection. Ignored where there are none. */
  admit(connection: ConnectionId): void;
  /** Bounds the contents that leave on it, bytes a second: see contract 12. Ignored where the connection has ended. */
  limit(connection: ConnectionId, bytesPerSecond: number | null): void;
  close(connection: ConnectionId): void;
  /** Closes everything and resolves when no event will come any more. Idempotent. */
  shutdown(): Promise<void>;
}

/** Why an endpoint could not be made, or could not listen. */
export class TransportError extends Error {
  readonly code: 'port-in-use' | 'address' | 'identity' | 'spool';
  constructor(code: TransportError['code'], message: string) {
    super(message);
    this.name = 'TransportError';
    this.code = code;
  }
}

/** What every Transport needs when it is made. `spool` must exist and be on the disk of the contents. */
export interface EndpointOptions {
  readonly identity: Identity;
  readonly spool: string;
  readonly handler: TransportHandler;
  /** Header limit in bytes, both directions. */
  readonly maxHeaderBytes: number;
  /** The shortest part of a content that is handed over (contract 8), bytes: 1 at least. Left out: KEEP_PARTIAL. */
  readonly partialFrom?: number;
  /** Left out: every connection counts as admitted. */
  readonly strangers?: StrangerLimits;
}
