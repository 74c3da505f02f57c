/** The order in which a laptop that caches everything gets contents: short ones, those that a program waits for, and then bulk. In simulated time at 64 KB/s. */
import { expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { milliseconds } from '../../shared/model/time.ts';
import type { Fid } from '../../shared/model/fid.ts';

const TICK = milliseconds(20);
const SLOW = { delayMs: 20, bytesPerSecond: 64_000, queueMs: 50 };
const FAST = { ...SLOW, bytesPerSecond: 1e9 };
const LARGE = 400_000;

interface Followed {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
  /** Paths in the order in which their second contents reach bob. */
  readonly arrived: string[];
}

/** Starts two laptops that cache everything and have these files. Then bob's download and ada's upload become slow. */
async function following(...paths: string[]): Promise<Followed> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const fids = new Map<Fid, string>();
  for (const path of paths) {
    await cluster.at(ada, (files) => files.write(path, 'first'));
    const { fid } = await cluster.at(ada, (files) => files.look(path));
    fids.set(fid, path);
  }
  await cluster.settled();
  const arrived: string[] = [];
  cluster.watch((observation) => {
    if (observation.kind !== 'applied' || observation.client !== bob) return;
    const path = fids.get(observation.change.vnodes[0]?.fid as Fid);
    if (path !== undefined) arrived.push(path);
  });
  cluster.network.shape(ada.name, SERVER_HOST, SLOW);
  cluster.network.shape(SERVER_HOST, bob.name, SLOW);
  return { cluster, ada, bob, arrived };
}

/** Resolves when the server has the second contents of a path. */
async function committed({ cluster }: Followed, who: ClientNode, path: string): Promise<void> {
  for (;;) {
    const { version, sync } = await cluster.at(who, (files) => files.look(path));
    if (version > 1 && sync === 'committed') return;
    await cluster.pass(TICK);
  }
}

it('a small save arrives before large files that were committed before it', async () => {
  const large = ['/large 0', '/large 1', '/large 2'];
  const followed = await following(...large, '/small');
  const { cluster, ada, arrived } = followed;
  for (const path of large) {
    await cluster.at(ada, (files) => files.write(path, new Uint8Array(LARGE)));
  }
  await committed(followed, ada, '/large 0');
  await cluster.at(ada, (files) => files.write('/small', 'second'));
  await cluster.settled();
  expect(arrived).toEqual(['/small', ...large]);
});

it('a file that a program opens arrives before files that nobody has asked for', async () => {
  const followed = await following('/large 0', '/large 1');
  const { cluster, ada, bob, arrived } = followed;
  cluster.network.shape(ada.name, SERVER_HOST, FAST);
  for (const path of ['/large 0', '/large 1']) {
    await cluster.at(ada, (files) => files.write(path, new Uint8Array(LARGE)));
    await committed(followed, ada, path);
  }
  expect(arrived).toEqual([]);
  const read = await cluster.at(bob, (files) => files.read('/large 1'));
  expect(read).toHaveLength(LARGE);
  expect(arrived).not.toContain('/large 0');
  await cluster.settled();
  expect(arrived).toEqual(['/large 1', '/large 0']);
});

it('a small save does not wait behind the files that a returning laptop downloads', async () => {
  const large = Array.from({ length: 20 }, (_, at) => `/large ${at}`);
  const followed = await following(...large, '/small');
  const { cluster, ada, bob, arrived } = followed;
  cluster.network.shape(ada.name, SERVER_HOST, FAST);
  cluster.network.cut(bob.name, SERVER_HOST);
  for (const path of large) {
    await cluster.at(ada, (files) => files.write(path, new Uint8Array(LARGE)));
  }
  await committed(followed, ada, '/large 19');
  cluster.network.heal(bob.name, SERVER_HOST);
  bob.daemon.networkChanged();
  await cluster.until(() => arrived.length === 1, 'bob to be back');
  await cluster.at(ada, (files) => files.write('/small', 'second'));
  await cluster.settled();
  expect(arrived.indexOf('/small')).toBeLessThan(3);
  expect(arrived.toSorted()).toEqual([...large, '/small'].toSorted());
});
