/** How a writer keeps others from reading stale data (MFS, figure 8), and what a reader gets while the writer is disconnected (rules S2, S4). */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { queueNow } from '../../app/lab/simulator/cluster/queue-now.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import type { ConsistencyChange } from '../../shared/model/consistency.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { reorderedBy } from '../../daemon/core/log/reordering.ts';

interface Story {
  readonly cluster: Cluster;
  readonly ada: ClientNode;
  readonly bob: ClientNode;
  readonly doc: Fid;
}

/** Starts two laptops that have read the file and have promises for it. */
async function begun(change: ConsistencyChange): Promise<Story> {
  const sharing = { period: minutes(10), readerWait: seconds(5) };
  const cluster = await Cluster.start({ seed: 1, frontEnd: 'none', partial: null, sharing });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.run(ada.daemon.consistency(change), 'the settings');
  const { fid: doc } = await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  await cluster.at(bob, (files) => files.read('/doc'));
  await cluster.at(ada, (files) => files.write('/doc', 'again'));
  await cluster.settled();
  await cluster.at(bob, (files) => files.read('/doc'));
  await cluster.at(ada, (files) => files.read('/doc'));
  return { cluster, ada, bob, doc };
}

const save = ({ cluster, ada }: Story, text: string) =>
  cluster.at(ada, (files) => files.write('/doc', text));
const marked = ({ cluster, ada }: Story): Fid[] =>
  cluster.server.inside.volumes.marksOf(ada.device ?? 0).map(({ fid }) => fid);
async function read({ cluster, bob }: Story) {
  const { attributes, bytes } = await cluster.at(bob, (files) => files.opened('/doc'));
  return { text: new TextDecoder().decode(bytes), behind: attributes.behind === true };
}

describe('the setting invalidations=sync', () => {
  it.each(['async', 'sync'] as const)(
    "lets a close wait for the server's mark only with this setting (%s)",
    async (how) => {
      const story = await begun({ invalidations: how });
      const { ada, doc } = story;
      ada.daemon.pause();
      await save(story, 'second');
      expect(marked(story)).toEqual(how === 'sync' ? [doc] : []);
    },
  );

  it('makes a close wait for the mark, not for the store, when the store is sent at once', async () => {
    const story = await begun({ invalidations: 'sync' });
    const { cluster, ada, doc } = story;
    cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 10_000 });
    const start = cluster.world.time.now();
    await save(story, 'second '.repeat(10_000));
    expect(marked(story)).toEqual([doc]);
    expect(cluster.world.time.now() - start).toBeLessThan(2000);
    expect(ada.daemon.inside.log.unanswered).toBe(1);
    await cluster.settled();
    expect(await read(story)).toMatchObject({ behind: false });
    expect(marked(story)).toEqual([]);
  });

  it('does not delay the close of a file that nobody else can know', async () => {
    const story = await begun({ invalidations: 'sync' });
    const { cluster, ada } = story;
    ada.daemon.pause();
    await cluster.at(ada, (files) => files.write('/new', 'text'));
    expect(ada.daemon.inside.sharing.toldCloses.size).toBe(0);
  });

  it('does not delay a laptop that is offline or is cut off meanwhile', async () => {
    const story = await begun({ invalidations: 'sync' });
    const { cluster, ada } = story;
    ada.daemon.pause();
    cluster.cut(ada);
    const first = save(story, 'second');
    await first;
    await cluster.until(() => !ada.status.connected, 'it to notice', minutes(2));
    await save(story, 'third');
    cluster.heal(ada);
    ada.daemon.resume();
    await cluster.settled();
    expect(await read(story)).toEqual({ text: 'third', behind: false });
  });

  it('lets each of two saves of a file in one moment end', async () => {
    const story = await begun({ invalidations: 'sync' });
    const { cluster, ada } = story;
    ada.daemon.pause();
    await cluster.at(ada, async (files) => {
      await Promise.all([files.write('/doc', 'second'), files.write('/doc', 'third')]);
    });
    expect(ada.daemon.inside.sharing.toldCloses.size).toBe(0);
    ada.daemon.resume();
    await cluster.settled();
  });
});

describe('the setting invalidations=no', () => {
  it('sends no mark: a reader has the last committed version without a warning', async () => {
    const story = await begun({ invalidations: 'no' });
    story.ada.daemon.pause();
    await save(story, 'second');
    await story.cluster.pass(seconds(5));
    expect(marked(story)).toEqual([]);
    expect(await read(story)).toEqual({ text: 'again', behind: false });
  });

  it('stops hiding queued updates when it is changed', async () => {
    const story = await begun({ invalidations: 'no' });
    const { cluster, ada, doc } = story;
    ada.daemon.pause();
    await save(story, 'second');
    await cluster.run(ada.daemon.consistency({ invalidations: 'async' }), 'the settings');
    await cluster.until(() => marked(story).length > 0, 'the server to know', seconds(2));
    expect(marked(story)).toEqual([doc]);
  });

  it.each([
    ['async', ['doc']],
    ['no', []],
  ] as const)(
    'the setting invalidations=%s decides whether a message names the updates that it overtakes',
    async (how, named) => {
      const story = await begun({ invalidations: how });
      const { cluster, ada, doc } = story;
      cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 10_000 });
      await save(story, 'second '.repeat(10_000));
      const { overtaken = [] } = reorderedBy(ada.daemon.inside, 'STORE_ATTR');
      expect(overtaken.map(({ fid }) => (fid === doc ? 'doc' : fid))).toEqual(named);
    },
  );
});

describe('the setting storePriorities=uniform', () => {
  it.each([
    ['differentiated', 'STORE_FAST'],
    ['uniform', 'STORE_DATA'],
  ] as const)(
    'sends a shared file (setting %s) in the class %s, and at once when it is read',
    async (how, inClass) => {
      const story = await begun({ storePriorities: how });
      const { cluster, ada } = story;
      await cluster.at(ada, async (files) => {
        cluster.network.shape(ada.name, SERVER_HOST, { bytesPerSecond: 50_000 });
        for (let file = 0; file < 60; file++)
          await files.write(`/file ${file}`, 'x'.repeat(25_000));
        await files.write('/doc', 'second '.repeat(2_000));
      });
      const entry = queueNow(ada.daemon, 1000).entries.find(({ path }) => path === 'doc');
      expect(entry?.priorityClass).toBe(inClass);
      // Its announcement is on its way.
      await cluster.pass(seconds(1));
      const { text } = await read(story);
      expect(text.slice(0, 7)).toBe('second ');
      expect(ada.daemon.inside.log.unanswered).toBeGreaterThan(20);
    },
  );

  it('sorts queued updates again when it is set', async () => {
    const story = await begun({});
    const { cluster, ada } = story;
    ada.daemon.pause();
    await save(story, 'second');
    const classOf = () => queueNow(ada.daemon, 9).entries.map(({ priorityClass }) => priorityClass);
    expect(classOf()).toEqual(['STORE_FAST']);
    await cluster.run(ada.daemon.consistency({ storePriorities: 'uniform' }), 'the settings');
    expect(classOf()).toEqual(['STORE_DATA']);
  });
});

it('consistency settings survive a restart', async () => {
  const change = {
    invalidations: 'no',
    storePriorities: 'uniform',
    awayReads: 'try-again',
    validations: 'each',
  } as const;
  const { cluster, ada } = await begun(change);
  await cluster.restart(ada);
  expect(await cluster.run(ada.daemon.consistency({}), 'the settings')).toEqual(change);
});

describe('a reader whose writer is away', () => {
  async function away(awayReads: 'committed' | 'try-again'): Promise<Story> {
    const story = await begun({});
    const { cluster, ada, bob } = story;
    await cluster.run(bob.daemon.consistency({ awayReads }), 'the settings');
    ada.daemon.pause();
    await save(story, 'second');
    await cluster.pass(seconds(1));
    cluster.cut(ada);
    await cluster.pass(minutes(1));
    return story;
  }

  it('gets the last committed version with a warning by default', async () => {
    expect(await read(await away('committed'))).toEqual({ text: 'again', behind: true });
  });

  it('is asked to try again when that is configured, until the newer version has come', async () => {
    const story = await away('try-again');
    const { cluster, ada, bob } = story;
    await expect(read(story)).rejects.toMatchObject({ code: 'newer-elsewhere' });
    const writes = cluster.at(bob, (files) => files.write('/doc', 'of bob'));
    // A write that replaces everything reads nothing.
    await expect(writes).resolves.toBeDefined();
    cluster.heal(ada);
    ada.daemon.resume();
    await cluster.settled();
    await expect(read(story)).resolves.toMatchObject({ behind: false });
  });

  it('is asked to try again also when it waited in vain, and reads the newest version later', async () => {
    const story = await begun({});
    const { cluster, ada, bob } = story;
    await cluster.run(bob.daemon.consistency({ awayReads: 'try-again' }), 'the settings');
    ada.daemon.pause();
    await save(story, 'second');
    await cluster.pass(seconds(1));
    await expect(read(story)).rejects.toMatchObject({ code: 'newer-elsewhere' });
    ada.daemon.resume();
    await cluster.settled();
    expect(await read(story)).toEqual({ text: 'second', behind: false });
  });
});
