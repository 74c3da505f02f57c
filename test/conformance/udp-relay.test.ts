/** The relay between real sockets: which packets get through, and from which address. It does not check speed. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CLEAR, ConditionsError } from '../../app/lab/shaper/conditions.ts';
import type { LinkStatistics } from '../../app/lab/shaper/statistics.ts';
import { UdpRelay, type RelayOptions } from '../../app/lab/shaper/udp-relay.ts';

const LOOPBACK = '127.0.0.1';
const HEADERS = 42;
/** Conditions under which no packet leaves before the test is over. */
const STANDING = { rate: [{ atMs: 0, bytesPerSecond: 1 }], queue: { bytes: 1000 } };

let sockets: Socket[];
let server: Socket;
let laptop: Socket;
let relay: UdpRelay | null;

async function bound(): Promise<Socket> {
  const socket = createSocket('udp4');
  sockets.push(socket);
  socket.bind(0, LOOPBACK);
  await once(socket, 'listening');
  return socket;
}

beforeEach(async () => {
  sockets = [];
  [server, laptop] = [await bound(), await bound()];
});
afterEach(() => {
  for (const socket of sockets) socket.close();
  relay?.close();
  relay = null;
});

async function open(options: Omit<RelayOptions, 'to'> = {}): Promise<UdpRelay> {
  relay = await UdpRelay.open({ to: { host: LOOPBACK, port: server.address().port }, ...options });
  return relay;
}

function send(text: string, from = laptop): void {
  from.send(text, relay?.port, LOOPBACK);
}

async function next(socket: Socket): Promise<{ text: string; from: RemoteInfo }> {
  const [datagram, from] = (await once(socket, 'message')) as [Buffer, RemoteInfo];
  return { text: datagram.toString(), from };
}

/** Sends a text. Resolves with what the server receives, and from which address. */
async function sent(text: string, from = laptop): Promise<{ text: string; from: RemoteInfo }> {
  const arrived = next(server);
  send(text, from);
  return arrived;
}

async function until(holds: (statistics: LinkStatistics) => boolean): Promise<LinkStatistics> {
  for (;;) {
    const statistics = relay?.statistics();
    if (statistics !== undefined && holds(statistics)) return statistics;
    await new Promise(setImmediate);
  }
}

describe('a UDP relay', () => {
  it('carries datagrams both ways and counts them with and without headers', async () => {
    await open();
    const { text, from } = await sent('hello');
    expect(text).toBe('hello');
    const back = next(laptop);
    server.send('answer', from.port, from.address);
    expect((await back).text).toBe('answer');
    const { up, down, clients, moves } = await until((now) => now.down.arrived.packets === 1);
    expect(up.offered).toEqual({ packets: 1, bytes: 5 + HEADERS, payload: 5 });
    expect(up.arrived).toEqual(up.offered);
    expect(down.arrived).toEqual({ packets: 1, bytes: 6 + HEADERS, payload: 6 });
    expect({ clients, moves }).toEqual({ clients: 1, moves: 0 });
  });

  it('keeps the order of many datagrams under a rate, a delay and jitter', async () => {
    const rate = [{ atMs: 0, bytesPerSecond: 1_000_000 }];
    await open({ up: { rate, delayMs: 5, jitterMs: 5 } });
    const got: string[] = [];
    const all = new Promise<void>((resolve) => {
      server.on('message', (datagram) => {
        if (got.push(datagram.toString()) === 200) resolve();
      });
    });
    const given = Array.from({ length: 200 }, (_, index) => `datagram ${index}`);
    for (const text of given) send(text);
    await all;
    expect(got).toEqual(given);
  });

  it('gives each client an address of its own', async () => {
    await open();
    const other = await bound();
    const mine = await sent('mine');
    const theirs = await sent('theirs', other);
    expect(theirs.from.port).not.toBe(mine.from.port);
    const back = [next(laptop), next(other)] as const;
    server.send('to you', theirs.from.port, LOOPBACK);
    server.send('to me', mine.from.port, LOOPBACK);
    expect((await back[0]).text).toBe('to me');
    expect((await back[1]).text).toBe('to you');
  });

  it('supports IPv6 with its longer headers', async () => {
    const [server6, laptop6] = [createSocket('udp6'), createSocket('udp6')];
    sockets.push(server6, laptop6);
    server6.bind(0, '::1');
    await once(server6, 'listening');
    const to = { host: '::1', port: server6.address().port };
    relay = await UdpRelay.open({ to, listen: { host: '::1', port: 0 } });
    expect(relay.address).toBe(`[::1]:${relay.port}`);
    laptop6.send('hello', relay.port, '::1');
    const { from } = await next(server6);
    const back = next(laptop6);
    server6.send('answer', from.port, from.address);
    expect((await back).text).toBe('answer');
    const { up, down } = relay.statistics();
    expect([up.arrived.bytes, down.arrived.bytes]).toEqual([5 + HEADERS + 20, 6 + HEADERS + 20]);
  });

  it('forwards datagrams to a client only from the server', async () => {
    await open();
    const { from } = await sent('hello');
    (await bound()).send('a stranger', from.port, LOOPBACK);
    const back = next(laptop);
    server.send('the server', from.port, LOOPBACK);
    expect((await back).text).toBe('the server');
    expect(relay?.statistics().down.offered.packets).toBe(1);
  });

  it('drops the latest datagrams when the queue is full', async () => {
    await open({ up: STANDING });
    for (let index = 0; index < 12; index++) send('x'.repeat(100 - HEADERS));
    const { up } = await until((now) => now.up.offered.packets === 12);
    expect(up.dropped.queue).toEqual({ packets: 2, bytes: 200, payload: 2 * (100 - HEADERS) });
    expect(up.waiting.bytes).toBe(1000);
    expect(up.arrived.packets).toBe(0);
  });

  it('sends waiting datagrams under changed conditions', async () => {
    const link = await open({ up: STANDING });
    send('one');
    await until(({ up }) => up.waiting.packets === 1);
    const arrived = next(server);
    link.change({ up: CLEAR });
    expect((await arrived).text).toBe('one');
    link.change({ down: { ...CLEAR, loss: 1 } });
    expect((await sent('two')).text).toBe('two');
  });

  it('loses the same datagrams for the same seed', async () => {
    const lost = async (seed: number): Promise<string[]> => {
      const got: string[] = [];
      const listen = (datagram: Buffer): void => void got.push(datagram.toString());
      server.on('message', listen);
      await open({ up: { loss: 0.3 }, seed });
      for (let index = 0; index < 100; index++) send(`${index}`);
      const { up } = await until((now) => {
        const gone = now.up.arrived.packets + now.up.dropped.loss.packets;
        return gone === 100 && got.length === now.up.arrived.packets;
      });
      expect(up.dropped.loss.packets).toBeGreaterThan(10);
      server.off('message', listen);
      relay?.close();
      return got;
    };
    const first = await lost(7);
    expect(await lost(7)).toEqual(first);
    expect(await lost(8)).not.toEqual(first);
  });
});

describe('an outage of a UDP relay', () => {
  it('drops and counts what is sent during it', async () => {
    const link = await open();
    link.cut();
    send('lost');
    await until(({ up }) => up.dropped.outage.packets === 1);
    link.restore();
    expect((await sent('later')).text).toBe('later');
    expect(link.statistics().up.offered.payload).toBe(9);
  });

  it('may affect one direction and lasts through other changes', async () => {
    const link = await open();
    link.cut('down');
    link.change({ up: CLEAR, down: CLEAR });
    const { from } = await sent('up');
    server.send('lost', from.port, LOOPBACK);
    await until(({ down }) => down.dropped.outage.packets === 1);
    link.cut('up');
    link.restore('down');
    const back = next(laptop);
    server.send('down', from.port, LOOPBACK);
    expect((await back).text).toBe('down');
    send('lost');
    await until(({ up }) => up.dropped.outage.packets === 1);
  });

  it('can be planned in advance', async () => {
    await open({ up: { outages: [{ fromMs: 0, untilMs: 3_600_000 }] } });
    send('lost');
    await until(({ up }) => up.dropped.outage.packets === 1);
  });
});

describe('the client addresses of a UDP relay', () => {
  it('become other ports, and datagrams to the old ones are lost', async () => {
    const link = await open();
    const { from: before } = await sent('one');
    link.moveClients();
    const { from: after } = await sent('two');
    expect(after.port).not.toBe(before.port);
    server.send('to the old one', before.port, before.address);
    const back = next(laptop);
    server.send('to the new one', after.port, after.address);
    expect((await back).text).toBe('to the new one');
    const { down, moves } = await until((now) => now.down.arrived.packets === 1);
    expect({ offered: down.offered.packets, moves }).toEqual({ offered: 1, moves: 1 });
  });

  it('become those of another host when one is given, also for later clients', async () => {
    const link = await open();
    link.moveClients('127.0.0.2');
    expect((await sent('one')).from.address).toBe('127.0.0.2');
    link.moveClients('127.0.0.3');
    expect((await sent('two')).from.address).toBe('127.0.0.3');
  });

  it('stay unchanged when the host is another machine', async () => {
    const link = await open();
    const { from } = await sent('one');
    expect(() => link.moveClients('192.0.2.1')).toThrow(
      expect.objectContaining({ code: 'EADDRNOTAVAIL' }),
    );
    expect((await sent('two')).from).toEqual(from);
  });
});

describe('the endpoints of a UDP relay', () => {
  it('are refused when their address is in use, and freed at the close', async () => {
    const link = await open();
    const listen = { host: LOOPBACK, port: link.port };
    const to = listen;
    await expect(UdpRelay.open({ to, listen })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    link.close();
    await open({ listen });
    expect((await sent('again')).text).toBe('again');
  });

  it('are refused with conditions that make no sense', async () => {
    await expect(open({ up: { loss: 2 } })).rejects.toThrow(ConditionsError);
  });

  it('keep their counts after the close', async () => {
    const link = await open();
    await sent('one');
    await until(({ up }) => up.arrived.packets === 1);
    link.close();
    expect(link.statistics().up.arrived.payload).toBe(3);
    link.moveClients();
    link.cut();
    link.close();
  });
});
