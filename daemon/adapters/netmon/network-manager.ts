/**
 * NetworkMonitor by NetworkManager, over the system's D-Bus.
 *
 * Read are five properties, and nothing is ever changed: of the manager `PrimaryConnection`, `PrimaryConnectionType` and `Metered`, of the
 * active connection `Id` and `Devices`. Each change that it signals is a reason to read them again, in one turn after another, so that no
 * signal is trusted beyond its meaning. If NetworkManager or the bus is away, the facts are `undefined`: another source may know.
 */
import { createClient, messageType, variantValue, type MessageBus } from 'dbus-native';
import type { NetworkFacts, NetworkKind } from '../../../shared/model/network.ts';
import type { TimerHandle, Timers } from '../../../shared/ports/clock.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { BUS_AGAIN, BUS_TIMEOUT } from './netmon-limits.ts';

const SERVICE = 'org.freedesktop.NetworkManager';
const MANAGER = '/org/freedesktop/NetworkManager';
const ACTIVE = `${SERVICE}.Connection.Active`;
const DEVICE = `${SERVICE}.Device`;
const PROPERTIES = 'org.freedesktop.DBus.Properties';

/** NMMetered: what it knows, and what it guesses. */
const METERED: Readonly<Record<number, readonly [boolean, string]>> = {
  1: [true, 'NetworkManager says so'],
  2: [false, 'NetworkManager says so'],
  3: [true, 'NetworkManager guesses so'],
  4: [false, 'NetworkManager guesses so'],
};

const KINDS: Readonly<Record<string, NetworkKind>> = {
  '802-3-ethernet': 'wired',
  '802-11-wireless': 'wifi',
  gsm: 'mobile',
  cdma: 'mobile',
  bluetooth: 'mobile',
};

export interface NetworkManagerParts {
  /** As D-Bus writes addresses: `unix:path=/run/dbus/system_bus_socket`. */
  readonly busAddress: string;
  readonly timers: Timers;
  readonly log: Log;
}

/** `undefined`: it can't tell. */
export type NetworkManagerSignal = (network: NetworkFacts | null | undefined) => void;

/**
 * Reads the current network from NetworkManager over D-Bus and calls back at each change; null
 * without one.
 */
export class NetworkManagerBus {
  readonly #parts: NetworkManagerParts;
  #listener: NetworkManagerSignal = () => undefined;
  #bus: MessageBus | null = null;
  #again: TimerHandle | null = null;
  #reading: Promise<void> | null = null;
  #isStale = false;
  #isClosed = false;

  constructor(parts: NetworkManagerParts) {
    this.#parts = parts;
  }

  watch(listener: NetworkManagerSignal): void {
    this.#listener = listener;
    this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#again?.cancel();
    const bus = this.#bus;
    this.#bus = null;
    await bus?.close().catch(() => undefined);
    await this.#reading;
  }

  #connect(): void {
    const { busAddress } = this.#parts;
    const bus = createClient({
      busAddress,
      timeout: BUS_TIMEOUT,
      plainValues: true,
      // The library's own Hello throws where it can't be caught when it is refused or late: ours is sent below.
      direct: true,
      authMethods: ['EXTERNAL'],
    });
    this.#bus = bus;
    bus.connection.on('error', (error) => this.#lost(bus, error));
    bus.connection.on('close', () => this.#lost(bus, null));
    bus.connection.on('message', ({ type, sender, path, interface: of, member, body }) => {
      if (type !== messageType.signal) return;
      const isOwner = member === 'NameOwnerChanged' && body?.[0] === SERVICE;
      const isManager = of === PROPERTIES && String(path).startsWith(MANAGER);
      if (sender !== undefined && (isOwner || isManager)) this.#look();
    });
    this.#subscribe(bus).then(
      () => this.#look(),
      (error: unknown) => this.#lost(bus, error),
    );
  }

  async #subscribe(bus: MessageBus): Promise<void> {
    bus.name = await bus.invokeDbus<string>({ member: 'Hello' });
    await bus.addMatch(
      `type='signal',interface='${PROPERTIES}',member='PropertiesChanged',path_namespace='${MANAGER}'`,
    );
    await bus.addMatch(
      `type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${SERVICE}'`,
    );
  }

  /** Reads once more, after the reading that is under way. */
  #look(): void {
    this.#isStale = true;
    if (this.#reading !== null) return;
    this.#reading = this.#read().finally(() => (this.#reading = null));
  }

  async #read(): Promise<void> {
    while (this.#isStale && this.#bus !== null) {
      this.#isStale = false;
      const bus = this.#bus;
      const facts = await this.#facts(bus).catch((error: unknown) => {
        this.#parts.log.debug('NetworkManager does not answer', { why: String(error) });
        return undefined;
      });
      if (!this.#isClosed && bus === this.#bus) this.#listener(facts);
    }
  }

  async #facts(bus: MessageBus): Promise<NetworkFacts | null> {
    const active = await this.#get(bus, MANAGER, SERVICE, 'PrimaryConnection');
    if (typeof active !== 'string') throw new TypeError('PrimaryConnection is no path');
    if (active === '/') return null;
    const [metered, type, name, devices] = await Promise.all([
      this.#get(bus, MANAGER, SERVICE, 'Metered'),
      this.#get(bus, MANAGER, SERVICE, 'PrimaryConnectionType'),
      this.#get(bus, active, ACTIVE, 'Id'),
      this.#get(bus, active, ACTIVE, 'Devices'),
    ]);
    if (typeof name !== 'string' || name === '') throw new TypeError('the connection has no name');
    const [counts, why] = METERED[Number(metered)] ?? [null, 'NetworkManager does not know'];
    const device = Array.isArray(devices) ? (devices[0] as unknown) : undefined;
    const port =
      typeof device === 'string' ? await this.#get(bus, device, DEVICE, 'Interface') : null;
    return {
      name,
      kind: KINDS[String(type)] ?? 'other',
      metered: counts,
      why,
      interface: typeof port === 'string' ? port : null,
      gateway: null,
    };
  }

  #get(bus: MessageBus, path: string, of: string, property: string): PromiseLike<unknown> {
    return bus
      .invoke<unknown>({
        destination: SERVICE,
        path,
        interface: PROPERTIES,
        member: 'Get',
        signature: 'ss',
        body: [of, property],
      })
      .then((value) => variantValue(value));
  }

  /** The bus is away: tried again after a while. */
  #lost(bus: MessageBus, error: unknown): void {
    if (bus !== this.#bus) return;
    this.#bus = null;
    if (this.#isClosed) return;
    if (error !== null) this.#parts.log.debug('no D-Bus', { why: (error as Error).message });
    this.#listener(undefined);
    this.#again = this.#parts.timers.start(BUS_AGAIN, () => this.#connect());
  }
}
