/** The real world for the suite of the Link port: MsQuic on the loopback, files in a temporary folder. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Identity, TransportHandler } from '../../shared/ports/transport.ts';
import { generateIdentity } from '../../shared/transport/identity.ts';
import { MsquicTransport } from '../../shared/transport/msquic-transport.ts';
import { CLEAR } from '../../app/lab/shaper/conditions.ts';
import { UdpRelay } from '../../app/lab/shaper/udp-relay.ts';
import type {
  EndpointSettings,
  TransportHarness,
  Place,
  TestEndpoint,
  Way,
} from './transport-harness.ts';

export const LOOPBACK = '127.0.0.1';

/**
 * No answer of the suite gets through this while a test runs, however slow the machine is; but a packet now and then does, so that neither side gives the
 * other up: that comes after 45 s without a confirmation (settings.rs).
 */
const TRICKLE = {
  ...CLEAR,
  rate: [{ atMs: 0, bytesPerSecond: 500 }],
  queue: { bytes: 2000 },
};

interface Waiter {
  readonly holds: () => boolean;
  readonly resolve: () => void;
}

export interface RealEndpointSettings extends EndpointSettings {
  /** Connects without a certificate. */
  readonly anonymous?: boolean;
  readonly scheduling?: 'priorities' | 'uniform' | undefined;
}

export interface RealEndpoint extends TestEndpoint {
  readonly link: MsquicTransport;
  readonly spool: string;
}

export class MsquicHarness implements TransportHarness {
  readonly bulk = 48 * 1024 * 1024;
  readonly folder = mkdtempSync(join(tmpdir(), 'godwit-link-'));
  readonly #links: MsquicTransport[] = [];
  readonly #relays: UdpRelay[] = [];
  #waiters: Waiter[] = [];

  endpoint(handler: TransportHandler, settings: RealEndpointSettings = {}): RealEndpoint {
    const number = String(this.#links.length);
    const [spool, files] = [`spool-${number}`, `files-${number}`].map((name) =>
      join(this.folder, name),
    ) as [string, string];
    mkdirSync(spool);
    mkdirSync(files);
    const identity = settings.identity ?? this.newIdentity(`endpoint ${number}`);
    const link = new MsquicTransport({
      identity,
      spool,
      handler: this.#observed(handler),
      maxHeaderBytes: settings.maxHeaderBytes ?? 4096,
      ...(settings.partialFrom === undefined ? {} : { partialFrom: settings.partialFrom }),
      ...(settings.strangers === undefined ? {} : { strangers: settings.strangers }),
      scheduling: settings.scheduling ?? 'priorities',
      anonymous: settings.anonymous ?? false,
    });
    this.#links.push(link);
    return {
      link,
      identity,
      spool,
      host: LOOPBACK,
      writeFile: (name, bytes) => {
        const path = join(files, name.slice(0, 100).replaceAll('/', '_'));
        writeFileSync(path, bytes);
        return path;
      },
      readFile: (path) => readFileSync(path),
      spooled: () =>
        readdirSync(spool)
          .sort()
          .map((name) => join(spool, name)),
    };
  }

  newIdentity(name: string): Identity {
    return generateIdentity(name);
  }

  async way(_from: TestEndpoint, to: Place): Promise<Way> {
    const relay = await UdpRelay.open({ to });
    this.#relays.push(relay);
    return {
      at: { host: LOOPBACK, port: relay.port },
      cutBack: () => relay.change({ down: TRICKLE }),
      mend: () => relay.change({ down: CLEAR }),
    };
  }

  async freePort(host: string): Promise<number> {
    const socket = createSocket('udp4').bind(0, host);
    await once(socket, 'listening');
    const { port } = socket.address();
    socket.close();
    await once(socket, 'close');
    return port;
  }

  now(): number {
    return performance.now();
  }

  until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.push({ holds, resolve });
    });
  }

  settled<T>(promise: Promise<T>): Promise<T> {
    return promise;
  }

  async cleanUp(): Promise<void> {
    await Promise.all(this.#links.map((link) => link.shutdown()));
    for (const relay of this.#relays) relay.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Wraps the handler so that each of its calls checks all waiting conditions again. */
  #observed(handler: TransportHandler): TransportHandler {
    return new Proxy(handler, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): void => {
          Reflect.apply(member, target, args);
          this.#recheck();
        };
      },
    });
  }

  #recheck(): void {
    const done = this.#waiters.filter(({ holds }) => holds());
    if (done.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => !done.includes(waiter));
    for (const { resolve } of done) resolve();
  }
}
