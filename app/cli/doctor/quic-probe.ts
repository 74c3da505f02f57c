/**
 * Does anybody who speaks QUIC answer at an address? A packet of a version that nobody has is sent, which a server must
 * answer with the versions that it has (RFC 9000, section 6.1; the version number is one of those kept free for this,
 * section 15). No handshake, no key, no state on the server: it tells a blocked network from a wrong certificate.
 */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';

const FREE_VERSION = 0x1a2a3a4a;
/** A smaller first packet is dropped (RFC 9000, section 14.1). */
const FIRST_PACKET_BYTES = 1200;
const ID_BYTES = 8;
const TRIES_AT_MS = [0, 300, 900];
const LIMIT_MS = 2500;

export type ProbeResult = 'answers' | 'silent' | 'refused' | 'no-such-host' | 'no-network';

/**
 * Sends a QUIC packet of an unknown version to an address, and reports whether a server answers. It
 * sends the packet at most three times and gives up after `LIMIT_MS`. It never throws.
 */
export async function probeQuic(host: string, port: number): Promise<ProbeResult> {
  let found: { address: string; family: number };
  try {
    found = await lookup(host);
  } catch {
    return 'no-such-host';
  }
  const packet = probePacket();
  const socket = createSocket(found.family === 6 ? 'udp6' : 'udp4');
  const timers: NodeJS.Timeout[] = [];
  try {
    return await new Promise<ProbeResult>((resolve) => {
      socket.on('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'no-network'),
      );
      socket.on('message', (message) => {
        if (isAnswer(message, packet)) resolve('answers');
      });
      // A connected socket gets an error if the other machine reports that no program listens.
      socket.connect(port, found.address, () => {
        for (const at of TRIES_AT_MS) {
          timers.push(setTimeout(() => socket.send(packet, () => undefined), at));
        }
      });
      timers.push(setTimeout(() => resolve('silent'), LIMIT_MS));
    });
  } finally {
    timers.forEach(clearTimeout);
    socket.close();
  }
}

function probePacket(): Buffer {
  const packet = Buffer.alloc(FIRST_PACKET_BYTES);
  packet[0] = 0b1100_0000;
  packet.writeUInt32BE(FREE_VERSION, 1);
  packet[5] = ID_BYTES;
  randomBytes(ID_BYTES).copy(packet, 6);
  packet[6 + ID_BYTES] = ID_BYTES;
  randomBytes(ID_BYTES).copy(packet, 7 + ID_BYTES);
  return packet;
}

/** A version negotiation packet that gives our own id back. */
function isAnswer(message: Buffer, packet: Buffer): boolean {
  if (message.length < 7 + 2 * ID_BYTES || (message[0] ?? 0) < 0x80) return false;
  if (message.readUInt32BE(1) !== 0) return false;
  const ours = packet.subarray(7 + ID_BYTES, 7 + 2 * ID_BYTES);
  return message[5] === ID_BYTES && message.subarray(6, 6 + ID_BYTES).equals(ours);
}
