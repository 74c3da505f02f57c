/**
 * A link in between: what clients send to its address goes to a server under the conditions of one direction, and what the server
 * sends back under those of the other. All clients share the line; the server sees each at an address of its own. It runs on
 * a thread of the addon: a busy event loop makes it no slower. Everything can be changed while it runs.
 */
import { lookup } from 'node:dns/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { CLEAR, type Conditions } from './conditions.ts';
import { nativeConditions } from './native-conditions.ts';
import { relay } from './relay-binding.ts';
import { directionOf, type LinkStatistics } from './statistics.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface RelayOptions {
  /** The server. */
  readonly to: Address;
  /** By default any port of loopback. */
  readonly listen?: Address;
  /** From clients to the server. What is left out is as in CLEAR. */
  readonly up?: Partial<Conditions>;
  /** From the server to clients. */
  readonly down?: Partial<Conditions>;
  /** What is lost by chance, and the jitter, are the same for the same seed. */
  readonly seed?: number;
}

export type Direction = 'up' | 'down';

const LOOPBACK: Address = { host: '127.0.0.1', port: 0 };
const LOOK_MS = 5;

/** Relays UDP packets between clients and a server under the conditions of a link. */
export class UdpRelay {
  readonly #id: number;
  readonly #address: Address;
  readonly #isCut = { up: false, down: false };
  #last: LinkStatistics | null = null;

  private constructor(id: number, address: Address) {
    this.#id = id;
    this.#address = address;
  }

  /**
   * A ConditionsError where conditions make no sense; an error with a code of the system where it can't listen there or a name is unknown.
   */
  static async open(options: RelayOptions): Promise<UdpRelay> {
    const { to, listen = LOOPBACK, up, down, seed = 1 } = options;
    const conditions = {
      up: nativeConditions({ ...CLEAR, ...up }),
      down: nativeConditions({ ...CLEAR, ...down }),
    };
    const targetHost = (await lookup(to.host)).address;
    const listenHost = (await lookup(listen.host)).address;
    const { id, host, port } = relay.relayOpen({
      listenHost,
      listenPort: listen.port,
      targetHost,
      targetPort: to.port,
      seed,
      ...conditions,
    });
    return new UdpRelay(id, { host, port });
  }

  /** Where clients find the server. */
  get address(): string {
    const { host, port } = this.#address;
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  }

  get port(): number {
    return this.#address.port;
  }

  /**
   * Other conditions from now on, whole ones; a direction that is left out stays as it is. What waits goes on under the new ones, what is past
   * the line arrives as it was to. Times of steps and outages begin now.
   */
  change(conditions: { readonly up?: Conditions; readonly down?: Conditions }): void {
    const { up, down } = conditions;
    relay.relayChange(
      this.#id,
      up === undefined ? null : nativeConditions(up),
      down === undefined ? null : nativeConditions(down),
    );
  }

  /** An outage until `restore`, both ways or one. */
  cut(direction: Direction | 'both' = 'both'): void {
    this.#setCut(direction, true);
  }

  restore(direction: Direction | 'both' = 'both'): void {
    this.#setCut(direction, false);
  }

  /**
   * From now on the server sees all clients at other addresses: other ports, and those of a host (of this machine) where one is given, also
   * for clients to come. What comes to the old ones is lost without a word. An error with a code of the system where that can't be.
   */
  moveClients(host: string | null = null): void {
    relay.relayMove(this.#id, host);
  }

  /** After `close`: as it was then. */
  statistics(): LinkStatistics {
    const numbers = relay.relayStatistics(this.#id);
    if (numbers === null) return this.#last as LinkStatistics;
    const { up, down, clients, moves } = numbers;
    return { up: directionOf(up), down: directionOf(down), clients, moves };
  }

  /** Resolves when so much more payload has arrived in a direction. */
  async passed(direction: Direction, payload: number, signal?: AbortSignal): Promise<void> {
    const arrived = (): number => this.statistics()[direction].arrived.payload;
    const until = arrived() + payload;
    while (arrived() < until) await wait(LOOK_MS, undefined, { signal });
  }

  /** What is under way is dropped, and the address is free when this returns. */
  close(): void {
    this.#last ??= this.statistics();
    relay.relayClose(this.#id);
  }

  #setCut(direction: Direction | 'both', isCut: boolean): void {
    if (direction !== 'down') this.#isCut.up = isCut;
    if (direction !== 'up') this.#isCut.down = isCut;
    relay.relayCut(this.#id, this.#isCut.up, this.#isCut.down);
  }
}
