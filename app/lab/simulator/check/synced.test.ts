import { expect, it } from '@jest/globals';
import {
  commitOf,
  fakeLaptop,
  foundBy,
  left,
  logged,
  rowOf,
  storeOf,
} from '../../../../test/support/observations.ts';
import { commitNumber } from '../../../../shared/model/vnode.ts';
import { updateSeq } from '../../../../shared/model/update.ts';
import type { Checker } from './checker.ts';
import type { Observation } from './observation.ts';
import { synced } from './synced.ts';

const store = rowOf(1, storeOf(1, 'a'));
const flush = (client: ReturnType<typeof fakeLaptop>['client']): [Observation, Observation] => [
  { kind: 'flushing', client, number: 1 },
  { kind: 'flushed', client, number: 1 },
];

it('the checker finds a status that is synced while updates wait', () => {
  const found: string[] = [];
  const laptop = fakeLaptop();
  const checker: Checker = synced.make((text) => found.push(text));
  checker.hear?.(logged(laptop.client, store));
  laptop.now = 200;
  checker.hear?.(logged(laptop.client));
  expect(found).toEqual([]);
  laptop.now = 500;
  laptop.status.state = 'syncing';
  checker.hear?.(logged(laptop.client));
  expect(found).toEqual([]);
  laptop.now = 1_000;
  laptop.status.state = 'idle';
  checker.hear?.(logged(laptop.client));
  // It may have been given up a moment ago.
  expect(found).toEqual([]);
  laptop.now = 1_500;
  checker.hear?.(logged(laptop.client));
  expect(found).toHaveLength(1);
});

it('the checker accepts a status that is a moment ahead of the database', () => {
  const found: string[] = [];
  const laptop = fakeLaptop();
  const checker: Checker = synced.make((text) => found.push(text));
  checker.hear?.(logged(laptop.client, store));
  laptop.now = 1_000;
  checker.hear?.(logged(laptop.client));
  laptop.now = 1_002;
  checker.hear?.(left(laptop.client, 1));
  laptop.now = 2_000;
  checker.hear?.(logged(laptop.client));
  expect(found).toEqual([]);
});

it('the checker finds a flush that ends while an update from its start waits', async () => {
  const { client } = fakeLaptop();
  const [begin, end] = flush(client);
  expect(await foundBy(synced, [logged(client, store), begin, end])).toHaveLength(1);
  const again = rowOf(2, storeOf(1, 'a'), { rank: updateSeq(1) });
  const renumbered = left(client, 1, { table: 'update', key: '2', value: again });
  expect(await foundBy(synced, [logged(client, store), begin, renumbered, end])).toHaveLength(1);
  expect(await foundBy(synced, [logged(client, store), begin, left(client, 1), end])).toEqual([]);
  const later = logged(client, rowOf(2, storeOf(1, 'b')));
  expect(await foundBy(synced, [begin, later, end])).toEqual([]);
});

it("the checker finds a flush that ends before the replica has the server's state", async () => {
  const laptop = fakeLaptop('bob', 'folder');
  const [begin, end] = flush(laptop.client);
  laptop.replica.applied = 1;
  expect(await foundBy(synced, [commitOf(2, 1), begin, end])).toHaveLength(1);
  laptop.replica.applied = 2;
  expect(await foundBy(synced, [commitOf(2, 1), begin, commitOf(3, 2), end])).toEqual([]);
});

it('the checker treats a replica that does not know the new epoch as behind', async () => {
  const laptop = fakeLaptop('bob', 'folder');
  const [begin, end] = flush(laptop.client);
  const volumes = [
    { epoch: 'e1', volume: laptop.client.volume, last: commitNumber(1), first: commitNumber(9) },
  ];
  const restored: Observation = { kind: 'restored', epoch: 'e2', volumes };
  laptop.replica.applied = 1;
  expect(await foundBy(synced, [restored, begin, end])).toHaveLength(1);
  laptop.replica.applied = 9;
  expect(await foundBy(synced, [restored, begin, end])).toEqual([]);
});
