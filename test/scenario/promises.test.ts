/** Nobody reads what is old under a usable promise, and nobody waits for ever (P1-P3, W2). */
import { describe, expect, it } from '@jest/globals';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { rootOf } from '../../shared/model/fid.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { commitNumber, dataVersion } from '../../shared/model/vnode.ts';
import { present } from '../../shared/util/assert.ts';

const ROOT = rootOf(HOME);

interface Pair {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
}

/** Two laptops that fetch on demand; bob has read the file, and holds a promise for it. */
async function readers(): Promise<Pair> {
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  await cluster.at(bob, (files) => files.read('/doc'));
  return { cluster, ada, bob };
}

async function timed(cluster: Cluster, work: () => Promise<unknown>): Promise<number> {
  const start = cluster.world.time.now();
  await work();
  return cluster.world.time.now() - start;
}

describe('a promise', () => {
  it('saves a message: reading again asks the server nothing', async () => {
    const { cluster, bob } = await readers();
    cluster.network.shape(bob.name, SERVER_HOST, { delayMs: 500 });
    const took = await timed(cluster, () => cluster.at(bob, (files) => files.read('/doc')));
    expect(took).toBeLessThan(50);
  });

  it('is broken before the writer gets an answer', async () => {
    const { cluster, ada, bob } = await readers();
    cluster.network.shape(bob.name, SERVER_HOST, { delayMs: 700 });
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    const took = await timed(cluster, () => cluster.run(ada.daemon.flush(null)));
    expect(took).toBeGreaterThan(700);
    expect(took).toBeLessThan(2000);
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('second');
  });

  it('ends with the lease of an offline laptop, and the writer waits no longer', async () => {
    const { cluster, ada, bob } = await readers();
    cluster.cut(bob);
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    const took = await timed(cluster, () =>
      cluster.run(ada.daemon.flush(null), 'the flush', minutes(2)),
    );
    expect(took).toBeGreaterThan(15_000);
    expect(took).toBeLessThan(40_000);
  });

  it('delays no writer when its daemon has ended in good order', async () => {
    const { cluster, ada, bob } = await readers();
    await cluster.run(bob.close(), 'bob to end');
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    const took = await timed(cluster, () => cluster.run(ada.daemon.flush(null)));
    expect(took).toBeLessThan(2000);
    await cluster.restart(bob);
    await cluster.until(() => bob.status.connected, 'bob to be back');
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('second');
  });

  it('delays no writer when its daemon ends while the break is on its way', async () => {
    const { cluster, ada, bob } = await readers();
    cluster.network.shape(SERVER_HOST, bob.name, { delayMs: 5_000 });
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    const flushed = ada.daemon.flush(null);
    await cluster.pass(seconds(1));
    await cluster.run(bob.close(), 'bob to end');
    expect(await timed(cluster, () => cluster.run(flushed))).toBeLessThan(2000);
  });

  it('is not used after it has expired: the next read asks the server first', async () => {
    const { cluster, ada, bob } = await readers();
    cluster.cut(bob);
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.run(ada.daemon.flush(null), 'the flush', minutes(2));
    cluster.heal(bob);
    await cluster.until(() => bob.status.connected, 'bob to be back');
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('second');
  });

  it('never shows an old version after the writer got its answer, whenever a reader reads', async () => {
    for (let moment = 0; moment < 12; moment++) {
      const { cluster, ada, bob } = await readers();
      cluster.network.shape(SERVER_HOST, bob.name, { delayMs: 3 * moment });
      await cluster.at(ada, (files) => files.write('/doc', 'second'));
      await cluster.run(ada.daemon.flush(null));
      expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('second');
    }
  });
});

describe('a promise for a whole volume', () => {
  /** Bob follows the volume, and has opened the file. */
  async function follower() {
    const pair = await readers();
    const { cluster, bob } = pair;
    const { feed, fileSystem } = bob.daemon;
    let breaks = 0;
    feed.onBroken(() => (breaks += 1));
    const ended = new AbortController();
    const follow = async (): Promise<void> => {
      for (let at = commitNumber(0); !ended.signal.aborted;) {
        at = present((await feed.changes(HOME, at, ended.signal)).at(-1), 'a commit').commit;
      }
    };
    const following = follow().catch(() => undefined);
    await cluster.settled();
    const { fid, version } = await cluster.run(fileSystem.lookup(ROOT, 'doc'));
    const left = (of = version): number => feed.presentFor(fid, of);
    const end = (): Promise<void> => {
      ended.abort();
      return cluster.run(following);
    };
    return { ...pair, left, version, end, breaks: () => breaks };
  }

  it('says how long a version is the present one, and ends before a writer gets its answer', async () => {
    for (let moment = 0; moment < 6; moment++) {
      const { cluster, ada, bob, left, version, end, breaks } = await follower();
      expect(left()).toBeGreaterThan(0);
      expect(left()).toBeLessThanOrEqual(30_000);
      expect(left(dataVersion(version + 1))).toBe(0);
      const before = breaks();
      cluster.network.shape(SERVER_HOST, bob.name, { delayMs: 30 * moment });
      await cluster.at(ada, (files) => files.write('/doc', 'second'));
      await cluster.run(ada.daemon.flush(null));
      expect(breaks()).toBeGreaterThan(before);
      expect(left()).toBe(0);
      await end();
    }
  });

  it('says nothing for an own change that is queued, and little while the server is away', async () => {
    const { cluster, bob, left, end, breaks } = await follower();
    const before = breaks();
    cluster.cut(bob);
    await cluster.until(() => !bob.status.connected, 'bob to be away', minutes(5));
    await cluster.pass(minutes(1));
    expect(breaks()).toBeGreaterThan(before);
    expect(left()).toBeGreaterThan(0);
    expect(left()).toBeLessThanOrEqual(2000);
    await cluster.at(bob, (files) => files.write('/doc', 'mine'));
    expect(left()).toBe(0);
    cluster.heal(bob);
    await end();
  });
});

describe('a right that is withdrawn and returned', () => {
  it('leaves no promise that the server does not know, although its holder cannot be notified', async () => {
    const cluster = await Cluster.start({ frontEnd: 'none', clients: 1 });
    const [ada] = cluster.clients as [ClientNode];
    const guest = await cluster.join('write', 'guest');
    await cluster.at(ada, (files) => files.write('/doc', 'first'));
    await cluster.settled();
    expect(await cluster.at(guest, (files) => files.read('/doc'))).toBe('first');
    cluster.cut(guest);
    cluster.server.metaStore.allow('guest', HOME, null);
    await cluster.pass(seconds(2));
    cluster.server.metaStore.allow('guest', HOME, 'write');
    await cluster.pass(seconds(2));
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    const took = await timed(cluster, () =>
      cluster.run(ada.daemon.flush(null), 'the flush', minutes(2)),
    );
    // Before that the guest could still use what it was promised, and would have read the first.
    expect(took).toBeGreaterThan(15_000);
    cluster.heal(guest);
    await cluster.until(() => guest.status.connected, 'the guest to be back');
    expect(await cluster.at(guest, (files) => files.read('/doc'))).toBe('second');
  });
});

describe('a promise to a laptop whose data folder was copied', () => {
  /** Bob is cut off, and a copy of his laptop says Hello. */
  async function copied(): Promise<Pair> {
    const pair = await readers();
    const { cluster, bob } = pair;
    cluster.cut(bob);
    const copy = present(cluster.copy(bob), 'there is a name for it');
    await cluster.run(copy.start(), 'the copy to start');
    await cluster.until(() => copy.status.connected, 'the copy to connect');
    return pair;
  }

  async function flushed(cluster: Cluster, ada: ClientNode): Promise<number> {
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    return timed(cluster, () => cluster.run(ada.daemon.flush(null), 'the flush', minutes(2)));
  }

  it('holds until its lease is over, since the copy does not return it', async () => {
    const { cluster, ada, bob } = await copied();
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('first');
    const took = await flushed(cluster, ada);
    expect(took).toBeGreaterThan(15_000);
    expect(took).toBeLessThan(40_000);
  });

  it('ends at once when the daemon restarted in its own place', async () => {
    const { cluster, ada, bob } = await readers();
    await cluster.restart(bob);
    await cluster.until(() => bob.status.connected, 'bob to be back');
    expect(await flushed(cluster, ada)).toBeLessThan(2000);
  });
});

describe('a file without contents yet', () => {
  it('is never read as empty (W2)', async () => {
    const { cluster, ada, bob } = await readers();
    cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 50_000 });
    await cluster.at(ada, (files) => files.write('/new', 'x'.repeat(100_000)));
    const isThere = async (): Promise<boolean> =>
      cluster.at(bob, (files) => files.names('/')).then((names) => names.includes('new'));
    while (!(await isThere())) await cluster.pass(seconds(0.05));
    const took = await timed(cluster, async () => {
      expect(await cluster.at(bob, (files) => files.read('/new'))).toHaveLength(100_000);
    });
    expect(took).toBeGreaterThan(1000);
  });

  it('is refused instead of shown empty when its writer is away', async () => {
    const { cluster, ada, bob } = await readers();
    cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 5_000 });
    await cluster.at(ada, (files) => files.write('/new', 'x'.repeat(100_000)));
    await cluster.pass(seconds(2));
    cluster.cut(ada);
    await cluster.pass(minutes(2));
    expect(await cluster.at(bob, (files) => files.names('/'))).toContain('new');
    await expect(cluster.at(bob, (files) => files.read('/new'))).rejects.toMatchObject({
      code: 'no-contents',
    });
    cluster.heal(ada);
    await cluster.run(ada.daemon.flush(null), 'the flush', minutes(5));
    expect(await cluster.at(bob, (files) => files.read('/new'))).toHaveLength(100_000);
  });
});
