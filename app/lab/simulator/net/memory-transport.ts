/**
 * The Link port in memory: endpoints of one simulated world that speak with each other through its network.
 * It keeps the contract of shared/ports/transport.ts on virtual time; the same suite runs on it and on MsQuic.
 */
import { TransportError } from '../../../../shared/ports/transport.ts';
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import type {
  CallId,
  ConnectionId,
  ConnectOptions,
  ContentSource,
  EndpointOptions,
  Transport,
  ListenOptions,
  StrangerLimits,
} from '../../../../shared/ports/transport.ts';
import type { Schedule } from '../clock/virtual-time.ts';
import type { MemoryDisk } from '../disk/memory-disk.ts';
import type { Call } from './call.ts';
import type { ConnectionEnd } from './connection-end.ts';
import type { CallOwner } from './endpoint.ts';
import { MemoryConnection } from './memory-connection.ts';
import type { Listener } from './memory-connection.ts';
import { USUAL_SENDING, type Sending } from './send-queue.ts';
import type { MemoryNetwork } from './memory-network.ts';
import { Strangers } from './strangers.ts';

/** Addresses at which an endpoint of any host may listen. */
const ANY_HOST = ['0.0.0.0', '::'];

export interface MemoryEndpointOptions extends EndpointOptions {
  /** The name of the machine in the network. */
  readonly host: string;
  readonly disk: MemoryDisk;
  /** Of the machine, where that may be suspended; the network's where it never is. */
  readonly machine?: Schedule;
  /** How what it sends is ordered; left out: as usual. */
  readonly sending?: Sending;
}

interface Attached {
  readonly end: ConnectionEnd;
  readonly connection: MemoryConnection;
}

/** Implements the Transport port in memory, on virtual time. */
export class MemoryTransport implements Transport, Listener {
  readonly host: string;
  readonly disk: MemoryDisk;
  readonly options: EndpointOptions;
  readonly sending: Sending;
  readonly time: Schedule;
  readonly #network: MemoryNetwork;
  readonly #connections = new Map<ConnectionId, Attached>();
  readonly #calls = new Map<CallId, { call: Call; owner: CallOwner }>();
  readonly #strangers: Strangers | null;
  #lastConnection = 0;
  #lastCall = 0;
  #lastSpool = 0;
  #state: 'running' | 'down' | 'killed' = 'running';

  constructor(network: MemoryNetwork, options: MemoryEndpointOptions) {
    this.#network = network;
    this.options = options;
    this.#strangers = options.strangers === undefined ? null : new Strangers(options.strangers);
    this.sending = options.sending ?? USUAL_SENDING;
    this.time = options.machine ?? network.time;
    this.host = options.host;
    this.disk = options.disk;
  }

  get alive(): boolean {
    return this.#state !== 'killed';
  }

  get accepting(): boolean {
    return this.#state === 'running';
  }

  /** Calls under way: for those who look for leaks. */
  get openCalls(): number {
    return this.#calls.size;
  }

  listen({ host, port }: ListenOptions): Promise<{ host: string; port: number }> {
    if (host !== this.host && !ANY_HOST.includes(host)) {
      return Promise.reject(new TransportError('address', `${host} is no address of ${this.host}`));
    }
    const chosen = port === 0 ? this.#network.freePort() : port;
    if (!this.#network.listen(this.host, chosen, this)) {
      return Promise.reject(new TransportError('port-in-use', `${host}:${chosen} is in use`));
    }
    return Promise.resolve({ host: this.host, port: chosen });
  }

  connect(options: ConnectOptions): ConnectionId {
    const id = this.nextConnection();
    if (this.#state !== 'running') return id;
    const connection = new MemoryConnection(this.#network, this, id, options);
    this.#connections.set(id, { end: connection.client, connection });
    this.#network.opened(connection);
    connection.begin();
    return id;
  }

  request(
    connection: ConnectionId,
    request: { priorityClass: PriorityClass; header: Uint8Array; content: ContentSource | null },
  ): CallId {
    const attached = this.#connections.get(connection);
    if (attached !== undefined) return attached.end.request(request);
    const call = this.nextCall();
    if (this.#state === 'running') {
      this.time.soon(`${this.host} aborted closed`, () => {
        if (this.#state === 'running') this.options.handler.aborted(call, 'closed', 0);
      });
    }
    return call;
  }

  reply(call: CallId, reply: { header: Uint8Array; content: ContentSource | null }): void {
    const open = this.#calls.get(call);
    open?.owner.reply(open.call, reply);
  }

  setClass(call: CallId, priorityClass: PriorityClass): void {
    const open = this.#calls.get(call);
    open?.owner.setClass(open.call, priorityClass);
  }

  abort(call: CallId, code: number): void {
    const open = this.#calls.get(call);
    open?.owner.abort(open.call, 'local', code);
  }

  rebind(connection: ConnectionId): void {
    this.#connections.get(connection)?.connection.strand(false);
  }

  admit(connection: ConnectionId): void {
    if (this.#strangers?.has(connection) !== true) return;
    this.#strangers.admitted(connection);
    this.#connections.get(connection)?.end.admitted();
  }

  limit(connection: ConnectionId, bytesPerSecond: number | null): void {
    this.#connections.get(connection)?.end.limit(bytesPerSecond);
  }

  close(connection: ConnectionId): void {
    const attached = this.#connections.get(connection);
    attached?.connection.closeFrom(attached.end);
  }

  shutdown(): Promise<void> {
    if (this.#state === 'running') {
      this.#state = 'down';
      this.#network.unlisten(this);
      for (const id of [...this.#connections.keys()]) this.close(id);
    }
    return new Promise((resolve) => {
      this.time.soon(`${this.host} link is down`, resolve);
    });
  }

  /** The process crashes: neither side gets an event. */
  kill(): void {
    this.#state = 'killed';
    this.#network.unlisten(this);
    const attached = [...this.#connections.values()];
    this.#connections.clear();
    this.#calls.clear();
    for (const { end, connection } of attached) {
      end.die();
      connection.refresh();
    }
  }

  nextConnection(): ConnectionId {
    this.#lastConnection += 1;
    return this.#lastConnection;
  }

  mayBegin(address: string): boolean {
    return this.#strangers?.mayBegin(address, this.time.now()) ?? true;
  }

  accepted(end: ConnectionEnd, connection: MemoryConnection): void {
    this.#connections.set(end.id, { end, connection });
    const [address] = connection.hosts;
    for (const gone of this.#strangers?.begins(end.id, address) ?? []) this.close(gone);
  }

  strangerLimits(connection: ConnectionId): StrangerLimits | null {
    return this.#strangers?.has(connection) === true ? (this.options.strangers ?? null) : null;
  }

  nextCall(): CallId {
    this.#lastCall += 1;
    return this.#lastCall;
  }

  opened(call: Call, owner: CallOwner): void {
    this.#calls.set(call.id, { call, owner });
  }

  ended(call: Call): void {
    this.#calls.delete(call.id);
  }

  spoolPath(): string {
    for (;;) {
      this.#lastSpool += 1;
      const path = `${this.options.spool}/incoming-${this.#lastSpool}`;
      if (!this.disk.has(path)) return path;
    }
  }

  closed(connection: ConnectionId): void {
    this.#strangers?.ended(connection);
    this.#connections.delete(connection);
  }
}
