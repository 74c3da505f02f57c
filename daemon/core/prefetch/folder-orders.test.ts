import { describe, expect, it } from '@jest/globals';
import { makeFid, type Fid } from '../../../shared/model/fid.ts';
import { FOLDERS_READ } from '../../limits.ts';
import { FolderOrders, type Listing } from './folder-orders.ts';

const fidOf = (vnode: number, uniquifier = 1): Fid => makeFid(1, vnode, uniquifier);
const DIR = fidOf(1000);

let listed = 0;

function listing(edition: string, entries: Readonly<Record<string, number>>, dir = DIR): Listing {
  return {
    ...{ dir, edition },
    entries: () => {
      listed += 1;
      return Object.entries(entries).map(([name, vnode]) => [name, fidOf(vnode)]);
    },
  };
}

describe('the orders of a folder', () => {
  const files = listing('1', { 'file 10': 7, 'file 2': 30, 'file 1': 12, 'file 11': 101 });
  const orders = new FolderOrders();

  it.each([
    ['names', 'file 1', 12, [30, 7, 101]],
    ['names', 'file 10', 7, [101]],
    ['names', 'file 11', 101, []],
    ['made', 'file 10', 7, [12, 30, 101]],
    ['made', 'file 2', 30, [101]],
    // What is not there any more has its place all the same.
    ['names', 'file 3', 500, [7, 101]],
    ['names', '', 500, [12, 30, 7, 101]],
    ['made', 'gone', 8, [12, 30, 101]],
    ['made', 'gone', 500, []],
  ] as const)('continue by %s after %s (%d)', (order, name, vnode, expected) => {
    const after = [...orders.after(files, order, { fid: fidOf(vnode), name })];
    expect(after).toEqual(expected.map((each) => fidOf(each)));
  });

  it('are computed once for each listing', () => {
    const known = new FolderOrders();
    const last = { fid: fidOf(1), name: 'a' };
    const firstOf = (from: Listing): unknown => known.after(from, 'names', last).next().value;
    listed = 0;
    for (let times = 0; times < 3; times++) firstOf(listing('1', { a: 1, b: 2 }));
    expect(listed).toBe(1);
    expect(firstOf(listing('2', { a: 1, aa: 3, b: 2 }))).toBe(fidOf(3));
    expect(listed).toBe(2);
    for (let each = 0; each < FOLDERS_READ; each++) firstOf(listing('1', {}, fidOf(2000 + each)));
    firstOf(listing('2', { a: 1 }));
    expect(listed).toBe(3 + FOLDERS_READ);
  });
});
