/** What the simulated network adds to the Link port: virtual delay and rate, priorities under them, and faults. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import { milliseconds, seconds } from '../../../../shared/model/time.ts';
import { digestOf } from '../disk/content-digest.ts';
import { MemoryDisk } from '../disk/memory-disk.ts';
import { World } from '../world.ts';
import { simulatedIdentity } from './identity.ts';
import { MemoryTransport } from './memory-transport.ts';
import { MemoryNetwork } from './memory-network.ts';
import { Recorder } from '../../../../test/support/link-recorder.ts';

const text = (words: string): Uint8Array => new TextEncoder().encode(words);

let world: World;
let network: MemoryNetwork;
let laptop: Machine;
let server: Machine;

interface Machine {
  readonly link: MemoryTransport;
  readonly disk: MemoryDisk;
  readonly heard: Recorder;
}

function machine(host: string): Machine {
  const disk = new MemoryDisk();
  const heard = new Recorder();
  const identity = simulatedIdentity(host);
  const options = { host, disk, identity, spool: '/spool', handler: heard, maxHeaderBytes: 4096 };
  return { link: new MemoryTransport(network, options), disk, heard };
}

/** Answers each request without content by its own text. */
function echoing({ link, heard }: Machine): void {
  heard.onIncoming = ({ call, text: words, contentLength }) => {
    if (contentLength === 0) link.reply(call, { header: text(words), content: null });
  };
}

function connect(): number {
  const pin = simulatedIdentity('server').fingerprint;
  return laptop.link.connect({ host: 'server', port: 4433, pin });
}

async function connected(): Promise<number> {
  const connection = connect();
  await world.runUntil(() => server.heard.connections.length > 0, 'the connection');
  await world.pass(milliseconds(100));
  laptop.heard.events.length = 0;
  server.heard.events.length = 0;
  return connection;
}

function send(connection: number, priorityClass: PriorityClass, words: string, bytes = 0): number {
  const path = `/out/${words}`;
  laptop.disk.write(path, new Uint8Array(bytes).fill(words.length));
  const content = bytes === 0 ? null : { path, offset: 0, length: bytes };
  return laptop.link.request(connection, { priorityClass, header: text(words), content });
}

beforeEach(async () => {
  world = new World(1);
  network = new MemoryNetwork(world.time, { delayMs: 20 });
  [laptop, server] = [machine('laptop'), machine('server')];
  await world.runFor(server.link.listen({ host: '0.0.0.0', port: 4433 }), 'listen');
});

describe('a link with delay and rate', () => {
  it('takes the delay in each direction', async () => {
    const connection = await connected();
    echoing(server);
    const start = world.time.now();
    send(connection, 'VALIDATE', 'hello');
    await world.runUntil(() => laptop.heard.events.includes('reply hello'), 'the reply');
    expect(world.time.now() - start).toBe(40);
    expect(laptop.heard.events).toEqual(['sent', 'reply hello']);
  });

  it('takes as long as its rate requires', async () => {
    const connection = await connected();
    network.shape('laptop', 'server', { bytesPerSecond: 100_000 });
    const start = world.time.now();
    send(connection, 'STORE_DATA', 'bulk', 100_000);
    await world.runUntil(() => server.heard.contents.size > 0, 'the content');
    // 84 packets of 1,200 bytes with 48 around each.
    expect(world.time.now() - start).toBeCloseTo(1000 + 0.48 * 84 + 20, -1);
    const [content] = server.heard.contents.values();
    const digest = digestOf(new Uint8Array(100_000).fill(4));
    expect(content).toEqual({ path: '/spool/incoming-1', length: 100_000, digest });
    await world.pass(milliseconds(50));
    expect(laptop.heard.events).toEqual([`sent ${digest.slice(0, 8)}`]);
  });

  it.each([
    [50, 150],
    [1000, 1100],
  ])('lets an urgent message overtake all but a queue of %d ms', async (queueMs, atMost) => {
    const connection = await connected();
    echoing(server);
    network.shape('laptop', 'server', { bytesPerSecond: 64_000, queueMs });
    send(connection, 'STORE_DATA', 'bulk', 500_000);
    await world.pass(seconds(2));
    const start = world.time.now();
    send(connection, 'VALIDATE', 'hello');
    await world.runUntil(() => laptop.heard.events.includes('reply hello'), 'the reply');
    expect(world.time.now() - start).toBeLessThan(atMost);
    expect(world.time.now() - start).toBeGreaterThan(queueMs / 2);
  });

  it('sends by class, first in first out within one, whatever the order of calls', async () => {
    const connection = await connected();
    network.shape('laptop', 'server', { bytesPerSecond: 50_000 });
    send(connection, 'PREFETCH', 'f', 3000);
    send(connection, 'STORE_DATA', 'd', 3000);
    send(connection, 'STORE_DATA', 'e', 3000);
    send(connection, 'FETCH', 'b', 3000);
    send(connection, 'VALIDATE', 'a');
    const raised = send(connection, 'PREFETCH', 'c', 3000);
    laptop.link.setClass(raised, 'STORE_FAST');
    await world.runUntil(() => server.heard.contents.size === 5, 'everything');
    expect(server.heard.incomings.map((incoming) => incoming.text)).toEqual([...'abcdef']);
    expect(server.heard.incomings[2]?.priorityClass).toBe('STORE_FAST');
  });

  it('lets short demanded contents overtake long ones, and no others', async () => {
    const connection = await connected();
    network.shape('laptop', 'server', { bytesPerSecond: 50_000 });
    for (const name of ['STORE_DATA', 'FETCH'] as const) {
      send(connection, name, `${name} long`, 20_000);
      send(connection, name, `${name} short`, 2_000);
    }
    await world.runUntil(() => server.heard.contents.size === 4, 'everything');
    const contents = server.heard.events.filter((event) => event.startsWith('content'));
    expect(contents).toEqual(['content 2000', 'content 20000', 'content 20000', 'content 2000']);
  });

  it('lets a raised content overtake midway', async () => {
    const connection = await connected();
    network.shape('laptop', 'server', { bytesPerSecond: 50_000 });
    send(connection, 'STORE_DATA', 'slow', 100_000);
    const late = send(connection, 'PREFETCH', 'late', 10_000);
    await world.pass(milliseconds(500));
    laptop.link.setClass(late, 'FETCH');
    await world.runUntil(() => server.heard.contents.size > 0, 'the first content');
    expect(server.heard.events).toEqual(['incoming slow', 'incoming late', 'content 10000']);
  });
});

describe('a link on a failing path', () => {
  it('continues after a short cut without loss or duplicates', async () => {
    const connection = await connected();
    echoing(server);
    send(connection, 'FETCH', 'one');
    await world.pass(milliseconds(10));
    network.cut('laptop', 'server');
    send(connection, 'FETCH', 'two');
    await world.pass(seconds(20));
    expect(server.heard.events).toEqual([]);
    network.heal('laptop', 'server');
    send(connection, 'FETCH', 'three');
    await world.pass(seconds(1));
    // What was on its way is sent again, and later than what had not left yet.
    expect(server.heard.incomings.map((incoming) => incoming.text)).toEqual([
      'two',
      'three',
      'one',
    ]);
    expect(laptop.heard.events.filter((event) => event.startsWith('reply'))).toHaveLength(3);
  });

  it.each(['both ways', 'from the laptop', 'to the laptop'])(
    'ends after 30 s of silence when it is cut %s',
    async (how) => {
      const connection = await connected();
      send(connection, 'FETCH', 'held');
      await world.pass(milliseconds(100));
      if (how !== 'to the laptop') network.cutOneWay('laptop', 'server');
      if (how !== 'from the laptop') network.cutOneWay('server', 'laptop');
      await world.pass(seconds(29));
      expect(laptop.heard.closes).toEqual([]);
      await world.pass(seconds(2));
      expect(laptop.heard.events.slice(-2)).toEqual(['aborted closed 0', 'closed idle']);
      expect(server.heard.events.slice(-2)).toEqual(['aborted closed 0', 'closed idle']);
      expect([laptop.link.openCalls, server.link.openCalls, network.connections]).toEqual([
        0, 0, 0,
      ]);
    },
  );

  it('reports unreachable when nobody answers', async () => {
    network.cut('laptop', 'server');
    connect();
    await world.pass(seconds(11));
    const { fingerprint: pin } = simulatedIdentity('server');
    laptop.link.connect({ host: 'elsewhere', port: 1, pin });
    await world.pass(seconds(1));
    expect(laptop.heard.events).toEqual(['closed unreachable', 'closed unreachable']);
  });

  it('moves to a new address when it is rebound and only then', async () => {
    const connection = await connected();
    echoing(server);
    network.changeAddress('laptop');
    send(connection, 'VALIDATE', 'hello');
    await world.pass(seconds(5));
    expect(laptop.heard.events).toEqual([]);
    laptop.link.rebind(connection);
    await world.pass(seconds(1));
    expect(laptop.heard.events).toEqual(['sent', 'reply hello']);
  });

  it('is silent when a process is killed, and free for its successor', async () => {
    const connection = await connected();
    send(connection, 'FETCH', 'held');
    await world.pass(milliseconds(100));
    server.link.kill();
    send(connection, 'FETCH', 'lost');
    const [before] = [server.heard.events.length];
    const next = machine('server');
    await world.runFor(next.link.listen({ host: 'server', port: 4433 }), 'listen');
    await world.pass(seconds(31));
    expect(server.heard.events).toHaveLength(before);
    expect(laptop.heard.events).toEqual([
      'sent',
      'aborted closed 0',
      'aborted closed 0',
      'closed idle',
    ]);
    connect();
    await world.pass(seconds(1));
    expect(next.heard.events).toEqual(['connected']);
  });
});
