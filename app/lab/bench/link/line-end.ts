/**
 * One end of a line that is measured, a process of its own.
 *
 *   line-end.ts receive HOST                       says its port; when its input ends, what came
 *   line-end.ts send HOST PORT BYTES RATE MS       so many bytes of payload each, with RATE bytes of them a second, for so long
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { percentile, type Received } from './received.ts';

const STAMP_BYTES = 8;
const BUFFER_BYTES = 4 * 1024 * 1024;
const TICK_MS = 1;
/** The first ones may pass in a burst: the rate is that of those that follow. */
const OPENING = 4;

async function receive(host: string): Promise<void> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: BUFFER_BYTES });
  const arrivals: number[] = [];
  const took: number[] = [];
  let payload = 0;
  socket.on('message', (datagram) => {
    const now = process.hrtime.bigint();
    if (arrivals.length >= OPENING) payload += datagram.length;
    arrivals.push(Number(now) / 1e9);
    took.push(Number(now - datagram.readBigUInt64LE()) / 1e6);
  });
  socket.bind(0, host);
  await once(socket, 'listening');
  process.stdout.write(`${JSON.stringify({ port: socket.address().port })}\n`);
  process.stdin.resume();
  await once(process.stdin, 'end');
  socket.close();
  // A queue takes its time to fill.
  const settled = took.slice(took.length >> 1).sort((a, b) => a - b);
  const received: Received = {
    packets: Math.max(0, arrivals.length - OPENING),
    payload,
    seconds: (arrivals.at(-1) ?? 0) - (arrivals[OPENING - 1] ?? 0),
    tookMs: percentile(settled, 0.5),
    slowestMs: percentile(settled, 0.99),
  };
  process.stdout.write(`${JSON.stringify(received)}\n`);
}

async function send(
  host: string,
  port: number,
  bytes: number,
  rate: number,
  ms: number,
): Promise<void> {
  const socket = createSocket({ type: 'udp4', sendBufferSize: BUFFER_BYTES });
  const began = performance.now();
  for (let sent = 0; ;) {
    const since = performance.now() - began;
    if (since >= ms) break;
    for (const due = ((since / 1000) * rate) / bytes; sent < due; sent++) {
      const datagram = Buffer.alloc(bytes);
      datagram.writeBigUInt64LE(process.hrtime.bigint());
      socket.send(datagram, port, host);
    }
    await wait(TICK_MS);
  }
  socket.close();
}

const [role, host = '', ...numbers] = process.argv.slice(2);
const [port = 0, bytes = STAMP_BYTES, rate = 0, ms = 0] = numbers.map(Number);
await (role === 'receive' ? receive(host) : send(host, port, bytes, rate, ms));
