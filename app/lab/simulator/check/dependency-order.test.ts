import { expect, it } from '@jest/globals';
import {
  commitOf,
  createOf,
  fakeLaptop,
  FILE,
  foundBy,
  logged,
  OTHER,
  renameOf,
  rowOf,
  statusOf,
  storeOf,
} from '../../../../test/support/observations.ts';
import { makeFid } from '../../../../shared/model/fid.ts';
import { updateSeq } from '../../../../shared/model/update.ts';
import type { Observation } from './observation.ts';
import { dependencyOrder } from './dependency-order.ts';

const { client } = fakeLaptop();
const safeSave = logged(
  client,
  rowOf(1, createOf('doc.tmp')),
  rowOf(2, storeOf(0, 'a')),
  rowOf(3, renameOf(FILE, 'doc.tmp', 'doc', OTHER)),
);

it('the checker finds a rename committed before the store of the renamed file', async () => {
  const found = await foundBy(dependencyOrder, [safeSave, commitOf(2, 1), commitOf(3, 3)]);
  expect(found).toEqual([
    'update 3 of ada (rename) is committed before 2 (store), on which it depends',
  ]);
});

it('the checker finds a rename to a free name committed before the store of the renamed file', async () => {
  const rows = [rowOf(1, storeOf(1, 'b')), rowOf(2, renameOf(FILE, 'part', 'doc'))];
  const saved = logged(client, ...rows);
  expect(await foundBy(dependencyOrder, [saved, commitOf(2, 2)])).toHaveLength(1);
  expect(await foundBy(dependencyOrder, [saved, commitOf(2, 1), commitOf(3, 2)])).toEqual([]);
});

it('the checker finds a store committed before the create of its file', async () => {
  expect(await foundBy(dependencyOrder, [safeSave, commitOf(2, 2)])).toHaveLength(1);
});

it('the checker accepts the order of dependencies and any order of independent updates', async () => {
  const commits = [commitOf(2, 1), commitOf(3, 2), commitOf(4, 3)];
  expect(await foundBy(dependencyOrder, [safeSave, ...commits])).toEqual([]);
  const apart = logged(client, rowOf(1, createOf('a')), rowOf(2, createOf('b', OTHER)));
  expect(await foundBy(dependencyOrder, [apart, commitOf(2, 2), commitOf(3, 1)])).toEqual([]);
});

it('the checker knows that updates in a copied log were answered to the original', async () => {
  const { client: copy } = fakeLaptop();
  const create = (name: string) => rowOf(1, createOf('doc'), { name });
  const run = (name: string): Observation[] => [
    { kind: 'saved', client, changes: [{ table: 'meta', key: 'device', value: 1 }] },
    logged(client, create('first')),
    { kind: 'copied', from: client, to: copy },
    logged(client, create(name)),
    commitOf(2, 1, { name }),
    { kind: 'saved', client: copy, changes: [{ table: 'meta', key: 'device', value: 1 }] },
    logged(copy, rowOf(2, storeOf(0, 'a'))),
    commitOf(3, 2),
  ];
  expect(await foundBy(dependencyOrder, run('first'))).toEqual([]);
  expect(await foundBy(dependencyOrder, run('another'))).toHaveLength(1);
});

it('the checker finds a store committed before a second create of its file', async () => {
  const made = commitOf(2, 9, { vnodes: [statusOf({ fid: FILE })] });
  expect(await foundBy(dependencyOrder, [made, safeSave, commitOf(3, 2)])).toHaveLength(1);
  const result = { seq: updateSeq(1), ok: false, refusal: 'fid-in-use', existing: null } as const;
  const applied = { kind: 'applied', device: 1, result, name: null } as const;
  const refused: Observation = { kind: 'committed', writes: [applied] };
  expect(await foundBy(dependencyOrder, [made, safeSave, refused, commitOf(5, 2)])).toEqual([]);
});

it('the checker knows that moves of folders in two volumes are independent', async () => {
  const moved = (seq: number, volume: number) => {
    const fid = makeFid(volume, 4, 2);
    const update = renameOf(fid, `from ${seq}`, `to ${seq}`);
    return rowOf(seq, update, { movesDirectory: true });
  };
  const apart = logged(client, moved(1, 1), moved(2, 2));
  const together = logged(client, moved(1, 1), moved(2, 1));
  expect(await foundBy(dependencyOrder, [apart, commitOf(2, 2)])).toEqual([]);
  expect(await foundBy(dependencyOrder, [together, commitOf(2, 2)])).toHaveLength(1);
});

it('the checker does not wait for the answer to a committed update that was reordered', async () => {
  const first = rowOf(1, storeOf(0, 'a'));
  const saved = logged(client, first, rowOf(2, storeOf(1, 'b')));
  const again = logged(client, first);
  const committed = [saved, commitOf(2, 1)];
  expect(await foundBy(dependencyOrder, [...committed, again, commitOf(3, 2)])).toEqual([]);
  const restored: Observation = { kind: 'restored', epoch: 'e', volumes: [] };
  const lost = [...committed, restored, again, commitOf(3, 2)];
  expect(await foundBy(dependencyOrder, lost)).toHaveLength(1);
});
