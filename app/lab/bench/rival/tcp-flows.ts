/** Rivals of our transport: TCP flows, each sending as much as the kernel takes, one way. The connecting side chooses the direction. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Direction } from '../delay/delay-cells.ts';
import { HEADER_BYTES, segmentsIn } from './tcp-frames.ts';

const CHUNK = Buffer.alloc(64 * 1024);
/** What a connection begins with: who is to send. */
const CALLER_SENDS = 0;
const SERVER_SENDS = 1;

/** Those that end in this network namespace, which has no other TCP. */
export class TcpFlows {
  readonly #sockets: Socket[] = [];

  /** The port at which it takes flows. */
  async listen(host: string): Promise<number> {
    const server = createServer((socket) => {
      this.#take(socket);
      socket.once('data', ([first]) => {
        if (first === SERVER_SENDS) relay(socket);
      });
    });
    await once(server.listen(0, host), 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** One flow for each way. */
  async begin(host: string, port: number, direction: Direction): Promise<void> {
    if (direction !== 'down') relay(await this.#connect(host, port, CALLER_SENDS));
    if (direction !== 'up') await this.#connect(host, port, SERVER_SENDS);
  }

  /** Bytes that have come to this end, with headers. */
  came(): number {
    const payload = this.#sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    return payload + HEADER_BYTES * segmentsIn(readFileSync('/proc/net/snmp', 'utf8'));
  }

  async #connect(host: string, port: number, who: number): Promise<Socket> {
    const socket = connect(port, host);
    await once(socket, 'connect');
    this.#take(socket);
    socket.write(Buffer.of(who));
    return socket;
  }

  /** What comes is counted, and nothing else done with it. */
  #take(socket: Socket): void {
    this.#sockets.push(socket);
    // The other end is killed when all is measured.
    socket.on('error', () => socket.destroy());
    socket.resume();
  }
}

function relay(socket: Socket): void {
  while (socket.write(CHUNK));
  socket.once('drain', () => relay(socket));
}
