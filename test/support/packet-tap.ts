/** Who is in between a client and a server: reads how their handshake begins, and decides which datagrams arrive, and when. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { hellosIn, type Hello } from './hellos.ts';
import { type CryptoFrame, InitialReader, joined } from './initials.ts';

type Side = 'client' | 'server';

/** Gives the datagrams to send now in the place of this one. `number`: of those that the side has sent, from 1. */
export type Passing = (from: Side, number: number, datagram: Buffer) => readonly Buffer[];

const ALL: Passing = (_from, _number, datagram) => [datagram];

const HOST = '127.0.0.1';

export class PacketTap {
  readonly #outside: Socket;
  readonly #inside: Socket;
  readonly #reader = new InitialReader();
  readonly #frames: Record<Side, CryptoFrame[]> = { client: [], server: [] };
  readonly #seen: Record<Side, number> = { client: 0, server: 0 };

  private constructor(outside: Socket, inside: Socket) {
    this.#outside = outside;
    this.#inside = inside;
  }

  /** For one client. `to`: the server's port on loopback. */
  static async open(to: number, passing: Passing = ALL): Promise<PacketTap> {
    const [outside, inside] = [
      createSocket('udp4').bind(0, HOST),
      createSocket('udp4').bind(0, HOST),
    ];
    await Promise.all([once(outside, 'listening'), once(inside, 'listening')]);
    const tap = new PacketTap(outside, inside);
    let client = 0;
    outside.on('message', (datagram, { port }) => {
      client = port;
      for (const each of tap.#see('client', datagram, passing)) inside.send(each, to, HOST);
    });
    inside.on('message', (datagram) => {
      for (const each of tap.#see('server', datagram, passing)) outside.send(each, client, HOST);
    });
    return tap;
  }

  get port(): number {
    return this.#outside.address().port;
  }

  /** Those of the handshake so far, each side's in order. */
  hellos(from: Side): Hello[] {
    return hellosIn(this.handshake(from));
  }

  /** What a side has sent of the handshake in Initial packets. */
  handshake(from: Side): Buffer {
    return joined(this.#frames[from]);
  }

  close(): void {
    this.#outside.close();
    this.#inside.close();
  }

  #see(from: Side, datagram: Buffer, passing: Passing): readonly Buffer[] {
    this.#frames[from].push(...this.#reader.frames(from, datagram));
    this.#seen[from] += 1;
    return passing(from, this.#seen[from], datagram);
  }
}
