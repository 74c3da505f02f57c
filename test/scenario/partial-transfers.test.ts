/** Partial transfers: bytes that the other side has are not sent again, whatever is interrupted (rules D1-D3). */
import { describe, expect, it } from '@jest/globals';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { seconds } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

const SIZE = 100_000;
const RATE = { bytesPerSecond: 25_000 };
/** The allowance in bytes for headers, leases, and the queue of the bottleneck when it is cut. */
const SOME = 20_000;

function noise(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0, x = seed; at < length; at++) {
    x = (Math.imul(x, 1_103_515_245) + 12_345) >>> 0;
    // Letters, as laptops show texts.
    bytes[at] = 97 + ((x >>> 16) % 26);
  }
  return bytes;
}

const BIG = noise(SIZE, 1);

/** Changes a hundred bytes in the middle. */
function edit(before: Uint8Array): Uint8Array {
  const after = before.slice();
  after.fill(65, SIZE / 2, SIZE / 2 + 100);
  return after;
}

interface Scene {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
  /** The bytes that were sent since the last call. */
  readonly up: () => number;
  readonly down: () => number;
}

async function scene(
  how: { readonly big: boolean; readonly frontEnd?: 'folder' | 'none' } = { big: true },
): Promise<Scene> {
  const { frontEnd = 'folder' } = how;
  const cluster = await Cluster.start({ seed: 1, frontEnd });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  if (how.big) await cluster.at(ada, (files) => files.write('/f', BIG));
  await cluster.settled();
  const since = (from: string, to: string): (() => number) => {
    let last = 0;
    const { network } = cluster;
    return () => {
      const now = network.pipe(from, to).carriedBytes;
      const passed = now - last;
      last = now;
      return passed;
    };
  };
  const [up, down] = [since(ada.name, SERVER_HOST), since(SERVER_HOST, bob.name)];
  up();
  down();
  return { cluster, ada, bob, up, down };
}

/** Checks that all laptops show these contents, with a short message on failure. */
async function agreedOn({ cluster }: Scene, bytes: Uint8Array): Promise<void> {
  const shown = await agreed(cluster);
  expect(Object.keys(shown)).toEqual(['/f']);
  expect(shown['/f'] === new TextDecoder().decode(bytes)).toBe(true);
}

describe('an edit of a large file', () => {
  it('transfers few bytes in both directions', async () => {
    const all = await scene();
    const { cluster, ada, up, down } = all;
    await cluster.at(ada, (files) => files.edit('/f', edit));
    await agreedOn(all, edit(BIG));
    expect(up()).toBeLessThan(8_000);
    expect(down()).toBeLessThan(8_000);
  });

  it('transfers few bytes when files are fetched only at their opening', async () => {
    const { cluster, ada, bob, up, down } = await scene({ big: true, frontEnd: 'none' });
    const read = (): Promise<string> => cluster.at(bob, (files) => files.read('/f'));
    await read();
    await cluster.settled();
    down();
    for (const version of [edit(BIG), BIG]) {
      await cluster.at(ada, (files) => files.edit('/f', () => version));
      await cluster.settled();
      await cluster.at(bob, (files) => files.look('/f'));
      expect((await read()) === new TextDecoder().decode(version)).toBe(true);
      expect(up()).toBeLessThan(8_000);
      expect(down()).toBeLessThan(8_000);
    }
    // The earlier contents are of no use any more.
    expect(bob.status.cache).toMatchObject({ files: 1, bytes: SIZE });
  });

  it('transfers few bytes when the base came from another laptop', async () => {
    const all = await scene();
    const { cluster, bob } = all;
    const sent = (): number => cluster.network.pipe(bob.name, SERVER_HOST).carriedBytes;
    const before = sent();
    await cluster.at(bob, (files) => files.edit('/f', edit));
    await agreedOn(all, edit(BIG));
    expect(sent() - before).toBeLessThan(8_000);
  });

  it('is sent whole when the server no longer has the base version', async () => {
    const all = await scene();
    const { cluster, ada, up } = all;
    cluster.cut(ada);
    await cluster.at(ada, (files) => files.edit('/f', edit));
    for (const path of cluster.server.disk.list('/data/contents')) cluster.server.disk.remove(path);
    cluster.heal(ada);
    await agreedOn(all, edit(BIG));
    expect(up()).toBeGreaterThan(SIZE);
  });

  it('is sent whole when the chunk list of its base is damaged, and the next edit in part', async () => {
    const all = await scene();
    const { cluster, ada, up } = all;
    ada.chunkLists.replace((list) => list.map((byte, at) => (at % 20 === 10 ? byte ^ 1 : byte)));
    await cluster.at(ada, (files) => files.edit('/f', edit));
    await agreedOn(all, edit(BIG));
    expect(up()).toBeGreaterThan(SIZE);
    await cluster.at(ada, (files) => files.edit('/f', (bytes) => bytes.slice(0, SIZE - 100)));
    await agreedOn(all, edit(BIG).slice(0, SIZE - 100));
    expect(up()).toBeLessThan(8_000);
  });

  it('is sent whole when the disk has no space for its delta', async () => {
    const all = await scene();
    const { cluster, ada, up } = all;
    const isMade = (call: string, path: string): boolean =>
      call === 'write' && path.startsWith('/transfers/');
    const end = ada.disk.troubles.add((call, path) => (isMade(call, path) ? 'ENOSPC' : null));
    await cluster.at(ada, (files) => files.edit('/f', edit));
    await agreedOn(all, edit(BIG));
    end();
    expect(up()).toBeGreaterThan(SIZE);
  });

  it('becomes a conflict as usual when another laptop has rewritten the file', async () => {
    const all = await scene();
    const { cluster, ada, bob } = all;
    cluster.cut(ada);
    await cluster.at(ada, (files) => files.edit('/f', edit));
    await cluster.at(bob, (files) => files.edit('/f', (bytes) => bytes.slice(100)));
    await cluster.settled([bob]);
    cluster.heal(ada);
    const shown = Object.values(await agreed(cluster));
    expect(new Set(shown.map((text) => text?.length))).toEqual(new Set([SIZE - 100, SIZE]));
  });
});

type Break = (all: Scene, who: ClientNode) => Promise<void>;

const cut: Break = async ({ cluster }, who) => {
  cluster.cut(who);
  await cluster.pass(seconds(60));
  cluster.heal(who);
};
/** What came in the call under way is lost with the process that received it; what breaks before left is not. */
const cutAndDie =
  (dying: (all: Scene, who: ClientNode) => ClientNode | Cluster['server']): Break =>
  async (all, who) => {
    all.cluster.cut(who);
    await all.cluster.pass(seconds(60));
    await all.cluster.restart(dying(all, who));
    all.cluster.heal(who);
  };
const laptopDies = cutAndDie((_, who) => who);
const serverDies = cutAndDie(({ cluster }) => cluster.server);
const killed: Break = ({ cluster }, who) => cluster.restart(who);

async function broken(all: Scene, who: ClientNode, breaks: readonly Break[]): Promise<void> {
  const { cluster, ada } = all;
  await cluster.at(ada, (files) => files.write('/f', BIG));
  for (const one of breaks) {
    await cluster.pass(seconds(1));
    await one(all, who);
    await cluster.until(() => who.status.connected, `${who.name} to be back`);
  }
}

describe('a transfer that is interrupted three times', () => {
  it.each([
    ['the link is cut', [cut, cut, cut]],
    ['the laptop is killed', [killed, killed, killed]],
    ['both die', [laptopDies, serverDies, laptopDies]],
  ])('resumes its upload where it stopped when %s', async (_, breaks) => {
    const all = await scene({ big: false });
    const { cluster, ada, up } = all;
    cluster.network.shape(ada.name, SERVER_HOST, RATE);
    await broken(all, ada, breaks);
    expect(ada.status.queues.data.updates).toBe(1);
    await agreedOn(all, BIG);
    expect(up()).toBeLessThan(SIZE + SOME);
  });

  it.each([
    ['the link is cut', [cut, cut, cut]],
    ['both die', [laptopDies, serverDies, laptopDies]],
  ])('resumes its download where it stopped when %s', async (_, breaks) => {
    const all = await scene({ big: false });
    const { cluster, bob, down } = all;
    cluster.network.shape(SERVER_HOST, bob.name, RATE);
    await broken(all, bob, breaks);
    expect(cluster.shown(bob)['/f']?.length ?? 0).toBe(0);
    await agreedOn(all, BIG);
    expect(down()).toBeLessThan(SIZE + SOME);
  });
});
