import { expect, it } from '@jest/globals';
import { makeFid, type Fid } from '../../../shared/model/fid.ts';
import { instant } from '../../../shared/model/time.ts';
import { Unused } from './unused.ts';

const fid = (vnode: number): Fid => makeFid(1, vnode, 1);

it('marks of statuses that are gone are dropped, the oldest first', () => {
  const unused = new Unused();
  for (let vnode = 1; vnode <= 2000; vnode++) unused.touch(fid(vnode), instant(vnode));
  unused.bound(10);
  expect(unused.takeUsed(fid(1990), instant(2000))).toBe(false);
  expect(unused.takeUsed(fid(1991), instant(2000))).toBe(true);
});

it('a mark stays for a while, and lasts for one more look after it', () => {
  const unused = new Unused();
  unused.touch(fid(1), instant(0));
  expect(unused.takeUsed(fid(1), instant(29_999))).toBe(true);
  expect(unused.takeUsed(fid(1), instant(30_000))).toBe(true);
  expect(unused.takeUsed(fid(1), instant(30_001))).toBe(false);
});
