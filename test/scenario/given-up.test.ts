/** Changes that the server refused and that a person gives up: their contents are where people find them, whenever the daemon dies (C1). */
import { describe, expect, it } from '@jest/globals';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { CrashPoint } from '../../app/lab/simulator/process/crash-points.ts';
import { minutes, seconds } from '../../shared/model/time.ts';

interface Reader {
  readonly cluster: Cluster;
  readonly bob: ClientNode;
}

/** Bob loses the right to write while he is away, and has written `/doc`, and a new `/dir/doc` that waits for its folder. */
async function reader(diskBytes?: number): Promise<Reader> {
  const room = diskBytes === undefined ? {} : { diskBytes };
  const cluster = await Cluster.start({ seed: 1, ...room });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'first'));
  await cluster.settled();
  cluster.cut(bob);
  await cluster.at(bob, async (files) => {
    await files.write('/doc', 'from bob');
    await files.mkdir('/dir');
    await files.write('/dir/doc', 'in a folder');
  });
  cluster.server.metaStore.allow('owner', HOME, 'read');
  await cluster.pass(seconds(2));
  return { cluster, bob };
}

const isRefused = (bob: ClientNode): boolean => bob.status.errors.length >= 2;

async function refused(diskBytes?: number): Promise<Reader> {
  const { cluster, bob } = await reader(diskBytes);
  cluster.heal(bob);
  await cluster.until(() => isRefused(bob), 'his changes to be refused', minutes(1));
  await cluster.pass(seconds(10));
  return { cluster, bob };
}

async function comesBack({ cluster, bob }: Reader): Promise<void> {
  await cluster.until(() => !bob.running, 'the crash', minutes(1));
  await cluster.restart(bob);
  await cluster.pass(minutes(1));
}

const giveUpAll = ({ bob }: Reader): Promise<unknown> =>
  bob.daemon.orderQueue({
    act: 'cancel',
    target: { volume: 'home', path: [] },
    withDependents: true,
  });

/** What people find, each once; a copy that was made just before a crash may be made again. */
function found(bob: ClientNode): string[] {
  const texts = bob.lost().map((path) => new TextDecoder().decode(bob.disk.read(path)));
  return [...new Set(texts)].sort();
}

const notedLost = (bob: ClientNode): string[] =>
  [...bob.clientStore.rows('meta').keys()].filter((key) => key.startsWith('lost-'));

/** Nothing is noted, and nothing takes room, when all is done. */
function isClean(bob: ClientNode): void {
  const { meta, cache } = bob.daemon.inside;
  expect([...meta.keys()].filter((key) => key.startsWith('lost-'))).toEqual([]);
  const known = cache.files.names();
  // What is not wanted and held by somebody is in the one and not in the other.
  expect([...cache.files.all()].map(({ name }) => name).sort()).toEqual([...known].sort());
  const names = bob.disk
    .list('/store/contents')
    .map((path) => path.slice('/store/contents/'.length));
  expect(names.filter((name) => !known.has(name))).toEqual([]);
}

const BOTH = ['from bob', 'in a folder'];
const HOW = ['killed', 'power'] as const;
const POINTS: ReadonlyArray<Omit<CrashPoint, 'how'>> = [
  ...[1, 2].map((nth) => ({ label: 'database.commit', nth, moment: 'after' as const })),
  ...['files.stage', 'files.lose'].flatMap((label) =>
    (['before', 'after'] as const).map((moment) => ({ label, nth: 1, moment })),
  ),
  ...(['before', 'after'] as const).map((moment) => ({ label: 'files.remove', nth: 1, moment })),
];

const CASES = POINTS.flatMap((point) => HOW.map((how) => ({ ...point, how })));

describe('a change that is given up', () => {
  it('is put where people find it, each under its own name, and takes no other room', async () => {
    const { cluster, bob } = await refused();
    await cluster.run(giveUpAll({ cluster, bob }), 'giving up');
    await cluster.pass(minutes(1));
    expect(found(bob)).toEqual(BOTH);
    expect(bob.lost()).toHaveLength(2);
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('first');
    isClean(bob);
  });

  it('is copied when the disk has room again', async () => {
    const { cluster, bob } = await refused(1_000_000_000);
    const over = bob.disk.troubles.add((_, path) => (path.includes('-lost') ? 'ENOSPC' : null));
    await cluster.run(giveUpAll({ cluster, bob }), 'giving up');
    await cluster.pass(minutes(1));
    expect(found(bob)).toEqual(['from bob']);
    over();
    cluster.server.metaStore.allow('owner', HOME, 'write');
    const [ada] = cluster.clients as [ClientNode];
    await cluster.pass(seconds(5));
    await cluster.at(ada, (files) => files.write('/more', 'of ada'));
    await cluster.pass(minutes(1));
    expect(found(bob)).toEqual(BOTH);
    expect(bob.lost()).toHaveLength(2);
    isClean(bob);
  });

  it('is copied where the row that notes it is damaged', async () => {
    const both = await refused();
    const { cluster, bob } = both;
    bob.crashPoints.arm({ label: 'files.stage', nth: 1, moment: 'before', how: 'killed' });
    void giveUpAll(both).catch(() => undefined);
    await cluster.until(() => !bob.running, 'the crash', minutes(1));
    for (const key of notedLost(bob)) bob.clientStore.spoil('meta', key);
    await cluster.restart(bob);
    await cluster.pass(minutes(1));
    expect(found(bob)).toEqual(BOTH);
    isClean(bob);
  });

  it.each(CASES)('is copied after a crash $moment call $nth of $label ($how)', async (point) => {
    const both = await refused();
    const { cluster, bob } = both;
    bob.crashPoints.arm(point);
    void giveUpAll(both).catch(() => undefined);
    await comesBack(both);
    expect(found(bob)).toEqual(BOTH);
    isClean(bob);
    expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('first');
  });
});

it('a refused change that could not be copied is sent when the right is back, and no note of it stays', async () => {
  const { cluster, bob } = await reader();
  const over = bob.disk.troubles.add((_, path) => (path.includes('-lost') ? 'EIO' : null));
  cluster.heal(bob);
  await cluster.until(() => isRefused(bob), 'his changes to be refused', minutes(1));
  await cluster.pass(seconds(10));
  expect(notedLost(bob)).toEqual([]);
  over();
  cluster.server.metaStore.allow('owner', HOME, 'write');
  await cluster.settled();
  await cluster.pass(minutes(1));
  expect(await cluster.at(bob, (files) => files.read('/doc'))).toBe('from bob');
  expect(bob.lost()).toEqual([]);
  isClean(bob);
});

it.each(HOW.flatMap((how) => ['files.stage', 'files.lose'].map((label) => ({ label, how }))))(
  'a change that was refused just before a crash at $label ($how) is copied when it is given up',
  async ({ label, how }) => {
    const both = await reader();
    const { cluster, bob } = both;
    bob.crashPoints.arm({ label, nth: 1, moment: 'before', how });
    cluster.heal(bob);
    await comesBack(both);
    await cluster.until(() => isRefused(bob), 'his changes to be refused', minutes(1));
    await cluster.run(giveUpAll(both), 'giving up');
    await cluster.pass(minutes(1));
    expect(found(bob)).toEqual(BOTH);
    isClean(bob);
  },
);
