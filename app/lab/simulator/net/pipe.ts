/**
 * One direction between two hosts: a bottleneck of a rate with a queue before it, then a delay.
 *
 * The queue is what a sender has handed down and can't call back. The real transport keeps it short (the bulk window);
 * here it is a bound in milliseconds, so that a test can also show what a long one does. Everything before it stays
 * with its sender in order of priority. Connections that share a pipe take turns, packet by packet.
 *
 * Nothing is lost here for good: a lost packet is one that arrives later, as the transport sends it again.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { Schedule, ScheduledEvent } from '../clock/virtual-time.ts';
import type { Packet } from './outgoing-frame.ts';

export interface PathConditions {
  /** One way. */
  readonly delayMs: number;
  /** Each packet takes up to so much longer, each for itself. */
  readonly jitterMs: number;
  /** The share of packets that are lost, below 1. */
  readonly loss: number;
  /** Infinity: no bottleneck, frames travel whole. 0: nothing leaves, and nothing arrives. */
  readonly bytesPerSecond: number;
  /** What a bottleneck that was idle lets through at once, as a token bucket does; it takes as long as it saves to be ready for it again. */
  readonly burstBytes: number;
  /** How much the bottleneck's queue holds, as the time it takes to send it. */
  readonly queueMs: number;
  /** The most that travels as one behind a bottleneck, without what the transport puts around it. */
  readonly packetBytes: number;
  /** What is around each packet on the line, and takes its time there. */
  readonly overheadBytes: number;
  /** On the way back for each packet; an idle line has room for it. */
  readonly acknowledgementBytes: number;
  /** Of these, what a busy line takes: others are part of what goes there anyway. */
  readonly acknowledgementShare: number;
}

/** What a path takes in the real world. */
export const PACKET_BYTES = 1_200;

/** UDP, IP and QUIC around each packet. */
export const OVERHEAD_BYTES = 48;

export const LOCAL_NETWORK: PathConditions = {
  delayMs: 1,
  jitterMs: 0,
  loss: 0,
  bytesPerSecond: Number.POSITIVE_INFINITY,
  burstBytes: 0,
  queueMs: 50,
  packetBytes: PACKET_BYTES,
  overheadBytes: OVERHEAD_BYTES,
  acknowledgementBytes: 0,
  acknowledgementShare: 1,
};

/** An acknowledgement may wait so long at the receiver before it is sent: a sender adds it to the round trip. */
const ACKNOWLEDGED_LATE_MS = 25;
/** The wait before a packet is sent again doubles up to here. */
const LONGEST_PROBE_MS = 8_000;

/** One direction of one connection, as its pipe sees it. */
export interface Sender {
  readonly label: string;
  /** The most urgent packet, or null where there is none or it may not leave. */
  take(limit: number): Packet | null;
  /** The packet has left the bottleneck. */
  left(packet: Packet): void;
}

interface Queued {
  readonly sender: Sender;
  readonly packet: Packet;
  readonly bytes: number;
  /** Of these, not through the bottleneck yet. */
  remaining: number;
}

/** Carries packets from one host to another, at a rate, through a queue and with a delay. */
export class Pipe {
  readonly label: string;
  readonly #sends: string;
  readonly #time: Schedule;
  readonly #random: SeededRandom;
  readonly #senders: Sender[] = [];
  readonly #queue: Queued[] = [];
  #conditions: PathConditions;
  #up = true;
  #senderAsleep = false;
  #receiverAsleep = false;
  #turn = 0;
  #queuedBytes = 0;
  #carriedBytes = 0;
  /** All that went through the bottleneck, with what was around it. */
  #crossedBytes = 0;
  /** The last datagram that was handed down: what the same sender hands down in the same moment goes along while it has room. */
  #datagram: { readonly sender: Sender; readonly at: number; room: number } | null = null;
  /** Of acknowledgements that wait for the next packet. */
  #owedBytes = 0;
  /** The first of the queue on its way through the bottleneck. */
  #leaving: { readonly event: ScheduledEvent; readonly since: number } | null = null;
  /** What may go through at once; it grows while nothing is on its way through, since then. */
  #tokens = 0;
  #idleSince = Number.NEGATIVE_INFINITY;
  #woken = false;

  constructor(time: Schedule, label: string, conditions: PathConditions, random: SeededRandom) {
    this.#time = time;
    this.label = label;
    this.#sends = `${label} sends`;
    this.#conditions = conditions;
    this.#random = random;
  }

  /** What leaves now will arrive. */
  get delivers(): boolean {
    return this.#up && !this.#receiverAsleep && this.#conditions.bytesPerSecond > 0;
  }

  /** Somebody at the other end would hear of the sender. */
  get heard(): boolean {
    return this.delivers && !this.#senderAsleep;
  }

  get delayMs(): number {
    return this.#conditions.delayMs;
  }

  get bytesPerSecond(): number {
    return this.#conditions.bytesPerSecond;
  }

  /** How long a packet handed down now would wait; 0 where nobody knows. */
  get queueingMs(): number {
    const { bytesPerSecond } = this.#conditions;
    if (bytesPerSecond === 0 || bytesPerSecond === Number.POSITIVE_INFINITY) return 0;
    const remaining = this.#queue.reduce((sum, queued) => sum + queued.remaining, 0);
    const gone = (this.#sinceLeaving() * bytesPerSecond) / 1000;
    return (Math.max(remaining - gone, 0) / bytesPerSecond) * 1000;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** All that was handed down so far, headers and contents. */
  get carriedBytes(): number {
    return this.#carriedBytes;
  }

  /** The same with what the transport puts around it, where there is a bottleneck. */
  get crossedBytes(): number {
    return this.#crossedBytes;
  }

  /** A packet of the other direction has arrived here: it is acknowledged on the way back. */
  acknowledge(): void {
    const { acknowledgementBytes, acknowledgementShare } = this.#conditions;
    const isBusy = this.#queue.length > 0;
    const bytes = Math.round(acknowledgementBytes * (isBusy ? acknowledgementShare : 1));
    this.#crossedBytes += bytes;
    if (isBusy) this.#owedBytes += bytes;
  }

  set(conditions: Partial<PathConditions>): void {
    this.#stopLeaving();
    this.#takeTokens();
    this.#conditions = { ...this.#conditions, ...conditions };
    this.#leave();
    this.wake();
  }

  setUp(up: boolean): void {
    this.#up = up;
    if (up) this.wake();
  }

  setAsleep(end: 'sender' | 'receiver', asleep: boolean): void {
    if (end === 'sender') this.#senderAsleep = asleep;
    else this.#receiverAsleep = asleep;
    if (!asleep) this.wake();
  }

  join(sender: Sender): void {
    this.#senders.push(sender);
  }

  leave(sender: Sender): void {
    const at = this.#senders.indexOf(sender);
    if (at >= 0) this.#senders.splice(at, 1);
  }

  /** How long something that leaves now is on its way, sent again as often as it is lost. */
  transitMs(): number {
    const { delayMs, jitterMs, loss } = this.#conditions;
    let transit = delayMs;
    if (jitterMs > 0) transit += this.#random.fraction() * jitterMs;
    if (loss === 0) return transit;
    let probe = 2 * (delayMs + jitterMs) + ACKNOWLEDGED_LATE_MS;
    while (this.#random.chance(loss)) {
      transit += probe;
      probe = Math.min(2 * probe, LONGEST_PROBE_MS);
    }
    return transit;
  }

  /** Something may be there to send. What is queued in the same instant is sorted first. */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    this.#time.innerIn(0, this.#sends, this.#sendsNow);
  }

  readonly #sendsNow = (): void => {
    this.#woken = false;
    this.#pump();
  };

  #pump(): void {
    while (this.#up && !this.#senderAsleep && this.#hasRoom()) {
      const next = this.#next();
      if (next === null) return;
      this.#send(next.sender, next.packet);
    }
  }

  #hasRoom(): boolean {
    const { bytesPerSecond, queueMs, packetBytes } = this.#conditions;
    if (this.#queuedBytes === 0) return true;
    return this.#queuedBytes + packetBytes <= (bytesPerSecond * queueMs) / 1000;
  }

  #next(): { sender: Sender; packet: Packet } | null {
    const limit =
      this.#conditions.bytesPerSecond === Number.POSITIVE_INFINITY
        ? Number.POSITIVE_INFINITY
        : this.#conditions.packetBytes;
    for (let i = 0; i < this.#senders.length; i++) {
      this.#turn = (this.#turn + 1) % this.#senders.length;
      const sender = this.#senders[this.#turn];
      const packet = sender?.take(limit) ?? null;
      if (sender !== undefined && packet !== null) return { sender, packet };
    }
    return null;
  }

  #send(sender: Sender, packet: Packet): void {
    this.#carriedBytes += packet.bytes;
    const { bytesPerSecond } = this.#conditions;
    if (bytesPerSecond === Number.POSITIVE_INFINITY && this.#queue.length === 0) {
      return sender.left(packet);
    }
    const around = this.#goesAlong(sender, packet) ? 0 : this.#conditions.overheadBytes;
    const bytes = packet.bytes + around + this.#owedBytes;
    this.#crossedBytes += bytes - this.#owedBytes;
    this.#owedBytes = 0;
    this.#queue.push({ sender, packet, bytes, remaining: bytes });
    this.#queuedBytes += bytes;
    if (this.#leaving === null) this.#leave();
  }

  #goesAlong(sender: Sender, packet: Packet): boolean {
    const at = this.#time.now();
    const last = this.#datagram;
    packet.goesAlong =
      last !== null && last.sender === sender && last.at === at && packet.bytes <= last.room;
    if (last !== null && packet.goesAlong) last.room -= packet.bytes;
    else this.#datagram = { sender, at, room: this.#conditions.packetBytes - packet.bytes };
    return packet.goesAlong;
  }

  /** The first of the queue goes through the bottleneck. */
  #leave(): void {
    const [first] = this.#queue;
    const { bytesPerSecond } = this.#conditions;
    if (first === undefined || bytesPerSecond === 0) return;
    const spared = Math.min(this.#takeTokens(), first.remaining);
    this.#tokens -= spared;
    first.remaining -= spared;
    const takesMs = (first.remaining / bytesPerSecond) * 1000;
    const event = this.#time.innerIn(takesMs, 'packet leaves', this.#firstLeft);
    this.#leaving = { event, since: this.#time.now() };
  }

  /** What has come together while the line was idle. */
  #takeTokens(): number {
    const { burstBytes, bytesPerSecond } = this.#conditions;
    if (burstBytes === 0) return 0;
    const now = this.#time.now();
    const more = bytesPerSecond === 0 ? 0 : ((now - this.#idleSince) * bytesPerSecond) / 1000;
    this.#idleSince = now;
    this.#tokens = Math.min(this.#tokens + more, burstBytes);
    return this.#tokens;
  }

  /** One function for all packets: there are more of them than of anything else in a run. */
  readonly #firstLeft = (): void => {
    const first = this.#queue.shift();
    this.#leaving = null;
    if (first === undefined) return;
    this.#idleSince = this.#time.now();
    this.#queuedBytes -= first.bytes;
    first.sender.left(first.packet);
    this.#leave();
    this.#pump();
  };

  /** The rate changes: what is partly through has the rest still before it. */
  #stopLeaving(): void {
    const [first] = this.#queue;
    if (this.#leaving === null || first === undefined) return;
    const { bytesPerSecond } = this.#conditions;
    const passedMs = this.#sinceLeaving();
    if (passedMs > 0) first.remaining -= (passedMs * bytesPerSecond) / 1000;
    first.remaining = Math.max(first.remaining, 0);
    this.#leaving.event.cancel();
    this.#leaving = null;
    this.#idleSince = this.#time.now();
  }

  #sinceLeaving(): number {
    return this.#leaving === null ? 0 : this.#time.now() - this.#leaving.since;
  }
}
