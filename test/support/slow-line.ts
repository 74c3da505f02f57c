/**
 * A slow line to the server, on loopback: what a laptop sends waits its turn, and is dropped where too much waits already, as a
 * router does it. The way back is as fast as it is.
 */
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { makeSocket } from '../../app/cli/demo/faults/relay-socket.ts';

const LOOPBACK = '127.0.0.1';
const TICK_MS = 4;
/** What a router keeps: an eighth of a second. */
const WAITING_SHARE = 1 / 8;

export class SlowLine {
  readonly #near = makeSocket();
  /** One for each process of the laptop, by its port. */
  readonly #far = new Map<number, Socket>();
  readonly #target: { readonly host: string; readonly port: number };
  readonly #bytesPerSecond: number;
  readonly #waiting: Array<{ readonly datagram: Buffer; readonly port: number }> = [];
  readonly #waiters: Array<{ readonly until: number; readonly resolve: () => void }> = [];
  readonly #ticks: NodeJS.Timeout;
  #waitingBytes = 0;
  #mayGo = 0;
  #last = performance.now();
  #sentBytes = 0;

  private constructor(server: string, bytesPerSecond: number) {
    const cut = server.lastIndexOf(':');
    this.#target = { host: server.slice(0, cut), port: Number(server.slice(cut + 1)) };
    this.#bytesPerSecond = bytesPerSecond;
    this.#near.on('message', (datagram, { port }) => this.#arrived(datagram, port));
    this.#ticks = setInterval(() => this.#tick(), TICK_MS);
  }

  static async to(server: string, bytesPerSecond: number): Promise<SlowLine> {
    const line = new SlowLine(server, bytesPerSecond);
    line.#near.bind(0, LOOPBACK);
    await once(line.#near, 'listening');
    return line;
  }

  /** Where the laptop finds the server. */
  get address(): string {
    return `${LOOPBACK}:${this.#near.address().port}`;
  }

  /** Resolves when so many more bytes have gone through to the server. */
  passed(bytes: number): Promise<void> {
    const until = this.#sentBytes + bytes;
    return new Promise((resolve) => this.#waiters.push({ until, resolve }));
  }

  close(): void {
    clearInterval(this.#ticks);
    this.#near.close();
    for (const socket of this.#far.values()) socket.close();
  }

  #arrived(datagram: Buffer, port: number): void {
    if (this.#waitingBytes > this.#bytesPerSecond * WAITING_SHARE) return;
    this.#waitingBytes += datagram.length;
    this.#waiting.push({ datagram, port });
  }

  #tick(): void {
    const now = performance.now();
    const came = ((now - this.#last) * this.#bytesPerSecond) / 1000;
    // A process that was kept from running does not make up for all of it at once.
    this.#mayGo = Math.min(this.#mayGo + came, this.#bytesPerSecond * WAITING_SHARE);
    this.#last = now;
    while (this.#mayGo > 0) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#mayGo -= next.datagram.length;
      this.#waitingBytes -= next.datagram.length;
      this.#sentBytes += next.datagram.length;
      this.#farFor(next.port).send(next.datagram, this.#target.port, this.#target.host);
    }
    for (const { until, resolve } of this.#waiters) if (this.#sentBytes >= until) resolve();
  }

  #farFor(port: number): Socket {
    const known = this.#far.get(port);
    if (known !== undefined) return known;
    const socket = makeSocket();
    socket.on('message', (datagram) => this.#near.send(datagram, port, LOOPBACK));
    this.#far.set(port, socket);
    return socket;
  }
}
