/**
 * A connection between two endpoints: its handshake, the two lanes, and its end by silence.
 *
 * The handshake is TLS 1.3's: the client knows after one round trip, the server half a one later; so the client
 * hears `connected` before the server has judged its certificate.
 */
import type { ConnectionId, ConnectOptions } from '../../../shared/ports/link.ts';
import type { ScheduledEvent, VirtualTime } from '../clock/virtual-time.ts';
import { ConnectionEnd } from './connection-end.ts';
import type { Endpoint } from './endpoint.ts';
import { Lane } from './lane.ts';
import type { Pipe } from './pipe.ts';

/** No answer for so long ends the handshake. */
const HANDSHAKE_MS = 10_000;
/** Nothing heard for so long ends a connection (transport.md: 30 s or more for roaming). */
export const DISCONNECT_MS = 30_000;

/** What a connection needs of the network it runs through. */
export interface Wires {
  readonly time: VirtualTime;
  pipe(from: string, to: string): Pipe;
  listener(host: string, port: number): Listener | null;
  closed(connection: MemoryConnection): void;
}

export interface Listener extends Endpoint {
  /** False: it is shut down, or its process is gone. */
  readonly accepting: boolean;
  nextConnection(): ConnectionId;
  accepted(end: ConnectionEnd, connection: MemoryConnection): void;
}

export class MemoryConnection {
  readonly client: ConnectionEnd;
  server: ConnectionEnd | null = null;
  readonly #wires: Wires;
  readonly #options: ConnectOptions;
  readonly #out: Lane;
  readonly #back: Lane;
  #handshake: ScheduledEvent | null = null;
  #silence: ScheduledEvent | null = null;

  constructor(wires: Wires, endpoint: Endpoint, id: ConnectionId, options: ConnectOptions) {
    this.#wires = wires;
    this.#options = options;
    const [here, there] = [endpoint.host, options.host];
    this.#out = new Lane(wires.time, wires.pipe(here, there), `${here}>${there}#${id}`, {
      arrived: (packet) => this.server?.arrived(packet),
      unreadable: (frame) => this.client.unreadable(frame),
    });
    this.#back = new Lane(wires.time, wires.pipe(there, here), `${there}>${here}#${id}`, {
      arrived: (packet) => this.client.arrived(packet),
      unreadable: (frame) => this.server?.unreadable(frame),
    });
    const ends = { out: this.#out, back: this.#back, other: () => this.server };
    this.client = new ConnectionEnd(id, endpoint, ends);
  }

  get hosts(): readonly [string, string] {
    return [this.client.endpoint.host, this.#options.host];
  }

  begin(): void {
    this.#handshake = this.#wires.time.in(HANDSHAKE_MS, `${this.#out.label} handshake`, () => {
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
      other()?.close('peer', '');
      this.refresh();
    });
    this.refresh();
  }

  /** The conditions may have changed: silence begins, or ends. */
  refresh(): void {
    const ends = [this.client, this.server].filter((end) => end !== null);
    const living = ends.filter((end) => end.state === 'open' && end.endpoint.alive);
    if (living.length === 0 && this.client.state === 'closed') {
      this.#silence?.cancel();
      return this.#wires.closed(this);
    }
    const deaf = this.#out.blocked || this.#back.blocked || living.length < 2;
    if (!deaf || living.length === 0) {
      this.#silence?.cancel();
      this.#silence = null;
      return;
    }
    this.#silence ??= this.#wires.time.in(DISCONNECT_MS, `${this.#out.label} silence`, () => {
      for (const end of living) end.close('idle', 'nothing heard');
      this.refresh();
    });
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
    const resumed = isTicketOf(this.#options.ticket, fingerprint);
    const { host, port } = this.#options;
    this.#out.post('finish', () => this.#accept(listener, resumed));
    this.client.open({ peer: fingerprint, address: `${host}:${port}`, resumed, inbound: false });
    this.refresh();
  }

  /** At the server: the client has shown its certificate. */
  #accept(listener: Listener, resumed: boolean): void {
    const { identity } = this.client.endpoint.options;
    if (this.client.state === 'closed' || !listener.alive) return;
    if (identity.certificatePem === '' || !listener.accepting) {
      const reason = listener.accepting ? 'refused' : 'peer';
      this.#back.post('refuse', () => this.#finish(reason, 'the peer refuses us'));
      return;
    }
    const ends = { out: this.#back, back: this.#out, other: () => this.client };
    this.server = new ConnectionEnd(listener.nextConnection(), listener, ends);
    listener.accepted(this.server, this);
    const address = this.client.endpoint.host;
    this.server.open({ peer: identity.fingerprint, address, resumed, inbound: true });
    const ticket = ticketOf(listener.options.identity.fingerprint);
    this.#back.post('ticket', () =>
      this.client.tell((handler) => handler.ticket(this.client.id, ticket)),
    );
    this.refresh();
  }

  #finish(reason: 'unreachable' | 'pin-mismatch' | 'refused' | 'peer', detail: string): void {
    this.#handshake?.cancel();
    this.client.close(reason, detail);
    this.refresh();
  }
}

function ticketOf(fingerprint: string): Uint8Array {
  return new TextEncoder().encode(`ticket of ${fingerprint}`);
}

function isTicketOf(ticket: Uint8Array | null, fingerprint: string): boolean {
  return ticket !== null && new TextDecoder().decode(ticket) === `ticket of ${fingerprint}`;
}
