/**
 * One end of a connection: its calls, and the events for their handler.
 *
 * Invariants:
 * 1. The handler is called from events only, never from inside a call of the Link's user.
 * 2. After `closed` no event of the connection comes; every open call got `aborted` before.
 * 3. A call gets one ending. A caller's is the complete reply, a responder's that its reply has arrived whole.
 */
import { assert } from '../../../../shared/util/assert.ts';
import { KEEP_PARTIAL, MOST_UNHEARD_ANSWERS } from '../../../../shared/ports/transport.ts';
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import type {
  AbortReason,
  CallId,
  CloseReason,
  ConnectionId,
  ContentSource,
  Fingerprint,
  TransportHandler,
} from '../../../../shared/ports/transport.ts';
import type { Digest } from '../../../../shared/model/vnode.ts';
import { DiskError } from '../disk/memory-disk.ts';
import { toldToPeer } from './abort-reasons.ts';
import { Call } from './call.ts';
import type { CallOwner, Endpoint } from './endpoint.ts';
import type { Lane } from './lane.ts';
import { OutgoingFrame } from './outgoing-frame.ts';
import type { FrameContent, Packet } from './outgoing-frame.ts';

/** At most 4 times a second, for a call and for a connection. */
const TELL_EVERY_MS = 250;

export interface Ends {
  /** What this end sends travels here. */
  readonly out: Lane;
  readonly back: Lane;
  /** The other end; null before the handshake made it. */
  other(): ConnectionEnd | null;
}

/** Runs the calls of one end of a connection, and tells its handler of their events. */
export class ConnectionEnd implements CallOwner {
  readonly id: ConnectionId;
  readonly endpoint: Endpoint;
  readonly #ends: Ends;
  readonly #calls = new Map<CallId, Call>();
  /** Of ended calls as well: what was sent on them may still be on its way. */
  readonly #callOf = new WeakMap<OutgoingFrame, Call>();
  #state: 'handshake' | 'open' | 'closed' = 'handshake';
  #sentBytes = 0;
  #receivedBytes = 0;
  #minRttMs = Number.POSITIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;
  /** What was sent on calls that a stranger may not have yet (at the caller of a real link it would not have left), or that wait for answers to be taken. */
  readonly #untaken: Packet[] = [];
  /** Bytes of replies that the other side has not acknowledged. */
  #unheard = 0;
  #isUnreadTold = false;
  /** Calls that ended with the connection, until their callers learn of it. */
  readonly #cutOff: Call[] = [];
  #closedTold = false;

  constructor(id: ConnectionId, endpoint: Endpoint, ends: Ends) {
    this.id = id;
    this.endpoint = endpoint;
    this.#ends = ends;
  }

  get state(): 'handshake' | 'open' | 'closed' {
    return this.#state;
  }

  get openCalls(): number {
    return this.#calls.size;
  }

  /** The handshake is complete. Called from an event. */
  open(about: { peer: Fingerprint; address: string; inbound: boolean }): void {
    assert(this.#state === 'handshake', 'a connection opens once');
    this.#state = 'open';
    this.#ends.out.open();
    this.tell((handler) => handler.connected(this.id, about));
  }

  /** Ends this side. The handler is called in an event of its own. */
  close(reason: CloseReason, detail: string): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#ends.out.stop();
    for (const call of [...this.#calls.values()]) {
      this.#end(call);
      this.#cutOff.push(call);
    }
    this.endpoint.time.soon(`${this.#ends.out.label} closed ${reason}`, () => {
      if (!this.endpoint.alive) return;
      this.#closedTold = true;
      this.endpoint.closed(this.id);
      const { handler } = this.endpoint.options;
      for (const call of this.#cutOff) {
        this.#handOver(call);
        handler.aborted(call.id, 'closed', 0);
      }
      handler.closed(this.id, reason, detail);
    });
  }

  /** The process is gone: silence. */
  die(): void {
    this.#state = 'closed';
    this.#ends.out.stop();
  }

  request(request: {
    priorityClass: PriorityClass;
    header: Uint8Array;
    content: ContentSource | null;
  }): CallId {
    const call = new Call(this.endpoint.nextCall(), true, request.priorityClass);
    if (this.#state === 'closed') {
      this.#cutOff.push(call);
      return call.id;
    }
    this.#begin(call);
    this.#send(call, 'request', request.header, request.content);
    return call.id;
  }

  reply(call: Call, reply: { header: Uint8Array; content: ContentSource | null }): void {
    if (call.ended || call.ours || call.outgoing !== null) return;
    this.#send(call, 'reply', reply.header, reply.content);
  }

  setClass(call: Call, priorityClass: PriorityClass): void {
    call.priorityClass = priorityClass;
    if (call.outgoing !== null) this.#ends.out.queue.setClass(call.outgoing, priorityClass);
  }

  abort(call: Call, reason: AbortReason, code: number): void {
    if (call.ended) return;
    this.#end(call);
    this.endpoint.time.soon(`${this.#ends.out.label} aborted ${reason}`, () => {
      if (this.#closedTold || !this.endpoint.alive) return;
      if (reason === 'local') this.#handOver(call);
      this.endpoint.options.handler.aborted(call.id, reason, code);
    });
    const [told, toldCode] = toldToPeer(reason, code);
    this.#ends.out.post('abort', () => {
      call.takenBack = true;
      this.#ends.other()?.abortedByPeer(call.twin, told, toldCode);
    });
  }

  /** The other side aborted it; before its request had arrived here, there is nothing to tell. */
  abortedByPeer(call: Call | null, reason: AbortReason, code: number): void {
    if (call === null || call.ended || this.#state !== 'open') return;
    this.#end(call);
    this.tell((handler) => {
      if (reason === 'peer') this.#handOver(call);
      handler.aborted(call.id, reason, code);
    });
  }

  /** From our lane: a file could not be read. */
  unreadable(frame: OutgoingFrame): void {
    const call = this.#callOf.get(frame);
    if (call !== undefined) this.abort(call, 'source', 0);
  }

  #isOpen(): boolean {
    return this.#state === 'open';
  }

  /** From the other side's lane. */
  arrived(packet: Packet): void {
    const other = this.#ends.other();
    const sender = other?.callOf(packet.frame);
    if (this.#state !== 'open' || !this.endpoint.alive) return;
    this.#receivedBytes += packet.bytes;
    this.#tellStatistics();
    if (sender === undefined || sender.takenBack || sender.twin?.ended === true) return;
    if (this.#isUntaken(packet)) return void this.#untaken.push(packet);
    // What the callee has answered already it does not take any more of.
    if (packet.frame.kind === 'request' && (sender.twin?.outgoing ?? null) !== null) return;
    if (packet.announces && !this.#announce(sender, packet.frame)) return;
    const call = sender.twin;
    // The handler may have closed the connection.
    if (call === null || !this.#isOpen()) return;
    call.receive(packet.content);
    const digest = packet.last ? this.#complete(call, packet.frame) : null;
    this.#acknowledge(sender, packet, digest);
  }

  /** Bounds the contents that leave from here, bytes a second; null: nothing does. */
  limit(bytesPerSecond: number | null): void {
    this.#ends.out.limit(bytesPerSecond);
  }

  /** Its peer is no stranger any more. */
  admitted(): void {
    this.#takeMore();
  }

  callOf(frame: OutgoingFrame): Call | undefined {
    return this.#callOf.get(frame);
  }

  /** The other side has received this much of what we sent on a call. */
  acknowledged(call: Call, packet: Packet, receivedBytes: number, digest: string | null): void {
    if (this.#state !== 'open') return;
    // One acknowledgement may be of many packets.
    this.#sentBytes += Math.max(packet.bytes, receivedBytes - call.sentBytes);
    this.#tellStatistics();
    if (call.ended) return;
    call.sentBytes = receivedBytes;
    if (!packet.last) {
      this.#tellProgress(call);
      return;
    }
    if (!call.ours) this.#end(call);
    this.tell((handler) => handler.sent(call.id, digest));
  }

  /** Calls the handler, from an event, while there is somebody to hear. */
  tell(run: (handler: TransportHandler) => void): void {
    if (this.#state === 'open' && this.endpoint.alive) run(this.endpoint.options.handler);
  }

  /** Of a call that may not begin yet: a stranger's, or one of who leaves answers lying; or that waits for its turn. */
  #isUntaken({ frame, announces }: Packet): boolean {
    if (this.#untaken.some((packet) => packet.frame === frame)) return true;
    if (!announces || frame.kind !== 'request') return false;
    if (frame.contentLength === 0 && this.#unheard > MOST_UNHEARD_ANSWERS) return true;
    const limits = this.endpoint.strangerLimits(this.id);
    if (limits === null) return false;
    const theirs = [...this.#calls.values()].filter(({ ours }) => !ours);
    return theirs.length >= limits.maxCalls;
  }

  #takeMore(): void {
    if (this.#untaken.length === 0) return;
    this.endpoint.time.soon(`${this.#ends.out.label} takes more`, () => {
      for (const packet of this.#untaken.splice(0)) this.arrived(packet);
    });
  }

  #begin(call: Call): void {
    this.#calls.set(call.id, call);
    this.endpoint.opened(call, this);
  }

  #end(call: Call): void {
    call.ended = true;
    this.#unheard -= call.unheard;
    call.unheard = 0;
    this.#calls.delete(call.id);
    if (call.outgoing !== null) this.#ends.out.queue.remove(call.outgoing);
    this.endpoint.ended(call);
    this.#takeMore();
  }

  #send(
    call: Call,
    kind: 'request' | 'reply',
    header: Uint8Array,
    source: ContentSource | null,
  ): void {
    if (header.length > this.endpoint.options.maxHeaderBytes) {
      return this.abort(call, 'too-large', 0);
    }
    const content = this.#open(source);
    if (content === 'unreadable') return this.abort(call, 'source', 0);
    call.outgoing = new OutgoingFrame(
      { kind, stream: call.stream },
      call.priorityClass,
      header,
      content,
    );
    this.#callOf.set(call.outgoing, call);
    if (kind === 'reply') {
      call.unheard = header.length;
      this.#unheard += call.unheard;
      this.#tellUnread();
    }
    this.#ends.out.push(call.outgoing);
  }

  /** Once. In an event of its own. */
  #tellUnread(): void {
    if (this.#unheard <= MOST_UNHEARD_ANSWERS || this.#isUnreadTold) return;
    this.#isUnreadTold = true;
    this.endpoint.time.soon(`${this.#ends.out.label} unread`, () => {
      this.tell((handler) => handler.unread(this.id));
    });
  }

  #open(source: ContentSource | null): FrameContent | null | 'unreadable' {
    if (source === null) return null;
    try {
      const file = this.endpoint.disk.open(source.path);
      return { file, offset: source.offset, length: source.length };
    } catch (error) {
      if (error instanceof DiskError) return 'unreadable';
      throw error;
    }
  }

  /** A header is here. False: it is not one we take. */
  #announce(sender: Call, frame: OutgoingFrame): boolean {
    const { header, contentLength } = frame;
    const limits = this.endpoint.strangerLimits(this.id) ?? this.endpoint.options;
    const isStranger = limits !== this.endpoint.options;
    if (header.length > limits.maxHeaderBytes || (isStranger && contentLength > 0)) {
      this.#refuse(sender);
      return false;
    }
    if (frame.kind === 'request') {
      const call = new Call(this.endpoint.nextCall(), false, frame.priorityClass);
      call.twin = sender;
      sender.twin = call;
      this.#begin(call);
      const { priorityClass } = frame;
      this.tell((handler) =>
        handler.incoming(this.id, call.id, { priorityClass, header, contentLength }),
      );
      return true;
    }
    const call = sender.twin;
    if (call === null || call.ended) return false;
    if (contentLength === 0) this.#end(call);
    this.tell((handler) => handler.reply(call.id, { header, contentLength }));
    return true;
  }

  /** A header over our limit: both sides get an event, if they have a call. */
  #refuse(sender: Call): void {
    if (sender.twin !== null) return this.abort(sender.twin, 'too-large', 0);
    this.#ends.out.post('refuse', () => this.#ends.other()?.abortedByPeer(sender, 'too-large', 0));
  }

  /** A frame has arrived whole; gives the digest of its content. */
  #complete(call: Call, frame: OutgoingFrame): string | null {
    if (frame.contentLength === 0) return null;
    const path = this.endpoint.spoolPath();
    const { disk } = this.endpoint;
    let digest: Digest;
    try {
      disk.write(path, call.content());
      digest = disk.digest(path);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      disk.remove(path, { missing: 'fine' });
      this.abort(call, 'spool', 0);
      return null;
    }
    if (frame.kind === 'reply') this.#end(call);
    this.tell((handler) => handler.content(call.id, { path, length: frame.contentLength, digest }));
    return digest;
  }

  /** Called in an event, just before the end of the call: the received part of its content. */
  #handOver(call: Call): void {
    const { disk, options } = this.endpoint;
    const replied = !call.ours && call.outgoing !== null;
    const length = call.held;
    if (replied || length < Math.max(options.partialFrom ?? KEEP_PARTIAL, 1)) return;
    const path = this.endpoint.spoolPath();
    try {
      disk.write(path, call.content());
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      disk.remove(path, { missing: 'fine' });
      return;
    }
    options.handler.partial(call.id, { path, length });
  }

  #acknowledge(sender: Call, packet: Packet, digest: string | null): void {
    const call = sender.twin;
    if (call === null) return;
    const { receivedBytes } = call;
    if (!packet.last && !this.#tellProgress(call)) return;
    this.#ends.out.post(
      'ack',
      () => this.#ends.other()?.acknowledged(sender, packet, receivedBytes, digest),
      sender.stream,
    );
  }

  /** True where it was time to. */
  #tellProgress(call: Call): boolean {
    const now = this.endpoint.time.now();
    if (now - call.toldAt < TELL_EVERY_MS) return false;
    call.toldAt = now;
    const { sentBytes, receivedBytes } = call;
    this.tell((handler) => handler.progress(call.id, { sentBytes, receivedBytes }));
    return true;
  }

  #tellStatistics(): void {
    const now = this.endpoint.time.now();
    if (now - this.#toldAt < TELL_EVERY_MS) return;
    this.#toldAt = now;
    const { out, back } = this.#ends;
    const rttMs = out.pipe.delayMs + out.pipe.queueingMs + back.pipe.delayMs;
    this.#minRttMs = Math.min(this.#minRttMs, out.pipe.delayMs + back.pipe.delayMs);
    const { bytesPerSecond } = out.pipe;
    this.tell((handler) =>
      handler.statistics(this.id, {
        rttMs,
        minRttMs: this.#minRttMs,
        bytesInFlight: out.pipe.queuedBytes,
        congestionWindow: Math.max(out.pipe.queuedBytes, 12_000),
        sentBytes: this.#sentBytes,
        receivedBytes: this.#receivedBytes,
        lostPackets: 0,
        bulkBytesPerSecond: Number.isFinite(bytesPerSecond) ? bytesPerSecond || null : null,
      }),
    );
  }
}
