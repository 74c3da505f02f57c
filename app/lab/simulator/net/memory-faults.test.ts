/** What the network does to streams and connections that it treats badly: order, loss, rate, death, suspended machines. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { milliseconds, seconds } from '../../../../shared/model/time.ts';
import { Recorder } from '../../../../test/support/link-recorder.ts';
import { Machine } from '../clock/machine.ts';
import { MemoryDisk } from '../disk/memory-disk.ts';
import { World } from '../world.ts';
import { simulatedIdentity } from './identity.ts';
import { MemoryTransport } from './memory-transport.ts';
import { MemoryNetwork } from './memory-network.ts';

const CALLS = 40;

let world: World;
let network: MemoryNetwork;
interface Host {
  readonly link: MemoryTransport;
  readonly disk: MemoryDisk;
  readonly heard: Recorder;
  readonly machine: Machine;
}

let laptop: Host;
let server: Host;
let connection: number;

function hostOf(host: string): Host {
  const [disk, heard, machine] = [new MemoryDisk(), new Recorder(), new Machine(world.time)];
  const identity = simulatedIdentity(host);
  const limits = { spool: '/spool', maxHeaderBytes: 4096 };
  const link = new MemoryTransport(network, {
    host,
    disk,
    identity,
    handler: heard,
    machine,
    ...limits,
  });
  return { link, disk, heard, machine };
}

function connect(): number {
  const pin = simulatedIdentity('server').fingerprint;
  return laptop.link.connect({ host: 'server', port: 4433, pin });
}

function send(words: string, bytes = 0): number {
  const path = `/out/${words}`;
  laptop.disk.write(path, new Uint8Array(bytes).fill(7));
  const content = bytes === 0 ? null : { path, offset: 0, length: bytes };
  const header = new TextEncoder().encode(words);
  return laptop.link.request(connection, { priorityClass: 'FETCH', header, content });
}

const arrived = (): string[] => server.heard.incomings.map(({ text }) => text);

beforeEach(async () => {
  world = new World(1);
  network = new MemoryNetwork(world.time, { delayMs: 20 });
  [laptop, server] = [hostOf('laptop'), hostOf('server')];
  server.heard.onIncoming = ({ call, text, contentLength }) => {
    const header = new TextEncoder().encode(text);
    if (contentLength === 0) server.link.reply(call, { header, content: null });
  };
  await world.runFor(server.link.listen({ host: '0.0.0.0', port: 4433 }), 'listen');
  connection = connect();
  await world.pass(seconds(1));
});

describe('the streams of the in-memory network', () => {
  it.each([{ jitterMs: 500 }, { loss: 0.3 }])(
    'arrive in another order without loss or duplicates: %j',
    async (conditions) => {
      network.shape('laptop', 'server', conditions);
      const sent = Array.from({ length: CALLS }, (_, i) => `call ${i}`);
      for (const words of sent) send(words);
      await world.pass(seconds(120));
      expect(arrived()).not.toEqual(sent);
      expect([...arrived()].sort()).toEqual([...sent].sort());
      expect(laptop.heard.events.filter((event) => event.startsWith('reply'))).toHaveLength(CALLS);
      expect([laptop.link.openCalls, server.link.openCalls]).toEqual([0, 0]);
    },
  );

  it('keep their own order, and contents are whole in spite of losses', async () => {
    const rate = { bytesPerSecond: 100_000, loss: 0.2, jitterMs: 50 };
    network.shape('laptop', 'server', rate);
    for (const words of ['one', 'two']) send(words, 50_000);
    await world.pass(seconds(120));
    expect([...server.heard.contents.values()].map(({ length }) => length)).toEqual([
      50_000, 50_000,
    ]);
  });

  it('may begin before the handshake is complete at the server, and wait there', async () => {
    network.shape('laptop', 'server', { jitterMs: 400 });
    for (let i = 0; i < 20; i++) {
      connection = connect();
      await world.runUntil(() => laptop.heard.connections.length === i + 2, 'the connection');
      send(`early ${i}`);
    }
    await world.pass(seconds(10));
    expect(arrived()).toHaveLength(20);
  });

  it('deliver all or nothing of a call that its caller cancels', async () => {
    send('asked');
    await world.pass(milliseconds(10));
    laptop.link.abort(send('not sent'), 3);
    const call = send('given up');
    await world.pass(milliseconds(10));
    laptop.link.abort(call, 3);
    await world.pass(seconds(1));
    expect(arrived()).toEqual(['asked', 'given up']);
    expect(server.heard.events).toContain('aborted peer 3');
    expect(server.link.openCalls).toBe(0);
  });
});

describe('a changing rate of the in-memory network', () => {
  it('applies to packets midway and stops everything at zero', async () => {
    network.shape('laptop', 'server', { bytesPerSecond: 10_000 });
    send('bulk', 10_000);
    await world.pass(milliseconds(500));
    network.shape('laptop', 'server', { bytesPerSecond: 0 });
    await world.pass(seconds(10));
    expect(server.heard.contents.size).toBe(0);
    network.shape('laptop', 'server', { bytesPerSecond: 100_000 });
    await world.pass(milliseconds(500));
    expect(server.heard.contents.size).toBe(1);
  });
});

describe('a lost connection of the in-memory network', () => {
  it('is closed at once for the side that notices, and after silence for the other', async () => {
    send('asked');
    network.lose('laptop', 'server', ['client']);
    await world.pass(seconds(1));
    expect(laptop.heard.closes).toHaveLength(1);
    expect([server.heard.closes.length, arrived()]).toEqual([0, []]);
    connection = connect();
    send('asked again');
    await world.pass(seconds(31));
    expect(arrived()).toEqual(['asked again']);
    expect(server.heard.closes).toHaveLength(1);
  });
});

describe('a suspended machine in the in-memory network', () => {
  it('receives nothing, and gets it again when it wakes in time', async () => {
    network.suspend('server');
    send('asked');
    await world.pass(seconds(20));
    expect(arrived()).toEqual([]);
    network.resume('server', 'none');
    await world.pass(seconds(1));
    expect([arrived(), laptop.heard.closes]).toEqual([['asked'], []]);
  });

  it.each([
    ['reset', 0],
    ['none', 30],
  ] as const)(
    'learns that the other side has closed the connection: answer %s',
    async (answer, after) => {
      network.suspend('laptop');
      laptop.machine.sleep();
      await world.pass(seconds(31));
      expect([laptop.heard.closes.length, server.heard.closes.length]).toEqual([0, 1]);
      network.resume('laptop', answer);
      laptop.machine.wake();
      if (after > 0) await world.pass(milliseconds(after * 1_000 - 1));
      expect(laptop.heard.closes).toEqual([]);
      await world.pass(milliseconds(2));
      expect(laptop.heard.closes).toHaveLength(1);
    },
  );
});
