/**
 * A connection between two endpoints: its handshake, the two lanes, and its end.
 *
 * The handshake is TLS 1.3's: the client knows after one round trip, the server half a one later; so the client
 * hears `connected` before the server has judged its certificate. What overtakes the client's last message
 * waits for it.
 *
 * It ends at each side by itself: by a word of the other, by silence, or because it is lost (`lose`).
 */
import type { ConnectionId, ConnectOptions } from '../../../../shared/ports/transport.ts';
import type { Schedule, ScheduledEvent } from '../clock/virtual-time.ts';
import { ConnectionEnd } from './connection-end.ts';
import type { Endpoint } from './endpoint.ts';
import { Lane } from './lane.ts';
import type { Packet } from './outgoing-frame.ts';
import type { Pipe } from './pipe.ts';

/** No answer for so long ends the handshake. */
const HANDSHAKE_MS = 10_000;
/** Nothing heard for so long ends a connection (transport.md: 30 s or more for roaming). */
export const DISCONNECT_MS = 30_000;

/** What a connection needs of the network it runs through. */
export interface Wires {
  readonly time: Schedule;
  pipe(from: string, to: string): Pipe;
  listener(host: string, port: number): Listener | null;
  closed(connection: MemoryConnection): void;
  /** Somebody hears what arrives. */
  readonly tapped: boolean;
  /** A frame is about to arrive whole, or a part of its content. */
  arriving(frame: ArrivingFrame): void;
  /** Contents leave a host. */
  contentsLeft(contents: LeavingContents): void;
}

/** Bytes of contents that leave in one direction of a connection, which `lane` names. */
export interface LeavingContents {
  readonly from: string;
  readonly to: string;
  readonly lane: string;
  readonly bytes: number;
}

export interface ArrivingFrame {
  /** `part`: of a content, and not the last. */
  readonly kind: 'request' | 'reply' | 'part';
  readonly from: string;
  readonly to: string;
}

/** Who of a connection's two. */
export type Side = 'client' | 'server';

export interface Listener extends Endpoint {
  /** False: it is shut down, or its process is gone. */
  readonly accepting: boolean;
  /** False: this address has begun too often. */
  mayBegin(address: string): boolean;
  nextConnection(): ConnectionId;
  accepted(end: ConnectionEnd, connection: MemoryConnection): void;
}

/** Runs the handshake, the lanes and the end of one simulated connection. */
export class MemoryConnection {
  readonly client: ConnectionEnd;
  server: ConnectionEnd | null = null;
  readonly #wires: Wires;
  readonly #options: ConnectOptions;
  readonly #out: Lane;
  readonly #back: Lane;
  readonly hosts: readonly [client: string, server: string];
  #handshake: ScheduledEvent | null = null;
  /** When an end that hears nothing gives up. */
  readonly #silences = new Map<ConnectionEnd, ScheduledEvent>();
  /** What has arrived at the server before the handshake was complete there; null: it is. */
  #early: Packet[] | null = [];
  /** The server has heard that the client is gone. */
  #clientLeft = false;
  #lost = false;

  constructor(wires: Wires, endpoint: Endpoint, id: ConnectionId, options: ConnectOptions) {
    this.#wires = wires;
    this.#options = options;
    const [here, there] = [endpoint.host, options.host];
    this.hosts = [here, there];
    this.#out = new Lane(wires.time, wires.pipe(here, there), `${here}>${there}#${id}`, {
      arrived: (packet) => this.#arrived(packet, 'server'),
      left: (bytes) => wires.contentsLeft({ from: here, to: there, lane: this.#out.label, bytes }),
      unreadable: (frame) => this.client.unreadable(frame),
    });
    this.#back = new Lane(wires.time, wires.pipe(there, here), `${there}>${here}#${id}`, {
      arrived: (packet) => this.#arrived(packet, 'client'),
      left: (bytes) => wires.contentsLeft({ from: there, to: here, lane: this.#back.label, bytes }),
      unreadable: (frame) => this.server?.unreadable(frame),
    });
    this.#out.queue.schedule(endpoint.sending);
    const ends = { out: this.#out, back: this.#back, other: () => this.server };
    this.client = new ConnectionEnd(id, endpoint, ends);
  }

  begin(): void {
    const { time } = this.client.endpoint;
    this.#handshake = time.in(HANDSHAKE_MS, `${this.#out.label} handshake`, () => {
      this.#finish('unreachable', 'no answer to the handshake');
    });
    this.#out.post('hello', () => {
      const { host, port } = this.#options;
      const listener = this.#wires.listener(host, port);
      if (listener === null) {
        const detail = `nobody listens at ${host}:${port}`;
        this.#back.post('unreachable', () => this.#finish('unreachable', detail));
      } else this.#back.post('server hello', () => this.#judge(listener));
    });
  }

  /** One side ends the connection in good order. */
  closeFrom(end: ConnectionEnd): void {
    if (end.state === 'closed') return;
    const [lane, other] =
      end === this.client
        ? [this.#out, (): ConnectionEnd | null => this.server]
        : [this.#back, (): ConnectionEnd | null => this.client];
    end.close('local', '');
    lane.post('close', () => {
      if (end === this.client) this.#clientLeft = true;
      other()?.close('peer', '');
      this.refresh();
    });
    this.refresh();
  }

  /** The conditions may have changed: silence begins, or ends. */
  refresh(): void {
    const living = this.#ends().filter((end) => end.state === 'open' && end.endpoint.alive);
    for (const end of [...this.#silences.keys()]) {
      if (!living.includes(end)) this.#hears(end);
    }
    if (living.length === 0 && this.client.state === 'closed') return this.#wires.closed(this);
    const silent = !this.#out.heard || !this.#back.heard || living.length < 2;
    for (const end of living) {
      if (!silent) this.#hears(end);
      else if (!this.#silences.has(end)) this.#hearsNothing(end);
    }
  }

  /**
   * The machine of one end was suspended. Its timers did not count meanwhile, so silence begins anew; unless the answer
   * to its first packet is that nobody knows the connection (a stateless reset).
   */
  woken(host: string, answer: 'reset' | 'none'): void {
    for (const end of this.#ends()) {
      if (end.endpoint.host !== host) continue;
      this.#hears(end);
      const other = end === this.client ? this.server : this.client;
      if (answer === 'reset' && other?.state === 'closed')
        end.close('failed', 'the peer was reset');
    }
    this.recover();
  }

  /** Nothing arrives any more, for ever. Who notices ends it at once, the others by their silence. */
  lose(noticed: readonly Side[]): void {
    this.#lost = true;
    this.#out.kill();
    this.#back.kill();
    for (const side of noticed) this[side]?.close('failed', 'the connection was lost');
    this.refresh();
  }

  recover(): void {
    this.#out.recover();
    this.#back.recover();
    this.refresh();
  }

  /** An end's address has changed. Until `rebind` nothing gets through. */
  strand(stranded: boolean): void {
    this.#out.strand(stranded);
    this.#back.strand(stranded);
    this.refresh();
  }

  /** At the client: the server has shown its certificate. */
  #judge(listener: Listener): void {
    if (this.client.state !== 'handshake') return;
    const { fingerprint } = listener.options.identity;
    if (fingerprint !== this.#options.pin) {
      return this.#finish('pin-mismatch', `the peer is ${fingerprint}`);
    }
    this.#handshake?.cancel();
    const { host, port } = this.#options;
    this.#out.post('finish', () => this.#accept(listener));
    this.client.open({
      peer: fingerprint,
      address: `${host}:${port}`,

      inbound: false,
    });
    this.refresh();
  }

  /** At the server: the client has shown its certificate. */
  #accept(listener: Listener): void {
    const { identity } = this.client.endpoint.options;
    if (this.#clientLeft || !listener.alive) return;
    const isWelcome = identity.certificatePem !== '' && listener.mayBegin(this.hosts[0]);
    if (!isWelcome || !listener.accepting) {
      const reason = listener.accepting ? 'refused' : 'peer';
      this.#back.post('refuse', () => this.#finish(reason, 'the peer refuses us'));
      return;
    }
    const ends = { out: this.#back, back: this.#out, other: () => this.client };
    this.#back.queue.schedule(listener.sending);
    this.server = new ConnectionEnd(listener.nextConnection(), listener, ends);
    listener.accepted(this.server, this);
    const address = this.client.endpoint.host;
    this.server.open({ peer: identity.fingerprint, address, inbound: true });
    const early = this.#early ?? [];
    this.#early = null;
    for (const packet of early) this.server.arrived(packet);
    this.refresh();
  }

  #arrived(packet: Packet, at: Side): void {
    if (this.#wires.tapped && (packet.last || packet.content.length > 0)) {
      const [client, server] = this.hosts;
      const [from, to] = at === 'server' ? [client, server] : [server, client];
      this.#wires.arriving({ kind: packet.last ? packet.frame.kind : 'part', from, to });
    }
    if (this.#lost) return;
    if (!packet.goesAlong) (at === 'server' ? this.#back : this.#out).pipe.acknowledge();
    if (at === 'server' && this.#early !== null) this.#early.push(packet);
    else this[at]?.arrived(packet);
  }

  #ends(): ConnectionEnd[] {
    return [this.client, this.server].filter((end) => end !== null);
  }

  #hears(end: ConnectionEnd): void {
    this.#silences.get(end)?.cancel();
    this.#silences.delete(end);
  }

  #hearsNothing(end: ConnectionEnd): void {
    const silence = end.endpoint.time.in(DISCONNECT_MS, `${this.#out.label} silence`, () => {
      this.#silences.delete(end);
      end.close('idle', 'nothing heard');
      this.refresh();
    });
    this.#silences.set(end, silence);
  }

  #finish(reason: 'unreachable' | 'pin-mismatch' | 'refused' | 'peer', detail: string): void {
    this.#handshake?.cancel();
    this.client.close(reason, detail);
    this.refresh();
  }
}
