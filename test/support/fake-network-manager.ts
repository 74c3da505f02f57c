/**
 * A private D-Bus with a stand-in for NetworkManager: of it just the properties that the daemon reads, and their signals. The bus is the
 * real `dbus-daemon`; where there is none, nothing of this can be tried.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type MessageBus } from 'dbus-native';

const SERVICE = 'org.freedesktop.NetworkManager';
const MANAGER = '/org/freedesktop/NetworkManager';

/** Whether this machine has a dbus-daemon. */
export const HAS_DBUS = spawnSync('dbus-daemon', ['--version']).status === 0;

export interface Connection {
  readonly id: string;
  readonly type: string;
  readonly metered: number;
  readonly device: string;
}

type Properties = Readonly<Record<string, readonly [signature: string, value: unknown]>>;

/** A dbus-daemon of its own. */
export class PrivateBus {
  readonly folder = mkdtempSync(join(tmpdir(), 'godwit-dbus-'));
  readonly address = `unix:path=${join(this.folder, 'bus')}`;
  #daemon: ChildProcess | null = null;

  async start(): Promise<void> {
    const config = join(this.folder, 'bus.conf');
    writeFileSync(
      config,
      `<busconfig><type>system</type><listen>${this.address}</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*"/><allow eavesdrop="false"/>
      <allow receive_sender="*"/><allow own="*"/></policy></busconfig>`,
    );
    const args = ['--nofork', '--print-address=1', `--config-file=${config}`];
    const daemon = spawn('dbus-daemon', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#daemon = daemon;
    await once(daemon.stdout, 'data');
  }

  async stop(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = null;
    if (daemon === null) return;
    const ended = once(daemon, 'exit');
    daemon.kill('SIGKILL');
    await ended;
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The properties of NetworkManager on a private bus. */
export class FakeNetworkManager {
  readonly #bus: MessageBus;
  #count = 0;

  private constructor(bus: MessageBus) {
    this.#bus = bus;
  }

  static async on(address: string): Promise<FakeNetworkManager> {
    const bus = createClient({ busAddress: address, authMethods: ['EXTERNAL'], timeout: 0 });
    // What is asked of it while it leaves.
    bus.connection.on('error', () => undefined);
    const manager = new FakeNetworkManager(bus);
    manager.is(null);
    await bus.requestName(SERVICE, 0);
    return manager;
  }

  /** Puts the machine on this connection, or on none for null. */
  is(connection: Connection | null): void {
    this.#count += 1;
    const active = `${MANAGER}/ActiveConnection/${this.#count}`;
    const device = `${MANAGER}/Devices/1`;
    const primary = connection === null ? '/' : active;
    const { id = '', type = '', metered = 0, device: port = '' } = connection ?? {};
    const objects: Readonly<Record<string, readonly [string, Properties]>> = {
      [MANAGER]: [
        SERVICE,
        {
          PrimaryConnection: ['o', primary],
          PrimaryConnectionType: ['s', type],
          Metered: ['u', metered],
        },
      ],
      [active]: [`${SERVICE}.Connection.Active`, { Id: ['s', id], Devices: ['ao', [device]] }],
      [device]: [`${SERVICE}.Device`, { Interface: ['s', port] }],
    };
    for (const [path, [of, properties]] of Object.entries(objects))
      this.#show(path, of, properties);
    const changed = [['PrimaryConnection', ['o', primary]]];
    this.#bus.sendSignal(
      MANAGER,
      'org.freedesktop.DBus.Properties',
      'PropertiesChanged',
      'sa{sv}as',
      [SERVICE, changed, []],
    );
  }

  #show(path: string, of: string, properties: Properties): void {
    const entries = Object.entries(properties);
    const values = Object.fromEntries(entries.map(([name, [, value]]) => [name, value]));
    const signatures = Object.fromEntries(entries.map(([name, [signature]]) => [name, signature]));
    this.#bus.exportInterface(values, path, { name: of, properties: signatures });
  }

  async leave(): Promise<void> {
    await this.#bus.close();
  }
}
