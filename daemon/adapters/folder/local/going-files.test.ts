/** When a removal in a mounted volume is told. */
import { expect, it } from '@jest/globals';
import { makeFid } from '../../../../shared/model/fid.ts';
import { milliseconds, type Instant } from '../../../../shared/model/time.ts';
import { GoingFiles } from './going-files.ts';

const SETTLE = 100;
const [one, other] = [makeFid(7, 2, 1), makeFid(7, 3, 1)];

it('a removal counts when nothing has followed it for a while, and a later one waits as long', () => {
  let now = 0;
  const clock = { now: () => now as Instant };
  const going = new GoingFiles({ clock, limits: { settle: milliseconds(SETTLE) } });
  const rests = (at: number, fid = one): boolean => {
    now = at;
    return going.rests(fid);
  };
  expect(rests(0)).toBe(false);
  expect(rests(200, other)).toBe(false);
  expect([rests(310), rests(310, other)]).toEqual([false, false]);
  expect([rests(500), rests(500, other)]).toEqual([true, true]);
  // It came back, and goes again long afterwards.
  expect(rests(5000)).toBe(false);
  expect(rests(9000, other)).toBe(false);
  expect(rests(9100)).toBe(false);
  expect([rests(9400), rests(9400, other)]).toEqual([true, true]);
});
