/** People set which files several laptops use (rule S1): `shared` is an order, `unshared` a wish, and the setting of a folder holds for everything in it. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { queueNow } from '../../app/lab/simulator/cluster/queue-now.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { unsharedIn, type Fid } from '../../shared/model/fid.ts';
import type { SharingOrder } from '../../shared/model/sharing.ts';
import { minutes, seconds } from '../../shared/model/time.ts';

interface Story {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
  readonly team: Fid;
  readonly doc: Fid;
}

/** Starts with /team/doc unshared at ada: nobody else has read it. */
async function begun(): Promise<Story> {
  const sharing = { period: minutes(10), readerWait: seconds(5) };
  const cluster = await Cluster.start({ clients: 1, frontEnd: 'none', sharing });
  const bob = await cluster.join('write', 'owner', { frontEnd: 'none' });
  const [ada] = cluster.clients as [ClientNode];
  const { fid: team } = await cluster.at(ada, (files) => files.mkdir('/team'));
  const { fid: doc } = await cluster.at(ada, (files) => files.write('/team/doc', 'first'));
  await cluster.settled([ada]);
  await cluster.at(ada, (files) => files.look('/team/doc'));
  await cluster.until(
    () => ada.daemon.inside.sharing.promises.isOwn(doc),
    'it to be her own',
    seconds(40),
  );
  return { cluster, ada, bob, team, doc };
}

const say = ({ cluster, ada }: Story, fid: Fid, order: SharingOrder | null, by = ada) =>
  cluster.run(by.daemon.orderSharing(fid, order), 'the word to be taken');
const marksOf = ({ cluster, ada }: Story): Fid[] =>
  cluster.server.inside.volumes.marksOf(ada.device ?? 0).map(({ fid }) => fid);
const ordersOf = ({ daemon }: ClientNode) =>
  daemon.sharing(null).orders.map(({ path, order }) => `${path ?? '?'} ${order}`);

describe('the order "shared" for a folder', () => {
  it('makes each hidden update in the folder known although the laptop has it unshared', async () => {
    const story = await begun();
    const { cluster, ada, team, doc } = story;
    expect(await say(story, team, 'shared')).toEqual({
      order: 'shared',
      from: 'team',
      counts: 'shared',
    });
    ada.daemon.pause();
    await cluster.at(ada, (files) => files.write('/team/doc', 'second'));
    await cluster.until(() => marksOf(story).length > 0, 'the server to know', seconds(2));
    expect(marksOf(story)).toEqual([doc]);
  });

  it('makes earlier hidden updates known and replaces the mark of the whole volume', async () => {
    const story = await begun();
    const { cluster, ada, bob, team, doc } = story;
    ada.daemon.pause();
    await cluster.at(ada, (files) => files.write('/team/doc', 'second'));
    const whole = unsharedIn(ada.volume);
    await cluster.until(() => marksOf(story).includes(whole), 'the server to know', seconds(2));
    await say(story, team, 'shared', bob);
    // The next answer tells her.
    await cluster.until(() => marksOf(story).includes(doc), 'her to tell', minutes(1));
    await cluster.until(() => !marksOf(story).includes(whole), 'the end of that', seconds(2));
  });

  it('sends saves in the folder before others, also queued ones', async () => {
    const story = await begun();
    const { cluster, ada, bob, team } = story;
    cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 50_000 });
    await cluster.at(ada, async (files) => {
      for (let file = 0; file < 60; file++) await files.write(`/file ${file}`, 'x'.repeat(25_000));
      await files.write('/team/doc', 'second');
    });
    const start = cluster.world.time.now();
    await say(story, team, 'shared');
    const classOfDoc = () =>
      queueNow(ada.daemon, 1000).entries.find(({ path }) => path === 'team/doc')?.priorityClass;
    expect([undefined, 'STORE_FAST']).toContain(classOfDoc());
    await cluster.until(() => classOfDoc() === undefined, 'it to be there', seconds(5));
    expect(cluster.world.time.now() - start).toBeLessThan(5000);
    expect(ada.daemon.inside.log.unanswered).toBeGreaterThan(20);
    expect(await cluster.at(bob, (files) => files.read('/team/doc'))).toBe('second');
  });

  it('ends when it is taken back, and loses against a nearer order', async () => {
    const story = await begun();
    const { ada, team, doc } = story;
    await say(story, team, 'shared');
    expect(await say(story, doc, 'unshared')).toMatchObject({ counts: 'unshared' });
    expect(await say(story, doc, null)).toMatchObject({ order: 'shared', from: 'team' });
    expect(await say(story, team, null)).toMatchObject({ order: 'auto', from: null });
    expect(ada.daemon.sharing(doc)).toEqual({
      orders: [],
      of: { order: 'auto', from: null, counts: 'unshared' },
    });
  });
});

describe('the wish "unshared" for a folder', () => {
  /** Both have used it, and Bob has no promise any more: the monitor goes on thinking that it is shared. */
  async function used(story: Story): Promise<void> {
    const { cluster, ada, bob, doc } = story;
    await cluster.at(bob, (files) => files.write('/team/doc', 'of bob'));
    await cluster.settled([bob]);
    expect(await cluster.at(ada, (files) => files.read('/team/doc'))).toBe('of bob');
    bob.crash();
    // Its lease ends.
    await cluster.pass(minutes(1));
    await cluster.at(ada, (files) => files.write('/team/doc', 'of ada'));
    await cluster.settled([ada]);
    await cluster.at(ada, (files) => files.look('/team/doc'));
    const { monitor } = cluster.server.inside.volumes.of(doc);
    expect(monitor.isShared(doc, cluster.world.time.now())).toBe(true);
  }
  const isHers = ({ ada, doc }: Story) => ada.daemon.inside.sharing.promises.isOwn(doc);

  it('is granted to the only holder of a promise, whoever used the folder lately', async () => {
    const story = await begun();
    await used(story);
    expect(isHers(story)).toBe(false);
    await say(story, story.team, 'unshared');
    // She is asked for nothing as long as her promise holds.
    story.cluster.cut(story.ada);
    await story.cluster.pass(minutes(1));
    story.cluster.heal(story.ada);
    await story.cluster.until(() => story.ada.status.connected, 'ada to be back', minutes(2));
    await story.cluster.at(story.ada, (files) => files.look('/team/doc'));
    await story.cluster.until(() => isHers(story), 'it to be her own', seconds(5));
  });

  it('is not granted while two laptops have a promise', async () => {
    const story = await begun();
    const { cluster, ada, bob, doc } = story;
    await cluster.at(bob, (files) => files.read('/team/doc'));
    await say(story, doc, 'unshared');
    await cluster.at(ada, (files) => files.look('/team/doc'));
    await cluster.at(bob, (files) => files.look('/team/doc'));
    expect(isHers(story) || bob.daemon.inside.sharing.promises.isOwn(doc)).toBe(false);
  });
});

describe('a sharing order', () => {
  it('reaches the other laptops and lasts over restarts of the server and of an offline laptop', async () => {
    const story = await begun();
    const { cluster, ada, bob, team, doc } = story;
    await say(story, team, 'shared');
    await say(story, doc, 'unshared');
    const said = ['team shared', 'team/doc unshared'];
    await cluster.at(bob, (files) => files.look('/team/doc'));
    await cluster.until(() => ordersOf(bob).length === 2, 'bob to hear', minutes(1));
    expect(ordersOf(bob)).toEqual(said);
    cluster.server.crash();
    await cluster.run(cluster.server.start(), 'the server to start');
    cluster.cut(ada);
    ada.crash();
    await cluster.run(ada.start(), 'ada to start');
    expect(ordersOf(ada)).toEqual(said);
    cluster.heal(ada);
    await cluster.until(() => ada.status.connected, 'ada to be back', minutes(2));
    await say(story, team, null);
    expect(ordersOf(ada)).toEqual(['team/doc unshared']);
    await cluster.until(() => ordersOf(bob).length === 1, 'bob to hear', minutes(1));
  });

  it('follows a file that is replaced by rename and ends when the file is removed (rule W3)', async () => {
    const story = await begun();
    const { cluster, ada, bob, doc } = story;
    await say(story, doc, 'shared');
    const { fid: next } = await cluster.at(ada, async (files) => {
      const written = await files.write('/team/doc~', 'second');
      await files.rename('/team/doc~', '/team/doc');
      return written;
    });
    expect(ada.daemon.sharing(next).of).toMatchObject({ order: 'shared', from: 'team/doc' });
    await cluster.settled([ada]);
    await cluster.until(() => ordersOf(bob).length === 1, 'bob to hear', minutes(1));
    expect(bob.daemon.sharing(null).orders).toMatchObject([{ fid: next, order: 'shared' }]);
    await cluster.at(ada, (files) => files.remove('/team/doc'));
    await cluster.settled([ada]);
    await cluster.until(() => ordersOf(bob).length + ordersOf(ada).length === 0, 'all', minutes(1));
  });

  it.each<[string, (story: Story) => Promise<Fid> | Fid, RegExp]>([
    ['for an unknown file', () => '1.77777.7' as Fid, /no-such-vnode/],
    ['for a file in no volume', () => '9.2.2' as Fid, /no-such-volume/],
    [
      'away from the server',
      ({ cluster, ada, doc }) => {
        cluster.cut(ada);
        return doc;
      },
      /not-connected/,
    ],
    [
      'for a file that the server lacks',
      async ({ cluster, ada }) => {
        ada.daemon.pause();
        return (await cluster.at(ada, (files) => files.write('/team/new', 'x'))).fid;
      },
      /not-committed/,
    ],
  ])('is refused %s', async (_, given, why) => {
    const story = await begun();
    const fid = await given(story);
    const refused = story.ada.daemon.orderSharing(fid, 'shared').then(
      () => 'taken',
      (error: { code: string }) => error.code,
    );
    expect(await story.cluster.run(refused, 'an answer')).toMatch(why);
    expect(ordersOf(story.ada)).toEqual([]);
  });

  it('is refused to a user who may only read', async () => {
    const story = await begun();
    const eve = await story.cluster.join('read', 'guest', { frontEnd: 'none' });
    const refused = eve.daemon.orderSharing(story.doc, 'shared').catch((error: unknown) => error);
    expect(await story.cluster.run(refused, 'an answer')).toMatchObject({ code: 'no-right' });
  });
});
