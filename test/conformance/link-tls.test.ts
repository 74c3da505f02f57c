/** The TLS of the real link: MsQuic on the OpenSSL of Node (shared/transport/native/tls). */
import { spawn } from 'node:child_process';
import { randomBytes, X509Certificate } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GROUPS } from '../support/hellos.ts';
import { clientDatagram } from '../support/initials.ts';
import { PacketTap, type Passing } from '../support/packet-tap.ts';
import { TransportLog } from './transport-harness.ts';
import { LOOPBACK, MsquicHarness } from './link-msquic-harness.ts';
import type { RealEndpoint, RealEndpointSettings } from './link-msquic-harness.ts';

type Peer = RealEndpoint & { log: TransportLog };

const CHILD = fileURLToPath(new URL('./link-child.ts', import.meta.url));
const hello = { priorityClass: 'VALIDATE', header: Buffer.from('hello'), content: null } as const;

describe('the TLS of the MsQuic link', () => {
  let harness: MsquicHarness;
  let taps: PacketTap[];

  beforeEach(() => {
    harness = new MsquicHarness();
    taps = [];
  });
  afterEach(async () => {
    await harness.cleanUp();
    for (const tap of taps) tap.close();
  });

  function endpoint(settings?: RealEndpointSettings): Peer {
    const log = new TransportLog();
    return { ...harness.endpoint(log, settings), log };
  }

  async function serve(settings?: RealEndpointSettings): Promise<{ server: Peer; port: number }> {
    const server = endpoint(settings);
    const { port } = await server.link.listen({ host: LOOPBACK, port: 0 });
    server.log.onIncoming = ({ call }) =>
      server.link.reply(call, { header: Buffer.from('in'), content: null });
    return { server, port };
  }

  async function tapped(port: number, passing?: Passing): Promise<PacketTap> {
    const tap = await PacketTap.open(port, passing);
    taps.push(tap);
    return tap;
  }

  /** Calls once from a new client; gives how the call went. */
  async function called(server: Peer, port: number, client = endpoint()): Promise<string[]> {
    const pin = server.identity.fingerprint;
    const connection = client.link.connect({ host: LOOPBACK, port, pin });
    const call = client.link.request(connection, hello);
    await harness.until(() => client.log.hasEnded(call));
    return client.log.kinds(call);
  }

  /** Runs the client of link-child.ts with those groups, the first of which it offers a key for. */
  async function calledWithGroups(groups: string, server: Peer, port: number): Promise<unknown> {
    const config = join(harness.folder, 'openssl.cnf');
    writeFileSync(
      config,
      ['nodejs_conf = node', '[node]', 'ssl_conf = ssl', '[ssl]', 'system_default = tls']
        .concat(['[tls]', `Groups = ${groups}`, ''])
        .join('\n'),
    );
    const args = [`--openssl-config=${config}`, CHILD, 'exits', String(port)];
    const env = { ...process.env, NODE_OPTIONS: '' };
    const child = spawn(
      process.execPath,
      [...args, server.identity.fingerprint, endpoint().spool],
      { env, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let said = '';
    child.stdout.on('data', (chunk) => (said += String(chunk)));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said };
  }

  it('exchanges keys in a group that holds against quantum computers', async () => {
    const { server, port } = await serve();
    const tap = await tapped(port);
    expect(await called(server, tap.port)).toEqual(['sent', 'reply']);
    expect(tap.hellos('client')).toMatchObject([
      { groups: [GROUPS.X25519MLKEM768, GROUPS.x25519] },
    ]);
    expect(tap.hellos('server')).toMatchObject([
      { isRetry: false, groups: [GROUPS.X25519MLKEM768] },
    ]);
    // The key of that group alone is longer than what a first packet takes.
    expect(tap.handshake('client').length).toBeGreaterThan(1200);
  });

  const dropped =
    (side: 'client' | 'server', ...numbers: number[]): Passing =>
    (from, number, datagram) =>
      from === side && numbers.includes(number) ? [] : [datagram];
  let held: Buffer[] = [];
  const swapped: Passing = (from, number, datagram) => {
    if (from === 'server' || number > 2) return [datagram];
    held = [datagram, ...held];
    return number === 1 ? [] : held.splice(0);
  };

  it.each<[string, Passing]>([
    ['the first packet of the client is lost', dropped('client', 1)],
    ['the second packet of the client is lost', dropped('client', 2)],
    ['both packets of the client are lost', dropped('client', 1, 2)],
    ['the first packet of the server is lost', dropped('server', 1)],
    ['the first three packets of the server are lost', dropped('server', 1, 2, 3)],
    ['the packets of the client arrive in the other order', swapped],
    ['each packet arrives twice', (_from, _number, datagram) => [datagram, datagram]],
  ])('connects although %s', async (_what, passing) => {
    const { server, port } = await serve();
    const tap = await tapped(port, passing);
    expect(await called(server, tap.port)).toEqual(['sent', 'reply']);
  });

  it('asks a client for a key in the better group when it has offered another one', async () => {
    const { server, port } = await serve();
    const tap = await tapped(port);
    const ended = await calledWithGroups('P-384:X25519MLKEM768', server, tap.port);
    expect(ended).toEqual({ code: 0, said: 'replied\n' });
    expect(tap.hellos('client').map(({ groups }) => groups)).toEqual([
      [GROUPS.secp384r1],
      [GROUPS.X25519MLKEM768],
    ]);
    expect(tap.hellos('server')).toMatchObject([
      { isRetry: true, groups: [GROUPS.X25519MLKEM768] },
      { isRetry: false, groups: [GROUPS.X25519MLKEM768] },
    ]);
  });

  it('serves a client of before, which has no such group', async () => {
    const { server, port } = await serve();
    const tap = await tapped(port);
    const ended = await calledWithGroups('X25519:P-256', server, tap.port);
    expect(ended).toEqual({ code: 0, said: 'replied\n' });
    expect(tap.hellos('server')).toMatchObject([{ isRetry: false, groups: [GROUPS.x25519] }]);
  });

  it('offers no draft version of QUIC, for which it has no TLS', async () => {
    const { port } = await serve();
    const socket = createSocket('udp4').bind(0, LOOPBACK);
    await once(socket, 'listening');
    const packet = Buffer.alloc(1200);
    Buffer.from('c0ff00001d0801020304050607080801020304050607080044a0', 'hex').copy(packet);
    socket.send(packet, port, LOOPBACK);
    const [answer] = (await once(socket, 'message')) as [Buffer];
    socket.close();
    // A version negotiation: version 0, the two names of the connection, and the versions.
    expect(answer.readUInt32BE(1)).toBe(0);
    const offered: number[] = [];
    for (let at = 5 + 9 + 9; at + 4 <= answer.length; at += 4)
      offered.push(answer.readUInt32BE(at));
    expect(offered).toContain(1);
    expect(offered).not.toContain(0xff00001d);
  });

  it('leaves no error behind for the crypto of Node', async () => {
    const message = (): string => {
      try {
        return new X509Certificate('nonsense').subject;
      } catch (error) {
        return (error as Error).message;
      }
    };
    const before = message();
    const identity = { ...harness.newIdentity('x'), certificatePem: 'no certificate' };
    const broken = endpoint({ identity });
    await expect(broken.link.listen({ host: LOOPBACK, port: 0 })).rejects.toMatchObject({
      code: 'identity',
    });
    expect(message()).toBe(before);
  });

  it('comes to an end with a chain of certificates for which its buffer has to be doubled too often', async () => {
    const identity = harness.newIdentity('long');
    // 40 to 60 KB on the way.
    const certificatePem = identity.certificatePem.repeat(
      Math.ceil(50_000 / (new X509Certificate(identity.certificatePem).raw.length + 5)),
    );
    const { server, port } = await serve({ identity: { ...identity, certificatePem } });
    const client = endpoint();
    const pin = server.identity.fingerprint;
    const connection = client.link.connect({ host: LOOPBACK, port, pin });
    const call = client.link.request(connection, hello);
    // Whether a client takes as much is its own affair: both come to an end.
    await harness.until(() => client.log.hasEnded(call));
    const other = await serve();
    expect(await called(other.server, other.port)).toEqual(['sent', 'reply']);
  });

  it('survives hellos that have been tampered with', async () => {
    const { server, port } = await serve();
    const tap = await tapped(port);
    await called(server, tap.port);
    const whole = tap.handshake('client');
    const socket = createSocket('udp4').bind(0, LOOPBACK);
    await once(socket, 'listening');
    for (let round = 0; round < 300; round++) {
      const bytes = Buffer.from(whole);
      const at = round < 200 ? (round * 7919) % bytes.length : 0;
      // A byte is another one, or the end is missing, or its length is another one.
      if (round < 200) bytes[at] = (bytes[at] ?? 0) ^ (1 + (round % 255));
      else if (round < 250) bytes.writeUIntBE((round - 200) * 37, 1, 3);
      else bytes.fill(round, 40 + round, 80 + round);
      const id = randomBytes(8);
      const cut = 1000;
      const parts = [
        { offset: 0, bytes: bytes.subarray(0, cut) },
        { offset: cut, bytes: bytes.subarray(cut) },
      ];
      for (const [number, part] of parts.entries())
        socket.send(clientDatagram(id, number, part), port, LOOPBACK);
    }
    expect(await called(server, port)).toEqual(['sent', 'reply']);
    socket.close();
    // Who made up no connection of it saw none.
    expect(server.log.all('connected')).toHaveLength(2);
  });
});
