import { expect, it } from '@jest/globals';
import { makeFid, type VolumeId } from '../../shared/model/fid.ts';
import type { AnyRow, RowKey } from '../../shared/model/stored.ts';
import type { CommitNumber } from '../../shared/model/vnode.ts';
import { LoadParts } from './load-parts.ts';
import { RowPaces } from './row-paces.ts';

const HOME = 1 as VolumeId;
const MS = 1;
const paces = new RowPaces();

function feed(limit: number): RowKey {
  return { kind: 'changes', volume: HOME, since: 0 as CommitNumber, limit };
}

function page(from: number, count: number): AnyRow {
  const commits = Array.from({ length: count }, (_, n) => ({ commit: from + n + 1 }));
  return { commits, upTo: from + count } as unknown as AnyRow;
}

it('a load keeps no row that was given away', () => {
  const parts = new LoadParts([feed(10), { kind: 'vnode', fid: makeFid(HOME, 2, 1) }]);
  parts.next(MS, paces);
  parts.came([page(0, 10)]);
  parts.next(MS, paces);
  parts.came([null]);
  expect(parts.isDone).toBe(true);
  expect(parts.giveAway()).toEqual([page(0, 10), null]);
  expect(parts.giveAway()).toEqual([]);
});

it('a part says whether it is the last one of its load', () => {
  const pace = paces.of('changes');
  const parts = new LoadParts([feed(10)]);
  expect(parts.next(4 * pace, paces).isLast).toBe(false);
  parts.came([page(0, 4)]);
  expect(parts.next(6 * pace, paces).isLast).toBe(true);
  const several = new LoadParts([feed(1), { kind: 'vnode', fid: makeFid(HOME, 2, 1) }]);
  expect(several.next(MS, paces).isLast).toBe(false);
  several.came([page(0, 1)]);
  expect(several.next(MS, paces).isLast).toBe(true);
});
