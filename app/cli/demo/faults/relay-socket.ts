/** A UDP socket for what stands in between on loopback. */
import { createSocket, type Socket } from 'node:dgram';

/** What arrives while the event loop is busy waits here instead of being lost. */
const BUFFER_BYTES = 4 * 1024 * 1024;

export function makeSocket(): Socket {
  const socket = createSocket({
    type: 'udp4',
    recvBufferSize: BUFFER_BYTES,
    sendBufferSize: BUFFER_BYTES,
  });
  // A datagram that can't be sent is a datagram that is lost.
  socket.on('error', () => undefined);
  return socket;
}
