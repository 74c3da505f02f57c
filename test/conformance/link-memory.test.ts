/** The Link port in memory: the common suite, in a world of one network with a rate. */
import type { Identity, TransportHandler } from '../../shared/ports/transport.ts';
import { simulatedIdentity } from '../../app/lab/simulator/net/identity.ts';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { MemoryTransport } from '../../app/lab/simulator/net/memory-transport.ts';
import { MemoryNetwork } from '../../app/lab/simulator/net/memory-network.ts';
import { World } from '../../app/lab/simulator/world.ts';
import type {
  EndpointSettings,
  TransportHarness,
  Place,
  TestEndpoint,
  Way,
} from './transport-harness.ts';
import { linkConformance } from './link.suite.ts';

class MemoryHarness implements TransportHarness {
  readonly bulk = 1024 * 1024;
  readonly #world = new World(1);
  readonly #network = new MemoryNetwork(this.#world.time, {
    delayMs: 5,
    bytesPerSecond: 4_000_000,
  });
  readonly #links: MemoryTransport[] = [];

  endpoint(handler: TransportHandler, settings: EndpointSettings = {}): TestEndpoint {
    const host = settings.isElsewhere === true ? '10.0.0.2' : '10.0.0.1';
    const disk = new MemoryDisk();
    const identity = settings.identity ?? this.newIdentity(`endpoint ${this.#links.length}`);
    const maxHeaderBytes = settings.maxHeaderBytes ?? 4096;
    const spool = '/spool';
    const link = new MemoryTransport(this.#network, {
      host,
      disk,
      identity,
      spool,
      handler,
      maxHeaderBytes,
      ...(settings.partialFrom === undefined ? {} : { partialFrom: settings.partialFrom }),
      ...(settings.strangers === undefined ? {} : { strangers: settings.strangers }),
    });
    this.#links.push(link);
    return {
      link,
      identity,
      host,
      writeFile: (name, bytes) => {
        disk.write(`/files/${name}`, bytes);
        return `/files/${name}`;
      },
      readFile: (path) => disk.read(path),
      spooled: () => disk.list(spool),
    };
  }

  newIdentity(name: string): Identity {
    return simulatedIdentity(name);
  }

  way(from: TestEndpoint, at: Place): Promise<Way> {
    const network = this.#network;
    return Promise.resolve({
      at,
      cutBack: () => network.cutOneWay(at.host, from.host),
      mend: () => network.heal(at.host, from.host),
    });
  }

  freePort(): Promise<number> {
    return Promise.resolve(this.#network.freePort());
  }

  now(): number {
    return this.#world.time.now();
  }

  until(holds: () => boolean, what: string): Promise<void> {
    return this.#world.runUntil(holds, what);
  }

  settled<T>(promise: Promise<T>): Promise<T> {
    return this.#world.runFor(promise, 'the promise');
  }

  async cleanUp(): Promise<void> {
    await this.settled(Promise.all(this.#links.map((link) => link.shutdown())));
  }
}

linkConformance('in memory', () => new MemoryHarness());
