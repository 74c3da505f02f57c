/** User locks (rules K1 to K5): a person says "I am editing this", others see who and since when, and a lock never outlives its laptop for long. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { holdsLock } from '../../daemon/core/lock/keep-locks.ts';
import type { LockMode } from '../../shared/model/file-lock.ts';
import { volumeOf, type Fid } from '../../shared/model/fid.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { PROTOCOL } from '../../shared/wire/rpcs.ts';

const protocol = PROTOCOL.max;
afterEach(() => {
  Object.assign(PROTOCOL, { max: protocol });
});

interface Story {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
  readonly doc: Fid;
}

async function begun(): Promise<Story> {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const { fid: doc } = await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  return { cluster, ada, bob, doc };
}

const lock = ({ cluster, doc }: Story, who: ClientNode, mode: LockMode = 'exclusive') =>
  cluster.run(who.daemon.locks.lock(doc, mode), 'the lock');
const unlock = ({ cluster, doc }: Story, who: ClientNode, breaks = false) =>
  cluster.run(who.daemon.locks.unlock(doc, breaks), 'the end of the lock');
const seen = (who: ClientNode): string[] =>
  who.daemon.locks
    .report()
    .locks.map(({ device, path, state, isOwn }) =>
      [isOwn ? 'own' : device, path ?? '?', state].join(' '),
    );
const lost = (who: ClientNode): string[] =>
  who.daemon.locks.report().lost.map(({ path, why, by }) => [path, why, by ?? ''].join(' ').trim());
const holds = (who: ClientNode, doc: Fid): boolean => holdsLock(who.daemon.inside, doc);
const code = (code: string) => expect.objectContaining({ code });

describe('a lock', () => {
  it('is seen by others at once, keeps them from having it, and ends with the word of its person', async () => {
    const story = await begun();
    const { cluster, ada, bob } = story;
    expect(await lock(story, ada)).toMatchObject({ isCurrent: true, lock: { path: 'doc' } });
    await cluster.until(() => seen(bob).length > 0, 'bob to see it', seconds(2));
    expect(seen(bob)).toEqual([`${ada.name} doc held`]);
    expect(bob.daemon.locks.report().locks[0]?.since).not.toBeNull();
    await expect(lock(story, bob)).rejects.toEqual(code('locked'));
    await expect(lock(story, bob, 'shared')).rejects.toEqual(code('locked'));
    await expect(unlock(story, bob)).rejects.toEqual(code('not-locked'));
    expect(await unlock(story, ada)).toEqual({ waits: false, others: 0 });
    await cluster.until(() => seen(bob).length === 0, 'bob to see its end', seconds(2));
    await lock(story, bob);
    expect(seen(ada)).toEqual([]);
  });

  it('lets others share it if it is shared, and nobody have it alone', async () => {
    const story = await begun();
    const { cluster, ada, bob, doc } = story;
    await lock(story, ada, 'shared');
    await lock(story, bob, 'shared');
    expect([holds(ada, doc), holds(bob, doc)]).toEqual([true, true]);
    await expect(lock(story, ada)).rejects.toEqual(code('locked'));
    await unlock(story, bob);
    await cluster.until(() => seen(ada).length === 1, 'the end of the other', seconds(2));
    await lock(story, ada);
    await expect(lock(story, bob, 'shared')).rejects.toEqual(code('locked'));
  });

  it('loses no save of another, and ends with the removal of its file', async () => {
    const story = await begun();
    const { cluster, ada, bob, doc } = story;
    await lock(story, ada);
    await cluster.at(bob, (files) => files.write('/doc', 'from bob'));
    await cluster.settled();
    expect(cluster.shown(ada)).toEqual({ '/doc': 'from bob' });
    expect(holds(ada, doc)).toBe(true);
    await cluster.at(bob, (files) => files.remove('/doc'));
    await cluster.settled();
    await cluster.until(() => lost(ada).length > 0, 'ada to be told', seconds(20));
    expect(lost(ada)).toEqual(['doc file-gone']);
  });

  it('is released when the last save under it is committed, and the next one sees that save', async () => {
    const story = await begun();
    const { cluster, ada, bob } = story;
    await lock(story, ada);
    cluster.network.shape(ada.name, 'server', { bytesPerSecond: 20_000 });
    const text = 'x'.repeat(100_000);
    await cluster.at(ada, (files) => files.write('/doc', text));
    expect(await unlock(story, ada)).toEqual({ waits: true, others: 0 });
    await expect(lock(story, bob)).rejects.toEqual(code('locked'));
    await cluster.until(() => seen(ada).length === 0, 'the release', minutes(1));
    await lock(story, bob);
    await cluster.settled();
    expect(cluster.shown(bob)['/doc']?.length).toBe(text.length);
  });

  it.each([
    ['by its holder', true],
    ['by another', false],
  ])('goes on with a file that is saved by a rename over it, %s', async (_who, isHolder) => {
    const story = await begun();
    const { cluster, ada, bob } = story;
    await lock(story, ada);
    await cluster.at(isHolder ? ada : bob, async (files) => {
      await files.write('/doc.new', 'second');
      await files.rename('/doc.new', '/doc');
    });
    await cluster.settled();
    await cluster.until(() => seen(ada).includes('own doc held'), 'its new number', seconds(20));
    expect(lost(ada)).toEqual([]);
    await cluster.until(() => seen(bob)[0]?.includes(' doc ') === true, 'bob to see', seconds(20));
    expect(seen(bob)).toEqual([`${ada.name} doc held`]);
  });
});

describe('a laptop that is cut off', () => {
  it('has its lock again if it comes back before the lease is over', async () => {
    const story = await begun();
    const { cluster, ada, bob, doc } = story;
    await lock(story, ada);
    cluster.cut(ada);
    await cluster.pass(seconds(5));
    await expect(lock(story, bob)).rejects.toEqual(code('locked'));
    cluster.heal(ada);
    await cluster.until(() => holds(ada, doc), 'ada to have it', minutes(2));
    expect(lost(ada)).toEqual([]);
  });

  it('loses it with its lease to who asks, and knows of that when it is back', async () => {
    const story = await begun();
    const { cluster, ada, bob, doc } = story;
    await lock(story, ada);
    cluster.cut(ada);
    await cluster.until(() => seen(bob).length === 0 && !holds(ada, doc), 'its end', minutes(3));
    await lock(story, bob);
    cluster.heal(ada);
    await cluster.until(() => lost(ada).length > 0, 'ada to be told', minutes(2));
    expect(lost(ada)).toEqual([`doc taken ${bob.name}`]);
    expect([holds(ada, doc), holds(bob, doc)]).toEqual([false, true]);
  });

  it('has it again after a long time if nobody asked, and not after half an hour', async () => {
    const story = await begun();
    const { cluster, ada, doc } = story;
    await lock(story, ada);
    cluster.cut(ada);
    await cluster.pass(minutes(10));
    cluster.heal(ada);
    await cluster.until(() => holds(ada, doc), 'ada to have it', minutes(2));
    cluster.cut(ada);
    await cluster.pass(minutes(40));
    cluster.heal(ada);
    await cluster.until(() => lost(ada).length > 0, 'ada to be told', minutes(2));
    expect(lost(ada)).toEqual(['doc away']);
  });

  it('can not lock while the server is away', async () => {
    const story = await begun();
    const { cluster, ada } = story;
    cluster.cut(ada);
    await cluster.pass(minutes(2));
    await expect(lock(story, ada)).rejects.toEqual(code('not-connected'));
    expect(ada.daemon.locks.report()).toEqual({ isCurrent: false, locks: [], lost: [] });
  });
});

describe('a holder of a lock', () => {
  it('keeps it over a restart of the daemon', async () => {
    const story = await begun();
    const { cluster, ada, doc } = story;
    await lock(story, ada);
    await cluster.restart(ada);
    await cluster.until(() => holds(ada, doc), 'ada to have it', minutes(2));
    expect(lost(ada)).toEqual([]);
  });

  it('has had it since the person locked it, whatever ended and came back since', async () => {
    const story = await begun();
    const { cluster, ada, bob, doc } = story;
    const { since } = (await lock(story, ada)).lock;
    const own = () => ada.daemon.locks.report().locks.map((each) => each.since);
    const others = () => bob.daemon.locks.report().locks.map((each) => each.since);
    expect(since).not.toBeNull();
    await cluster.pass(minutes(1));
    cluster.cut(ada);
    await cluster.restart(ada);
    expect(own()).toEqual([since]);
    await cluster.pass(minutes(5));
    cluster.heal(ada);
    await cluster.until(() => holds(ada, doc), 'ada to have it', minutes(2));
    await cluster.restart(cluster.server);
    await cluster.until(() => holds(ada, doc) && seen(bob).length > 0, 'it again', minutes(2));
    expect([own(), others()]).toEqual([[since], [since]]);
  });

  it('hears that another has a newer version that is not coming', async () => {
    const story = await begun();
    const { cluster, ada, bob } = story;
    expect(await lock(story, ada)).toMatchObject({ behind: false });
    await unlock(story, ada);
    bob.daemon.pause();
    await cluster.at(bob, (files) => files.write('/doc', 'from bob'));
    await cluster.pass(seconds(2));
    expect(await lock(story, ada)).toMatchObject({ behind: true, lock: { state: 'held' } });
    await unlock(story, ada);
    cluster.cut(bob);
    expect(await lock(story, ada)).toMatchObject({ behind: true, lock: { state: 'held' } });
  });

  it('sees a file that is gone by the path that it had last', async () => {
    const story = await begun();
    const { cluster, ada } = story;
    await lock(story, ada);
    await cluster.at(ada, (files) => files.rename('/doc', '/plan'));
    await cluster.settled();
    await cluster.at(ada, (files) => files.remove('/plan'));
    await cluster.settled();
    await cluster.until(() => lost(ada).length > 0, 'ada to be told', seconds(20));
    await cluster.restart(ada);
    expect(lost(ada)).toEqual(['plan file-gone']);
  });

  it('keeps it over a restart of the server', async () => {
    const story = await begun();
    const { cluster, ada, bob, doc } = story;
    await lock(story, ada);
    cluster.cut(ada);
    await cluster.restart(cluster.server);
    // He is back at once, and the server waits for her lease.
    const asked = expect(lock(story, bob)).rejects.toEqual(code('locked'));
    await cluster.pass(seconds(3));
    cluster.heal(ada);
    await asked;
    await cluster.until(() => holds(ada, doc), 'ada to have it', minutes(2));
    expect([lost(ada), holds(bob, doc)]).toEqual([[], false]);
  });
});

describe('a lock of another', () => {
  it('can be broken, and its holder hears of that before somebody else has it', async () => {
    const story = await begun();
    const { cluster, ada, bob, doc } = story;
    await lock(story, ada);
    expect(await unlock(story, bob, true)).toEqual({ waits: true, others: 1 });
    await cluster.until(() => lost(ada).length > 0, 'ada to be told', seconds(2));
    expect([lost(ada), holds(ada, doc)]).toEqual([[`doc broken ${bob.name}`], false]);
    await cluster.until(() => seen(bob).length === 0, 'the end of the lock', seconds(2));
    await lock(story, bob);
    expect(holds(bob, doc)).toBe(true);
  });

  it('ends with the lease if it is broken while its laptop is away', async () => {
    const story = await begun();
    const { cluster, ada, bob } = story;
    await lock(story, ada);
    cluster.cut(ada);
    expect(await unlock(story, bob, true)).toEqual({ waits: true, others: 1 });
    await expect(lock(story, bob)).rejects.toEqual(code('locked'));
    cluster.heal(ada);
    await cluster.until(() => lost(ada).length > 0, 'ada to be told', minutes(2));
    expect(lost(ada)).toEqual([`doc broken ${bob.name}`]);
    await lock(story, bob);
  });
});

it('a laptop that is promised nothing for a while sees locks and their ends as soon as others', async () => {
  const story = await begun();
  const { cluster, ada, bob } = story;
  // It dies with an open connection: a save waits for its lease, and the server trusts it less.
  cluster.cut(bob);
  bob.crash();
  await cluster.at(ada, (files) => files.write('/doc', 'second'));
  await cluster.settled([ada]);
  cluster.heal(bob);
  await cluster.restart(bob);
  await cluster.settled();
  expect(bob.daemon.inside.sharing.promises.holdsVolume(volumeOf(story.doc))).toBe(false);
  await lock(story, ada);
  await cluster.until(() => seen(bob).length > 0, 'bob to see it', seconds(2));
  await unlock(story, ada);
  await cluster.until(() => seen(bob).length === 0, 'bob to see its end', seconds(2));
});

it('a laptop that may only read sees locks, and can neither have nor break one', async () => {
  const story = await begun();
  const { cluster, ada } = story;
  const eve = await cluster.join('read', 'eve');
  await cluster.settled();
  await lock(story, ada);
  await cluster.until(() => seen(eve).length > 0, 'eve to see it', seconds(20));
  const refusal = {
    code: 'no-right',
    message: expect.stringMatching(/may only read the volume \S/),
  };
  await expect(lock(story, eve)).rejects.toMatchObject(refusal);
  await expect(unlock(story, eve, true)).rejects.toEqual(code('no-right'));
});

it('a laptop that the server admits no more hears so where it wants a lock', async () => {
  const story = await begun();
  const { cluster, ada, bob } = story;
  await lock(story, ada);
  cluster.server.revoke(bob.device);
  cluster.cut(bob);
  cluster.heal(bob);
  await cluster.until(() => bob.status.errors.length > 0, 'bob to be refused', minutes(2));
  await expect(lock(story, bob)).rejects.toEqual(code('device-revoked'));
  await expect(unlock(story, bob, true)).rejects.toEqual(code('device-revoked'));
});

it('a server that is too old gets no question that it does not know', async () => {
  Object.assign(PROTOCOL, { max: 6 });
  const story = await begun();
  await expect(lock(story, story.ada)).rejects.toEqual(code('server-too-old'));
  expect(story.ada.daemon.locks.report().isCurrent).toBe(false);
});
