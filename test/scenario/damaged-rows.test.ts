/**
 * Rows of a laptop's database that are not as they were written. What the server has is fetched anew; what was queued is not sent, since nobody
 * knows what it was, and is kept where people find it. Nobody else sees anything of it.
 */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { CLIENT_TABLES, type ClientTable } from '../../shared/ports/client-store.ts';
import { agreed } from './agreed.ts';

/** Ada is away, and has saved, made, moved and removed something since. */
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

/** What was saved and not sent, where people find it. */
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

const cached: readonly ClientTable[] = ['status', 'directory', 'entry', 'pin', 'conflict', 'note'];
const own: readonly ClientTable[] = ['volume', 'update'];

const meanings = ['epoch', 'epochs-before'];
const incarnations = ['incarnation', 'incarnation-next'];

describe.each([
  ['altered', (ada: ClientNode, table: ClientTable) => [...ada.clientStore.rows(table).keys()][0]],
  ['gone', () => null],
])('a row that is %s', (_, keyOf) => {
  const spoil = (ada: ClientNode, table: ClientTable): void =>
    ada.clientStore.spoil(table, keyOf(ada, table) ?? null);

  it.each(cached)('of %s costs nothing that was done here', async (table) => {
    const { cluster, ada } = await away();
    spoil(ada, table);
    await cluster.restart(ada);
    expect(codesAt(ada)).toEqual(['damaged-rows']);
    cluster.heal(ada);
    expect(await agreed(cluster)).toEqual(AFTER);
    await cluster.restart(ada);
    expect(codesAt(ada)).toEqual([]);
  });

  it.each(own)('of %s keeps all that was queued from being sent, and loses none', async (table) => {
    const { cluster, ada } = await away();
    spoil(ada, table);
    await cluster.restart(ada);
    expect(codesAt(ada)).toEqual(['damaged-rows']);
    cluster.heal(ada);
    expect(await agreed(cluster)).toEqual(BEFORE);
    // What is made next has numbers that were never given.
    await cluster.at(ada, (files) => files.write('/next', 'goes on'));
    expect(await agreed(cluster)).toEqual({ ...BEFORE, '/next': 'goes on' });
    expect(texts(ada)).toEqual(['made away', 'second']);
  });
});

it('of what a save is sent from keeps that from being sent', async () => {
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
  ...['last-seq', 'last-content', 'last-conflict', 'last-adjustment', 'paused', 'followed'],
];

describe('a value', () => {
  it('of each kind that a laptop keeps is named here', async () => {
    const { ada } = await away();
    const kept = [...ada.clientStore.rows('meta').keys()];
    const named = new Set([...values, ...meanings, ...incarnations]);
    expect(kept.filter((key) => !named.has(key))).toEqual([]);
  });

  it.each(values)('that is called %s costs nothing that was done here', async (key) => {
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
    'that says what the log means (%s) keeps it from being sent',
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

  it('of an incarnation lets it start, and says that it must be paired again', async () => {
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

it('looks at every table', () => {
  expect([...cached, ...own, 'meta', 'content', 'adjustment', 'alias'].sort()).toEqual(
    [...CLIENT_TABLES].sort(),
  );
});
