/**
 * A network in between, on loopback: datagrams of one laptop to the server and back. It can drop everything for a while, give the
 * laptop another source address (as a new Wi-Fi does), and counts the bytes that it was given.
 */
import type { RemoteInfo, Socket } from 'node:dgram';
import { once } from 'node:events';
import type { HostPort } from '../../arguments.ts';
import { makeSocket } from './relay-socket.ts';

const LOOPBACK = '127.0.0.1';

export class UdpRelay {
  readonly #target: HostPort;
  readonly #near: Socket;
  #far: Socket | null = null;
  #laptop: RemoteInfo | null = null;
  #isCut = false;
  #upBytes = 0;
  #downBytes = 0;
  #upDatagrams = 0;
  #downDatagrams = 0;

  private constructor(near: Socket, target: HostPort) {
    this.#near = near;
    this.#target = target;
    near.on('message', (datagram, from) => this.#up(datagram, from));
  }

  static async open(target: HostPort): Promise<UdpRelay> {
    const near = makeSocket();
    near.bind(0, LOOPBACK);
    await once(near, 'listening');
    return new UdpRelay(near, target);
  }

  /** Where the laptop finds the server. */
  get address(): string {
    return `${LOOPBACK}:${this.#near.address().port}`;
  }

  /** Bytes that the laptop has sent so far, whether they were dropped or not. */
  get upBytes(): number {
    return this.#upBytes;
  }

  /** Bytes that the server has sent to the laptop so far. */
  get downBytes(): number {
    return this.#downBytes;
  }

  get upDatagrams(): number {
    return this.#upDatagrams;
  }

  get downDatagrams(): number {
    return this.#downDatagrams;
  }

  cut(): void {
    this.#isCut = true;
  }

  restore(): void {
    this.#isCut = false;
  }

  /** From now on the server sees another address. What is on its way to the old one is lost. */
  moveSource(): void {
    this.#far?.close();
    this.#far = null;
  }

  close(): void {
    this.moveSource();
    this.#near.close();
  }

  #up(datagram: Buffer, from: RemoteInfo): void {
    this.#upBytes += datagram.length;
    this.#upDatagrams += 1;
    // Another process of the laptop: it has an address of its own.
    if (this.#laptop !== null && this.#laptop.port !== from.port) this.moveSource();
    this.#laptop = from;
    if (this.#isCut) return;
    this.#far ??= this.#openFar();
    this.#far.send(datagram, this.#target.port, this.#target.host);
  }

  #openFar(): Socket {
    const far = makeSocket();
    far.on('message', (datagram) => {
      this.#downBytes += datagram.length;
      this.#downDatagrams += 1;
      const laptop = this.#laptop;
      if (this.#isCut || laptop === null) return;
      this.#near.send(datagram, laptop.port, laptop.address);
    });
    return far;
  }
}
