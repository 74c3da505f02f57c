/** The live queue: what waits to be sent is listed as it goes, and goes as a person says. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { queueNow } from '../../app/lab/simulator/cluster/queue-now.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import type { QueueAct, QueueName, QueueOutcome } from '../../shared/control/queue.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { agreed } from './agreed.ts';

async function away() {
  const cluster = await Cluster.start({ seed: 1 });
  await cluster.settled();
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  cluster.cut(ada);
  await cluster.until(() => !ada.status.connected, 'ada to be away');
  const write = (path: string, text: string | Uint8Array) =>
    cluster.at(ada, (files) => files.write(path, text));
  const order = (act: QueueAct, path: string): Promise<QueueOutcome> => {
    const target = { volume: nameOf(ada), path: path.split('/').filter(Boolean) };
    const asked = ada.daemon.orderQueue({ act, target, withDependents: false });
    return cluster.run(asked, `queue ${act}`);
  };
  return { cluster, ada, bob, write, order };
}

async function back(cluster: Cluster, client: ClientNode): Promise<void> {
  cluster.heal(client);
  await cluster.until(() => client.status.connected, `${client.name} to be back`);
}

const nameOf = (client: ClientNode) => client.status.volumes[0]?.name ?? 'none';
const listed = (client: ClientNode) =>
  queueNow(client.daemon, 100).entries.map(({ kind, path, state }) => `${kind} ${path} ${state}`);
const errors = (client: ClientNode) => client.status.errors.map(({ code }) => code);

describe('a page of the queue', () => {
  it('shows a part of one or both queues and the full count of each', async () => {
    const { ada, write } = await away();
    for (const path of ['/a', '/b', '/c']) await write(path, 'text');
    const part = (from: number, of: QueueName | null) => {
      const { total, entries } = queueNow(ada.daemon, 2, from, of);
      return [total, ...entries.map(({ kind, path }) => `${kind} ${path}`)];
    };
    expect(part(0, 'data')).toEqual([3, 'store a', 'store b']);
    expect(part(2, 'data')).toEqual([3, 'store c']);
    expect(part(1, 'metadata')).toEqual([3, 'create b', 'create c']);
    expect(part(5, null)).toEqual([6, 'store c']);
    expect(part(6, null)).toEqual([6]);
    const [create] = queueNow(ada.daemon, 1, 0, 'metadata').entries;
    expect(create).toMatchObject({ kind: 'create', bytes: 0, contentBytes: 4 });
    const [store] = queueNow(ada.daemon, 1, 0, 'data').entries;
    expect(store).not.toHaveProperty('contentBytes');
  });
});

describe('the recently moved files', () => {
  it('are listed on both laptops, the newest first, under their present names, also after a restart', async () => {
    const { cluster, ada, bob, write } = await away();
    await write('/a', 'one');
    await write('/b', 'two');
    await back(cluster, ada);
    await cluster.settled();
    await cluster.at(ada, (files) => files.rename('/b', '/c'));
    await cluster.settled();
    const recent = ({ status }: ClientNode): string[] =>
      (status.recent ?? []).map(({ how, path }) => `${how} ${path}`).sort();
    expect(recent(ada)).toEqual(['sent a', 'sent c']);
    await cluster.at(bob, (files) => files.read('/a'));
    expect(recent(bob)).toEqual(['received a', 'received c']);
    const before = bob.status.recent;
    await cluster.restart(bob);
    await cluster.settled();
    expect(bob.status.recent).toEqual(before);
    await cluster.at(ada, (files) => files.remove('/a'));
    await cluster.settled();
    expect(recent(ada)).toEqual(['sent c']);
  });
});

describe('the queue', () => {
  it('is listed in sending order with the reason why nothing is sent', async () => {
    const { ada, write } = await away();
    await write('/a', 'one');
    await write('/b', 'two');
    expect(listed(ada)).toEqual([
      'create a ready',
      'create b ready',
      'store a waiting',
      'store b waiting',
    ]);
    const { total, why, entries } = queueNow(ada.daemon, 1);
    expect({ total, why, shown: entries.length }).toEqual({
      total: 4,
      why: 'not connected',
      shown: 1,
    });
    expect(queueNow(ada.daemon, 9).entries.map(({ seconds: left }) => left)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it('sends an update first or last as ordered, also after a restart', async () => {
    const { cluster, ada, write, order } = await away();
    for (const name of ['a', 'b', 'c']) await write(`/${name}`, name);
    expect(await order('now', '/c')).toMatchObject({ updates: 2, others: 0 });
    await order('later', '/a');
    const stores = () => listed(ada).filter((line) => line.startsWith('store'));
    const wanted = ['store c waiting', 'store b waiting', 'store a waiting'];
    expect(stores()).toEqual(wanted);
    await cluster.restart(ada);
    expect(stores()).toEqual(wanted);
    cluster.heal(ada);
    expect(await agreed(cluster)).toEqual({ '/a': 'a', '/b': 'b', '/c': 'c' });
  });

  it('lets an expedited update pass the stores that fill the link', async () => {
    const { cluster, ada, write, order } = await away();
    cluster.network.shape(ada.name, SERVER_HOST, {
      delayMs: 20,
      bytesPerSecond: 64_000,
      queueMs: 50,
    });
    for (let i = 0; i < 40; i++) await write(`/${i}`, new Uint8Array(20_000));
    await write('/small', 'small');
    await back(cluster, ada);
    await cluster.pass(seconds(1));
    expect(listed(ada)).toContain('store small ready');
    await order('now', '/small');
    await cluster.pass(seconds(1));
    const left = listed(ada);
    expect(left.filter((line) => line.includes('small'))).toEqual([]);
    expect(left.filter((line) => line.endsWith('on its way')).length).toBeGreaterThan(10);
  });

  it('refuses an order about an update that it does not have', async () => {
    const { cluster, ada, order } = await away();
    await expect(order('now', '/none')).rejects.toMatchObject({ code: 'not-queued' });
    const target = { number: 4711 };
    const asked = ada.daemon.orderQueue({ act: 'now', target, withDependents: false });
    await expect(cluster.run(asked)).rejects.toMatchObject({ code: 'not-queued' });
  });
});

describe('a cancelled update', () => {
  it('stays in the log and is listed, and is sent when it is resumed', async () => {
    const { cluster, ada, bob, write, order } = await away();
    await write('/kept', 'mine');
    await write('/other', 'other');
    expect(await order('cancel', '/kept')).toMatchObject({ updates: 2, others: 0 });
    cluster.heal(ada);
    await cluster.pass(minutes(1));
    expect(cluster.shown(bob)).toEqual({ '/other': 'other' });
    expect(errors(ada)).toEqual(['put-aside', 'put-aside']);
    expect(ada.status.summary).toMatch(/2 taken out of the queue/);
    expect(ada.status.queues.data).toMatchObject({ cancelled: 1, bytes: 4, cancelledBytes: 4 });
    await expect(cluster.run(ada.daemon.flush(null))).rejects.toMatchObject({
      code: 'sync-blocked',
      remedy: expect.stringContaining('godwit queue now PATH'),
    });
    await cluster.restart(ada);
    await cluster.pass(minutes(1));
    expect(await cluster.at(ada, (files) => files.read('/kept'))).toBe('mine');
    expect(Object.keys(cluster.shown(bob))).toEqual(['/other']);
    await order('now', '/kept');
    expect(await agreed(cluster)).toEqual({ '/kept': 'mine', '/other': 'other' });
  });

  it('is sent when its file changes again, also under another name', async () => {
    const { cluster, ada, write, order } = await away();
    await write('/a', 'one');
    await write('/b', 'one');
    await order('cancel', '/');
    await write('/a', 'two');
    await cluster.at(ada, (files) => files.rename('/b', '/c'));
    cluster.heal(ada);
    expect(await agreed(cluster)).toEqual({ '/a': 'two', '/c': 'one' });
  });

  it('takes dependent updates along only when the order includes them', async () => {
    const { cluster, ada, bob, write, order } = await away();
    await write('/tmp', 'text');
    await cluster.at(ada, (files) => files.rename('/tmp', '/doc'));
    const number =
      queueNow(ada.daemon, 9).entries.find(({ kind }) => kind === 'store')?.number ?? 0;
    const cancel = (withDependents: boolean) =>
      cluster.run(
        ada.daemon.orderQueue({ act: 'cancel', target: { number }, withDependents }),
        'a cancel',
      );
    await expect(cancel(false)).rejects.toMatchObject({ code: 'update-needed' });
    expect(await cancel(true)).toMatchObject({ updates: 1, others: 1 });
    cluster.heal(ada);
    await cluster.pass(minutes(1));
    expect(Object.values(cluster.shown(bob))).not.toContain('text');
    await order('later', '/doc');
    expect(await agreed(cluster)).toEqual({ '/doc': 'text' });
  });

  it('may be a store that was perhaps sent before, but not such a metadata update', async () => {
    const { cluster, ada, bob, write, order } = await away();
    await write('/a', 'one');
    await cluster.restart(ada);
    expect(await order('cancel', '/a')).toMatchObject({ updates: 2 });
    cluster.heal(ada);
    await cluster.pass(minutes(1));
    expect(listed(ada)).toEqual(['store a cancelled']);
    expect(cluster.shown(bob)['/a'] ?? '').not.toBe('one');
    await order('now', '/a');
    expect(await agreed(cluster)).toEqual({ '/a': 'one' });
  });
});

describe('a time estimate', () => {
  it('is measured, and is missing when nothing is sent', async () => {
    const { cluster, ada, write } = await away();
    const shape = { delayMs: 20, bytesPerSecond: 64_000, queueMs: 50 };
    cluster.network.shape(ada.name, SERVER_HOST, shape);
    await write('/big', new Uint8Array(1_200_000));
    const estimate = () => ada.status.queues.data.estimate;
    await cluster.pass(seconds(1));
    expect(estimate()).toMatchObject({ seconds: null, why: 'not connected' });
    await back(cluster, ada);
    await cluster.pass(seconds(6));
    const told = estimate().seconds ?? 0;
    expect(told).toBeGreaterThan(9);
    expect(told).toBeLessThan(20);
    expect(queueNow(ada.daemon, 1).entries[0]?.seconds).toBeGreaterThan(9);
    ada.daemon.pause();
    await cluster.pass(seconds(1));
    expect(estimate()).toMatchObject({ seconds: null, why: 'paused' });
    ada.daemon.resume();
    await cluster.settled();
    expect(estimate()).toMatchObject({ seconds: 0, why: null });
  });
});

describe('a file that is made and removed before it was sent', () => {
  const commits = async (cluster: Cluster) => (await cluster.run(cluster.server.history())).length;
  const queues = ({ status }: ClientNode) => [
    status.queues.metadata.updates,
    status.queues.data.updates,
  ];

  async function unsent() {
    const made = await away();
    return { ...made, before: await commits(made.cluster) };
  }

  it('is never sent, and its contents are released', async () => {
    const { cluster, ada, before, write } = await unsent();
    await cluster.at(ada, async (files) => {
      await files.mkdir('/build');
      await files.write('/build/a.o', 'one');
      await files.write('/build/a.o', 'two');
      await files.chmod('/build/a.o', 0o600);
      await files.rename('/build/a.o', '/build/b.o');
      await files.symlink('/build/l', 'b.o');
    });
    await write('/kept', 'kept');
    const held = ada.disk.list('').filter((path) => path.includes('/contents/')).length;
    await cluster.at(ada, async (files) => {
      await files.remove('/build/b.o');
      await files.remove('/build/l');
      await files.rmdir('/build');
    });
    expect(queues(ada)).toEqual([1, 1]);
    await cluster.pass(seconds(1));
    expect(ada.disk.list('').filter((path) => path.includes('/contents/')).length).toBeLessThan(
      held,
    );
    await back(cluster, ada);
    expect(await agreed(cluster)).toEqual({ '/kept': 'kept' });
    expect(await commits(cluster)).toBe(before + 2);
  });

  it.each<[string, (parts: Awaited<ReturnType<typeof unsent>>) => Promise<unknown>]>([
    ['it may have been sent', ({ cluster, ada }) => cluster.restart(ada)],
    ['it has another name', ({ cluster, ada }) => cluster.at(ada, (f) => f.link('/a', '/b'))],
    [
      'it took the place of something',
      ({ cluster, ada }) => cluster.at(ada, (f) => f.rename('/a', '/doc')),
    ],
  ])('is sent when %s', async (_, meanwhile) => {
    const cluster = await Cluster.start({ seed: 1 });
    const [ada] = cluster.clients as [ClientNode];
    await cluster.at(ada, (files) => files.write('/doc', 'doc'));
    await cluster.settled();
    cluster.cut(ada);
    await cluster.until(() => !ada.status.connected, 'ada to be away');
    await cluster.at(ada, (files) => files.write('/a', 'a'));
    const parts = { cluster, ada } as Awaited<ReturnType<typeof unsent>>;
    await meanwhile(parts);
    const name = (await cluster.at(ada, (files) => files.exists('/a'))) ? '/a' : '/doc';
    await cluster.at(ada, (files) => files.remove(name));
    expect(queues(ada)[0]).toBeGreaterThan(1);
    cluster.heal(ada);
    const shown = await agreed(cluster);
    expect(shown[name]).toBeUndefined();
  });

  it('stays in the queue as long as a program has it open', async () => {
    const { cluster, ada, before, write } = await unsent();
    await write('/a', 'one');
    await cluster.at(ada, (files) =>
      files.hold('/a', async () => {
        await files.remove('/a');
        expect(queues(ada)).toEqual([2, 1]);
      }),
    );
    await cluster.pass(seconds(1));
    expect(queues(ada)).toEqual([0, 0]);
    await back(cluster, ada);
    expect(await agreed(cluster)).toEqual({});
    expect(await commits(cluster)).toBe(before);
  });
});

it('a file that is saved again goes to the end of the queue, and others still see the earlier save', async () => {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  const write = (path: string, text: string) => cluster.at(ada, (files) => files.write(path, text));
  await write('/a', 'a');
  await write('/b', 'b');
  await cluster.settled();
  ada.daemon.pause();
  const { fid } = await cluster.at(ada, (files) => files.look('/a'));
  const marks = () => cluster.server.inside.volumes.marksOf(ada.device ?? 0);
  const ended: unknown[] = [];
  cluster.watch((seen) => {
    if (seen.kind !== 'committed') return;
    ended.push(...seen.writes.filter((each) => each.kind === 'clean' && each.fid === fid));
  });
  await write('/a', 'a1');
  await write('/b', 'b1');
  await cluster.pass(seconds(1));
  const flushed = ada.daemon.flush(null);
  expect(marks()).toHaveLength(2);
  await write('/a', 'a2');
  expect(listed(ada)).toEqual(['store b ready', 'store a ready']);
  await cluster.pass(minutes(2));
  expect(marks()).toHaveLength(2);
  expect(ended).toEqual([]);
  ada.daemon.resume();
  await cluster.run(flushed);
  expect(await agreed(cluster)).toEqual({ '/a': 'a2', '/b': 'b1' });
  expect((await cluster.at(bob, (files) => files.look('/a'))).version).toBe(2);
  await cluster.until(() => marks().length === 0, 'the end of marks', seconds(10));
});

describe('a store that is being sent', () => {
  /** Two large files on a slow line, both under way. */
  async function underWay() {
    const made = await away();
    const { cluster, ada, write } = made;
    const shape = { delayMs: 20, bytesPerSecond: 64_000, queueMs: 50 };
    cluster.network.shape(ada.name, SERVER_HOST, shape);
    await write('/a', new Uint8Array(640_000).fill(1));
    await write('/b', new Uint8Array(640_000).fill(2));
    await back(cluster, ada);
    await cluster.pass(seconds(4));
    expect(listed(ada)).toEqual(['store a on its way', 'store b on its way']);
    const sent = (path: string) =>
      queueNow(ada.daemon, 9).entries.find((entry) => entry.path === path)?.sentBytes ?? 0;
    return { ...made, sent };
  }

  it('overtakes earlier stores when it is expedited', async () => {
    const { cluster, ada, order } = await underWay();
    expect(await order('now', '/b')).toMatchObject({ updates: 1, underWay: 0 });
    await cluster.until(() => listed(ada).length < 2, 'one to be there');
    expect(listed(ada)).toEqual(['store a on its way']);
  });

  it('lets others go first when it is postponed, and resumes where it stopped', async () => {
    const { cluster, ada, write, order } = await underWay();
    await order('later', '/a');
    await write('/c', new Uint8Array(64_000).fill(3));
    await cluster.until(() => listed(ada).length === 1, 'the others to be there');
    expect(listed(ada)).toEqual(['store a on its way']);
    await cluster.settled();
    // What had come of it before is not sent again: that would be some 128 KB.
    expect(ada.status.link.sentBytes).toBeLessThan(1_344_000 + 80_000);
  });

  it('stops when it is cancelled, and resumes where it stopped when it is sent again', async () => {
    const { cluster, ada, bob, order, sent } = await underWay();
    expect(sent('a')).toBeGreaterThan(64_000);
    const before = ada.status.link.sentBytes;
    expect(await order('cancel', '/a')).toMatchObject({ updates: 1, others: 0, underWay: 0 });
    await cluster.until(() => listed(ada).length === 1, 'the other to be there');
    await cluster.pass(minutes(1));
    expect(listed(ada)).toEqual(['store a cancelled']);
    expect(cluster.shown(bob)['/a'] ?? '').toBe('');
    await cluster.restart(ada);
    await cluster.until(() => ada.status.connected, 'ada to be back');
    await order('now', '/a');
    await cluster.settled();
    expect(cluster.shown(bob)['/a']).toHaveLength(640_000);
    expect(ada.status.link.sentBytes).toBeLessThan(640_000);
    expect(before).toBeGreaterThan(0);
    const marks = () => cluster.server.inside.volumes.marksOf(ada.device ?? 0).length;
    await cluster.until(() => marks() === 0, 'the marks to end');
  });
});
