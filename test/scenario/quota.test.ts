/** A volume with a quota (rule W7): what does not fit waits and is shown, the rest goes on, and nothing is lost. */
import { describe, expect, it } from '@jest/globals';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

const TEN = '0123456789';
const SIXTY = TEN.repeat(6);

/** Both know the quota, and that nothing is used. */
async function pair(limit: number | null = 100) {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await setLimit(cluster, limit);
  return { cluster, ada, bob };
}

async function setLimit(cluster: Cluster, limit: number | null): Promise<void> {
  cluster.server.metaStore.limit(HOME, limit);
  await cluster.pass(seconds(30));
}

/** Each writes 60 bytes where 100 are free, and neither knows of the other. Bob comes second. */
async function bothWrite() {
  const { cluster, ada, bob } = await pair();
  cluster.cut(ada);
  cluster.cut(bob);
  await cluster.at(ada, (files) => files.write('/a', SIXTY));
  await cluster.at(bob, (files) => files.write('/b', SIXTY));
  cluster.heal(ada);
  await cluster.pass(minutes(1));
  cluster.heal(bob);
  await cluster.pass(minutes(1));
  return { cluster, ada, bob };
}

const errors = (client: ClientNode) =>
  client.status.errors.map(({ code, path }) => `${code} ${path ?? ''}`);
const quota = (client: ClientNode) => client.status.volumes[0]?.quota;
const used = (cluster: Cluster) => cluster.server.metaStore.usedBy(HOME);

describe('a write that does not fit into the quota', () => {
  it('is refused at once, also offline and after a restart', async () => {
    const { cluster, ada } = await pair();
    expect(quota(ada)).toEqual({ limit: 100, used: 0, free: 100 });
    await cluster.at(ada, (files) => files.write('/a', SIXTY));
    cluster.cut(ada);
    await cluster.at(ada, (files) => files.write('/b', TEN));
    const more = (size: number) => cluster.at(ada, (files) => files.write('/c', 'c'.repeat(size)));
    await expect(more(31)).rejects.toMatchObject({ code: 'over-quota' });
    ada.crash();
    await cluster.restart(ada);
    await expect(more(31)).rejects.toMatchObject({ code: 'over-quota' });
    await more(30);
    cluster.heal(ada);
    await cluster.settled();
    expect(used(cluster)).toBe(100);
    expect(quota(ada)).toEqual({ limit: 100, used: 100, free: 0 });
    // What takes no more room is none of its business.
    await cluster.at(ada, (files) => files.write('/a', TEN.repeat(5)));
    await cluster.at(ada, (files) => files.write('/b', `${TEN}${TEN}`));
    await cluster.at(ada, (files) => files.remove('/c'));
    await cluster.at(ada, (files) => files.write('/d', 'd'.repeat(30)));
    await cluster.settled();
    expect(used(cluster)).toBe(100);
    expect(errors(ada)).toEqual([]);
  });
});

describe('a quota that is raised', () => {
  it.each([1000, null])(
    'lets what waits for it go at once, whatever was refused before: %j',
    async (limit) => {
      const { cluster, bob } = await bothWrite();
      // Long enough for delays of minutes.
      await cluster.pass(minutes(5));
      expect(errors(bob)).toEqual(['over-quota b']);
      cluster.server.metaStore.limit(HOME, limit);
      await cluster.pass(seconds(2));
      expect(errors(bob)).toEqual([]);
      expect(used(cluster)).toBe(120);
    },
  );
});

describe('the second of two writes into the same free quota', () => {
  it('never exceeds the limit: it is held back and shown, and others go on', async () => {
    const { cluster, ada, bob } = await bothWrite();
    expect(used(cluster)).toBe(60);
    expect(errors(ada)).toEqual([]);
    expect(errors(bob)).toEqual(['over-quota b']);
    expect(bob.status.errors[0]?.remedy).toMatch(/godwit server quota/);
    await expect(cluster.run(bob.flush(null), 'a flush')).rejects.toMatchObject({
      code: 'sync-blocked',
    });
    await cluster.at(bob, (files) => files.write('/small', TEN));
    await cluster.at(bob, (files) => files.chmod('/b', 0o600));
    await cluster.pass(seconds(5));
    expect(cluster.shown(ada)).toEqual({ '/a': SIXTY, '/small': TEN });
    expect(await cluster.at(bob, (files) => files.read('/b'))).toBe(SIXTY);
  });

  it("is sent without a user's help when the administrator raises the limit", async () => {
    const { cluster, bob } = await bothWrite();
    await setLimit(cluster, 120);
    await cluster.settled();
    expect(errors(bob)).toEqual([]);
    expect(await agreed(cluster)).toEqual({ '/a': SIXTY, '/b': SIXTY });
  });

  it("is sent without a user's help when somebody frees space", async () => {
    const { cluster, ada } = await bothWrite();
    await cluster.at(ada, (files) => files.remove('/a'));
    await cluster.pass(seconds(30));
    await cluster.settled();
    expect(await agreed(cluster)).toEqual({ '/b': SIXTY });
  });

  it('survives a restart of the daemon and the server', async () => {
    const { cluster, bob } = await bothWrite();
    bob.crash();
    cluster.server.crash();
    await cluster.restart(cluster.server);
    await cluster.restart(bob);
    await cluster.pass(minutes(2));
    expect(errors(bob)).toEqual(['over-quota b']);
    // Away from the server, and anew: it is known to be held back, so a smaller one takes its place.
    cluster.cut(bob);
    bob.crash();
    await cluster.restart(bob);
    expect(errors(bob)).toEqual(['over-quota b']);
    await cluster.at(bob, (files) => files.write('/b', `${SIXTY}!`.slice(-41)));
    cluster.heal(bob);
    await cluster.pass(minutes(1));
    expect(errors(bob)).toEqual(['over-quota b']);
    expect(bob.status.queues.data.updates).toBe(1);
    await setLimit(cluster, null);
    await cluster.settled();
    expect(await agreed(cluster)).toEqual({ '/a': SIXTY, '/b': `${SIXTY}!`.slice(-41) });
  });

  it('can still be made smaller or removed', async () => {
    const { cluster, bob } = await bothWrite();
    await cluster.at(bob, (files) => files.write('/b', TEN));
    await cluster.settled();
    expect(await agreed(cluster)).toEqual({ '/a': SIXTY, '/b': TEN });
    expect(errors(bob)).toEqual([]);
    cluster.cut(bob);
    await cluster.at(bob, (files) => files.write('/b', TEN.repeat(3)));
    await cluster.at(bob, (files) => files.write('/c', TEN));
    await setLimit(cluster, 60);
    cluster.heal(bob);
    await cluster.pass(seconds(30));
    expect(errors(bob)).toEqual(['over-quota b', 'over-quota c']);
    await cluster.at(bob, (files) => files.remove('/b'));
    await cluster.pass(seconds(30));
    expect(errors(bob)).toEqual(['over-quota c']);
    await setLimit(cluster, 70);
    await cluster.settled();
    expect(await agreed(cluster)).toEqual({ '/a': SIXTY, '/c': TEN });
  });
});

it('a conflict copy that does not fit is kept, also after a restart, until there is space', async () => {
  const { cluster, ada, bob } = await pair(null);
  const second = 's'.repeat(50);
  await cluster.at(ada, (files) => files.write('/doc', TEN.repeat(5)));
  await cluster.settled();
  cluster.cut(bob);
  await cluster.at(bob, (files) => files.write('/doc', SIXTY));
  await cluster.at(ada, (files) => files.write('/doc', second));
  await setLimit(cluster, 70);
  cluster.heal(bob);
  await cluster.pass(minutes(1));
  expect(bob.status.conflicts).toHaveLength(1);
  expect(errors(bob)).toEqual(['over-quota doc']);
  bob.losePower();
  await cluster.restart(bob);
  await cluster.pass(minutes(1));
  await setLimit(cluster, null);
  await cluster.settled();
  const shown = new Set(Object.values(await agreed(cluster)));
  expect(shown).toEqual(new Set([SIXTY, second]));
});

it('contents that surely do not fit are not sent at all', async () => {
  const { cluster, bob } = await pair(null);
  cluster.cut(bob);
  await cluster.until(() => !bob.status.connected, 'bob to be offline');
  await cluster.at(bob, (files) => files.write('/big', 'b'.repeat(5_000)));
  await setLimit(cluster, 1_000);
  cluster.heal(bob);
  await cluster.pass(minutes(2));
  expect(errors(bob)).toEqual(['over-quota big']);
  const stores = [...bob.daemon.inside.log.all()].filter(({ update }) => update.op === 'store');
  expect(stores).toMatchObject([{ fresh: true, state: 'blocked' }]);
});

it('large contents that do not fit beside others under way are not sent, so that they fill no disk', async () => {
  const { cluster, ada } = await pair(null);
  cluster.cut(ada);
  await cluster.until(() => !ada.status.connected, 'ada to be offline');
  for (const name of TEN) {
    await cluster.at(ada, (files) => files.write(`/${name}`, name.repeat(50_000)));
  }
  await setLimit(cluster, 120_000);
  const line = cluster.network.pipe(ada.name, SERVER_HOST);
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 25_000 });
  const before = line.carriedBytes;
  cluster.heal(ada);
  await cluster.pass(minutes(2));
  expect(used(cluster)).toBe(100_000);
  expect(errors(ada)).toHaveLength(8);
  expect(line.carriedBytes - before).toBeLessThan(130_000);
  expect(cluster.server.inside.volumes.find(HOME)?.quota.uploads.total).toBe(0);
  await setLimit(cluster, null);
  await cluster.settled();
  expect(used(cluster)).toBe(500_000);
});

it('space that another laptop reserved and did not use becomes available again', async () => {
  const { cluster, ada, bob } = await pair(100_000);
  const size = 60_000;
  cluster.cut(bob);
  await cluster.at(bob, (files) => files.write('/b', 'b'.repeat(size)));
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 500 });
  await cluster.at(ada, (files) => files.write('/a', 'a'.repeat(size)));
  const uploads = () => cluster.server.inside.volumes.find(HOME)?.quota.uploads.total;
  await cluster.until(() => uploads() === size, 'the server to keep room for ada', minutes(1));
  cluster.heal(bob);
  await cluster.until(() => errors(bob).length > 0, 'bob to be held back', minutes(2));
  ada.crash();
  await cluster.pass(minutes(2));
  expect(used(cluster)).toBe(size);
  await cluster.settled([bob]);
  expect(errors(bob)).toEqual([]);
});

it('a store whose answer was lost is not held back by the space that it takes itself', async () => {
  const { cluster, ada } = await pair();
  const end = cluster.watch((observation) => {
    const isStore =
      observation.kind === 'committed' && observation.writes.some(({ kind }) => kind === 'used');
    if (isStore) cluster.cut(ada);
  });
  await cluster.at(ada, (files) => files.write('/doc', SIXTY));
  await cluster.pass(minutes(1));
  end();
  expect(used(cluster)).toBe(60);
  expect(ada.status.queues.data.updates).toBe(1);
  cluster.heal(ada);
  await cluster.pass(minutes(1));
  expect(errors(ada)).toEqual([]);
  await cluster.settled();
});

it('a quota that the server could not read at first applies once it can', async () => {
  const { cluster, ada, bob } = await pair(null);
  const busy = new Error('the database is busy');
  const { troubles } = cluster.server.metaStore;
  const end = troubles.add((method) => (method === 'volumes' ? busy : null));
  await setLimit(cluster, 100);
  expect(quota(ada)).toBeNull();
  // Rights are heard of all the same.
  cluster.server.revoke(bob.device);
  await cluster.pass(seconds(1));
  expect(bob.status.connected).toBe(false);
  end();
  await cluster.pass(seconds(30));
  expect(quota(ada)).toEqual({ limit: 100, used: 0, free: 100 });
});
