/** The contents of a small save reach other laptops together with the change: they need no request and no second wait. In simulated time, on networks with a long delay. */
import { afterEach, expect, it, jest } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { MemoryTransport } from '../../app/lab/simulator/net/memory-transport.ts';
import { MemoryContentStore } from '../../app/lab/simulator/store/memory-content-store.ts';
import { NO_RULE, type NetworkFacts } from '../../shared/model/network.ts';
import { milliseconds, seconds } from '../../shared/model/time.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { decodeRequest } from '../../shared/wire/codec.ts';
import { PROTOCOL } from '../../shared/wire/rpcs.ts';

const CAFE: NetworkFacts = {
  ...{ name: 'Café', kind: 'wifi', metered: true, why: 'a test says so' },
  ...{ interface: 'wlan0', gateway: '10.0.0.1' },
};
const ONE_WAY_MS = 200;
const LONG = 60_000;

interface Far {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
  /** The requests of all laptops since both have the first contents. */
  readonly asked: Array<{ readonly rpc: string; readonly brings: boolean }>;
}

const protocol = PROTOCOL.max;
afterEach(() => {
  jest.restoreAllMocks();
  Object.assign(PROTOCOL, { max: protocol });
});

const drawn = new SeededRandom(3);
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => drawn.below(256));
const textOf = (contents: Uint8Array): string => new TextDecoder().decode(contents);

async function far(first: string | Uint8Array = 'first'): Promise<Far> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', first));
  await cluster.settled();
  for (const { name } of [ada, bob]) {
    cluster.network.shape(name, SERVER_HOST, { delayMs: ONE_WAY_MS });
    cluster.network.shape(SERVER_HOST, name, { delayMs: ONE_WAY_MS });
  }
  // Later requests go over that connection.
  await cluster.pass(seconds(40));
  const asked: Far['asked'] = [];
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const plain = MemoryTransport.prototype.request;
  jest.spyOn(MemoryTransport.prototype, 'request').mockImplementation(function (
    this: MemoryTransport,
    ...args
  ) {
    try {
      const { rpc, body } = decodeRequest(args[1].header, 'client');
      asked.push({ rpc, brings: 'brings' in body });
    } catch {
      // The server asks as well.
    }
    return plain.apply(this, args);
  });
  return { cluster, ada, bob, asked };
}

const write = ({ cluster, ada }: Far, path: string, contents: string | Uint8Array) =>
  cluster.at(ada, (files) => files.write(path, contents));
const sees = (
  { cluster, bob }: Far,
  contents: string | Uint8Array,
  within = seconds(20),
  path = '/doc',
) => {
  const text = typeof contents === 'string' ? contents : textOf(contents);
  return cluster.until(() => cluster.shown(bob)[path] === text, 'bob to see it', within);
};
const fetches = ({ asked }: Far): number => asked.filter(({ rpc }) => rpc === 'Fetch').length;

it('a small save arrives together with the notice of its commit', async () => {
  const pair = await far();
  await write(pair, '/doc', 'second');
  await sees(pair, 'second', milliseconds(4.5 * ONE_WAY_MS));
  await pair.cluster.settled();
  expect(fetches(pair)).toBe(0);
  expect(pair.asked.some(({ rpc, brings }) => rpc === 'Changes' && !brings)).toBe(false);
});

it('a save that was uploaded whole arrives with its notice although partial transfers are possible', async () => {
  const pair = await far(bytes(LONG));
  const contents = bytes(LONG);
  await write(pair, '/doc', contents);
  await sees(pair, contents);
  expect(fetches(pair)).toBe(0);
});

it('a save that was uploaded as a delta is fetched, since the follower has its base', async () => {
  const before = bytes(LONG);
  const pair = await far(before);
  const contents = Uint8Array.from([
    ...before.subarray(0, 30_000),
    1,
    2,
    3,
    ...before.subarray(30_000),
  ]);
  await write(pair, '/doc', contents);
  await sees(pair, contents);
  expect(fetches(pair)).toBe(1);
});

it('a long save is fetched after its notice', async () => {
  const pair = await far();
  const contents = bytes(300_000);
  await write(pair, '/long', contents);
  await sees(pair, contents, seconds(20), '/long');
  expect(fetches(pair)).toBe(1);
});

it('a file that is saved repeatedly never shows an older version, and shows the last one in the end', async () => {
  const pair = await far();
  for (let version = 0; version < 20; version++) {
    await write(pair, '/doc', `version ${version}`);
    await pair.cluster.pass(milliseconds(37));
  }
  await sees(pair, 'version 19');
  await pair.cluster.settled();
});

it('contents that are cut off on their way arrive later', async () => {
  const pair = await far();
  const { cluster, bob } = pair;
  cluster.network.shape(SERVER_HOST, bob.name, {
    delayMs: 20,
    bytesPerSecond: 64_000,
    queueMs: 50,
  });
  const contents = bytes(LONG);
  await write(pair, '/new', contents);
  await cluster.until(() => '/new' in cluster.shown(bob) || fetchedSome(bob), 'some to be there');
  expect(fetches(pair)).toBe(0);
  cluster.network.cut(bob.name, SERVER_HOST);
  await cluster.pass(seconds(60));
  cluster.network.heal(bob.name, SERVER_HOST);
  bob.daemon.networkChanged();
  await sees(pair, contents, seconds(60), '/new');
});

it('a laptop goes on following when the server has lost the contents of a small save', async () => {
  const pair = await far();
  const { cluster, bob } = pair;
  const locate = jest.spyOn(MemoryContentStore.prototype, 'locate').mockResolvedValue(null);
  await write(pair, '/doc', 'lost');
  await write(pair, '/other', 'other');
  await cluster.until(() => fetches(pair) > 0, 'bob to ask for them', seconds(20));
  await cluster.at(pair.ada, (files) => files.mkdir('/folder'));
  await cluster.until(() => '/folder' in cluster.shown(bob), 'bob to follow', seconds(20));
  locate.mockRestore();
  await sees(pair, 'lost', seconds(120));
});

it.each<[string, (bob: ClientNode) => Promise<unknown>]>([
  [
    'whose network costs',
    async ({ daemon }) => {
      await daemon.ruleNetwork(CAFE.name, { ...NO_RULE, pause: true });
      daemon.networkIs(CAFE, 0);
    },
  ],
  ['whose folder does not keep everything', ({ daemon }) => daemon.cacheSettings({ maximum: 1e6 })],
  ['that pauses', ({ daemon }) => Promise.resolve(daemon.pause())],
])('a laptop %s does not ask for contents with the notice', async (_, change) => {
  const pair = await far();
  const { cluster, bob, asked } = pair;
  await cluster.run(change(bob));
  await write(pair, '/doc', 'second');
  await cluster.pass(seconds(20));
  // The other laptop asks as usual.
  expect(asked.some(({ rpc, brings }) => rpc === 'Changes' && !brings)).toBe(true);
});

it('a server or laptop of an older protocol version works without contents in notices', async () => {
  Object.assign(PROTOCOL, { max: 2 });
  const pair = await far();
  await write(pair, '/doc', 'second');
  await sees(pair, 'second');
  expect(pair.asked.filter(({ brings }) => brings)).toEqual([]);
  expect(fetches(pair)).toBe(1);
});

function fetchedSome({ daemon }: ClientNode): boolean {
  return [...daemon.inside.requests.values()].some(({ receivedBytes }) => receivedBytes > 0);
}
