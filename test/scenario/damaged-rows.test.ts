/**
 * Rows of a laptop's database that are not as they were written. What the server has is fetched anew; what was queued is not sent, since nobody
 * knows what it was, and is kept where people find it. Nobody else sees anything of it.
 */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { CLIENT_TABLES, type ClientTable } from '../../shared/ports/client-store.ts';
import { agreed } from './agreed.ts';

/** Disconnects ada, who then saves, makes, moves and removes something. */
async function away() {
  const cluster = await Cluster.start({ seed: 5 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, async (files) => {
    await files.mkdir('/dir');
    await files.write('/dir/doc', 'first');
    await files.write('/old', 'to go');
    await files.write('/kept', 'as ever');
  });
  await cluster.settled();
  cluster.cut(ada);
  await cluster.at(ada, async (files) => {
    await files.write('/dir/doc', 'second');
    await files.write('/new', 'made away');
    await files.rename('/kept', '/dir/kept');
    await files.remove('/old');
  });
  await cluster.at(bob, (files) => files.write('/of bob', 'meanwhile'));
  ada.crash();
  return { cluster, ada };
}

/** The saved and unsent texts in the folder where people find them. */
const texts = (ada: ClientNode): string[] =>
  ada
    .lost()
    .map((path) => new TextDecoder().decode(ada.disk.read(path)))
    .sort();

const codesAt = (ada: ClientNode) => ada.status.errors.map(({ code }) => code);
const BEFORE = {
  '/dir': null,
  '/dir/doc': 'first',
  '/old': 'to go',
  '/kept': 'as ever',
  '/of bob': 'meanwhile',
};
const AFTER = {
  '/dir': null,
  '/dir/doc': 'second',
  '/dir/kept': 'as ever',
  '/new': 'made away',
  '/of bob': 'meanwhile',
};

const cached: readonly ClientTable[] = [
  ...(['status', 'directory', 'entry', 'pin', 'excluded', 'conflict', 'note'] as const),
];
const own: readonly ClientTable[] = ['volume', 'update'];

const meanings = ['epoch', 'epochs-before'];
const incarnations = ['incarnation', 'incarnation-next'];

describe.each([
  ['altered', (ada: ClientNode, table: ClientTable) => [...ada.clientStore.rows(table).keys()][0]],
  ['gone', () => null],
])('a row that is %s', (_, keyOf) => {
  const spoil = (ada: ClientNode, table: ClientTable): void =>
    ada.clientStore.spoil(table, keyOf(ada, table) ?? null);

  it.each(cached)('costs no local change when it is of the cached table %s', async (table) => {
    const { cluster, ada } = await away();
    spoil(ada, table);
    await cluster.restart(ada);
    expect(codesAt(ada)).toEqual(['damaged-rows']);
    cluster.heal(ada);
    expect(await agreed(cluster)).toEqual(AFTER);
    await cluster.restart(ada);
    expect(codesAt(ada)).toEqual([]);
  });

  it.each(own)(
    'stops the queue from being sent and loses no update when it is of the log table %s',
    async (table) => {
      const { cluster, ada } = await away();
      spoil(ada, table);
      await cluster.restart(ada);
      expect(codesAt(ada)).toEqual(['damaged-rows']);
      cluster.heal(ada);
      expect(await agreed(cluster)).toEqual(BEFORE);
      // New files get numbers that were never assigned.
      await cluster.at(ada, (files) => files.write('/next', 'goes on'));
      expect(await agreed(cluster)).toEqual({ ...BEFORE, '/next': 'goes on' });
      expect(texts(ada)).toEqual(['made away', 'second']);
    },
  );
});

it('a damaged row about the contents of a save keeps that save from being sent', async () => {
  const { cluster, ada } = await away();
  const [source] = [...ada.clientStore.rows('update').values()].flatMap(
    ({ content }) => content ?? [],
  );
  ada.clientStore.spoil('content', source ?? '');
  await cluster.restart(ada);
  expect(codesAt(ada)).toEqual(['damaged-rows']);
  cluster.heal(ada);
  expect(await agreed(cluster)).toEqual(BEFORE);
  expect(texts(ada)).toEqual(['made away', 'second']);
});

/** Values by themselves. The server tells some anew, others are made anew, and the rest are settings. */
const values = [
  ...['device', 'user', 'protocol', 'lease-ms', 'identity', 'run', 'run-place'],
  ...[
    'device-name',
    'last-seq',
    'last-content',
    'last-conflict',
    'last-adjustment',
    'paused',
    'followed',
    'devices',
    'recent',
  ],
];

describe('a damaged value', () => {
  it('has a case here for every key that a laptop keeps', async () => {
    const { ada } = await away();
    const kept = [...ada.clientStore.rows('meta').keys()];
    const named = new Set([...values, ...meanings, ...incarnations]);
    expect(kept.filter((key) => !named.has(key))).toEqual([]);
  });

  it.each(values)('costs nothing that was done on the laptop when it is %s', async (key) => {
    const { cluster, ada } = await away();
    ada.clientStore.spoil('meta', key);
    await cluster.restart(ada);
    expect(codesAt(ada)).toEqual(['damaged-rows']);
    cluster.heal(ada);
    expect(await agreed(cluster)).toEqual(AFTER);
    await cluster.at(ada, (files) => files.write('/next', 'goes on'));
    expect(await agreed(cluster)).toEqual({ ...AFTER, '/next': 'goes on' });
    await cluster.restart(ada);
    expect(codesAt(ada)).toEqual([]);
    expect(await agreed(cluster)).toEqual({ ...AFTER, '/next': 'goes on' });
  });

  it.each([...meanings, null])(
    'keeps the log from being sent when the log depends on it (%s)',
    async (key) => {
      const { cluster, ada } = await away();
      ada.clientStore.spoil('meta', key);
      await cluster.restart(ada);
      expect(codesAt(ada)).toEqual(['damaged-rows']);
      cluster.heal(ada);
      expect(await agreed(cluster)).toEqual(BEFORE);
      expect(texts(ada)).toEqual(['made away', 'second']);
    },
  );

  it('lets the daemon start, which asks to be paired again without its incarnation', async () => {
    const { cluster, ada } = await away();
    ada.clientStore.spoil('meta', 'incarnation');
    await cluster.restart(ada);
    expect(ada.status.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^daemon\.db was damaged \(meta incarnation\): .*pair it again, with `godwit up --invite/,
      ),
    ]);
    expect(await cluster.at(ada, (files) => files.read('/dir/doc'))).toBe('second');
  });
});

it('the tables of this test are all tables of the client', () => {
  expect([...cached, ...own, 'meta', 'content', 'adjustment', 'alias'].sort()).toEqual(
    [...CLIENT_TABLES].sort(),
  );
});
