/** A file that one laptop alone uses is unshared: the laptop does not announce hidden updates until another one asks (rules S1, S3). */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { queueNow } from '../../app/lab/simulator/cluster/queue-now.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { unsharedIn, type Fid } from '../../shared/model/fid.ts';
import { minutes, seconds } from '../../shared/model/time.ts';

interface Story {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
  readonly doc: Fid;
}

/** Starts with a file that ada has read again since she made it, and that is unshared. Bob fetches on demand and has not read it yet. */
async function begun(options: { frontEnd?: 'folder' | 'none' } = {}): Promise<Story> {
  const sharing = { period: minutes(10), readerWait: seconds(5) };
  const cluster = await Cluster.start({ clients: 1, frontEnd: 'none', sharing, ...options });
  const bob = await cluster.join('write', 'owner', { frontEnd: 'none' });
  const [ada] = cluster.clients as [ClientNode];
  const { fid: doc } = await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled([ada]);
  await cluster.at(ada, (files) => files.look('/doc'));
  await cluster.until(
    () => ada.daemon.inside.sharing.promises.isOwn(doc),
    'it to be her own',
    seconds(40),
  );
  return { cluster, ada, bob, doc };
}

const marksOf = ({ cluster, ada }: Story): Fid[] =>
  cluster.server.inside.volumes.marksOf(ada.device ?? 0).map(({ fid }) => fid);
const owns = ({ ada }: Story): Fid => unsharedIn(ada.volume);

async function slowSave(story: Story, text: string): Promise<void> {
  const { cluster, ada } = story;
  cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 50_000 });
  await cluster.at(ada, async (files) => {
    for (let file = 0; file < 60; file++) await files.write(`/file ${file}`, 'x'.repeat(25_000));
    await files.write('/doc', text);
  });
  await cluster.pass(seconds(1));
}

describe.each(['folder', 'none'] as const)('an unshared volume (front end %s)', (frontEnd) => {
  it('is marked as a whole as long as it has a hidden update', async () => {
    const story = await begun({ frontEnd });
    const { cluster, ada } = story;
    ada.daemon.pause();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.until(() => marksOf(story).length > 0, 'the server to know', seconds(2));
    expect(marksOf(story)).toEqual([owns(story)]);
    ada.daemon.resume();
    await cluster.settled([ada]);
    await cluster.until(() => marksOf(story).length === 0, 'the end of that', seconds(2));
  });

  it('is shown to a reader with its hidden updates, which are hurried', async () => {
    const story = await begun({ frontEnd });
    const { cluster, ada, bob, doc } = story;
    await slowSave(story, 'second');
    const start = cluster.world.time.now();
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('second');
    // What was queued before it takes half a minute.
    expect(cluster.world.time.now() - start).toBeLessThan(4000);
    expect(ada.daemon.inside.sharing.promises.isOwn(doc)).toBe(false);
    expect(ada.daemon.inside.log.unanswered).toBeGreaterThan(0);
  });

  it('stays shared while both laptops have a promise, and its saves go before others', async () => {
    const story = await begun({ frontEnd });
    const { cluster, ada, bob, doc } = story;
    await cluster.at(bob, (files) => files.write('/doc', 'of bob'));
    await cluster.settled([bob]);
    await cluster.pass(seconds(1));
    expect(await cluster.at(ada, (files) => files.read('/doc'))).toBe('of bob');
    await cluster.at(bob, (files) => files.read('/doc'));
    expect(ada.daemon.inside.sharing.promises.isOwn(doc)).toBe(false);
    await slowSave(story, 'of ada');
    const { entries } = queueNow(ada.daemon, 1000);
    expect(ada.daemon.inside.sharing.sharedFiles.has(doc)).toBe(true);
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('of ada');
    expect(entries.some(({ priorityClass }) => priorityClass === 'STORE_DATA')).toBe(true);
    expect(entries.filter(({ path }) => path === 'doc')).toEqual([]);
  });
});

it('a reader does not wait for an unshared volume without hidden updates', async () => {
  const { cluster, ada, bob } = await begun();
  cluster.cut(ada);
  const start = cluster.world.time.now();
  expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('first');
  expect(cluster.world.time.now() - start).toBeLessThan(1000);
});

it('a reader waits only a moment for an unshared volume whose laptop is cut off', async () => {
  const story = await begun();
  const { cluster, ada, bob } = story;
  await slowSave(story, 'second');
  await cluster.until(() => marksOf(story).includes(owns(story)), 'the server to know', seconds(5));
  cluster.cut(ada);
  const start = cluster.world.time.now();
  const { attributes, bytes } = await cluster.at(bob, (files) => files.opened('/doc'));
  expect([new TextDecoder().decode(bytes), attributes.behind]).toEqual(['first', true]);
  expect(cluster.world.time.now() - start).toBeLessThan(2500);
  cluster.heal(ada);
  await cluster.settled([ada]);
  expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('second');
});

it.each(['ada', 'server', 'both'])(
  'an unshared volume is marked again after a restart of %s',
  async (who) => {
    const story = await begun();
    const { cluster, ada, bob, doc } = story;
    ada.daemon.pause();
    await cluster.at(ada, (files) => files.write('/doc', 'second'));
    await cluster.until(() => marksOf(story).length > 0, 'the server to know', seconds(2));
    if (who !== 'server') ada.crash();
    if (who !== 'ada') await cluster.restart(cluster.server);
    if (who !== 'server') await cluster.run(ada.start(), 'ada to start');
    await cluster.until(() => ada.status.connected && bob.status.connected, 'both to be back');
    await cluster.until(() => marksOf(story).includes(doc), 'her to tell', minutes(1));
    expect(marksOf(story)).not.toContain(owns(story));
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('first');
    expect(bob.daemon.inside.sharing.promises.usable(doc)).toBe(false);
    ada.daemon.resume();
    await cluster.settled([ada, bob]);
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('second');
  },
);

it("an absent laptop's unshared volume with hidden updates is promised to nobody", async () => {
  const story = await begun();
  const { cluster, ada, bob, doc } = story;
  ada.daemon.pause();
  await cluster.at(ada, (files) => files.write('/doc', 'second'));
  await cluster.until(() => marksOf(story).length > 0, 'the server to know', seconds(2));
  cluster.cut(ada);
  await cluster.pass(minutes(1));
  expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('first');
  expect(bob.daemon.inside.sharing.promises.usable(doc)).toBe(false);
  cluster.heal(ada);
  ada.daemon.resume();
  await cluster.settled([ada, bob]);
  expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('second');
  expect(bob.daemon.inside.sharing.promises.usable(doc)).toBe(true);
});
