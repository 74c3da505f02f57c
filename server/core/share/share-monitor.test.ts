import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DeviceId } from '../../../shared/model/change.ts';
import { makeFid } from '../../../shared/model/fid.ts';
import { instant, milliseconds } from '../../../shared/model/time.ts';
import { MAX_WATCHED } from '../../limits.ts';
import { ShareMonitor } from './share-monitor.ts';
import { UseOrder } from './use-order.ts';

const PERIOD = 10;
const [X, Y] = [makeFid(1, 2, 1), makeFid(1, 3, 1)];
const [ADA, BOB] = [1 as DeviceId, 2 as DeviceId];

/** `uses`: who, and when. */
function after(...uses: ReadonlyArray<[DeviceId, number]>): ShareMonitor {
  const monitor = new ShareMonitor(milliseconds(PERIOD), new UseOrder());
  for (const [device, at] of uses) monitor.used(X, device, instant(at));
  return monitor;
}

describe('a file in the ShareMonitor', () => {
  it.each<[string, ReadonlyArray<[DeviceId, number]>, number, boolean]>([
    ['is unshared when it is new', [], 0, false],
    ['is unshared while one device uses it', [[ADA, 0], [ADA, 6], [ADA, 9]], 9, false], // prettier-ignore
    [
      'is shared as soon as a second device uses it',
      [
        [ADA, 0],
        [BOB, 1],
      ],
      1,
      true,
    ],
    [
      'is shared when half a period ended between two uses',
      [
        [ADA, 4],
        [BOB, 6],
      ],
      6,
      true,
    ],
    [
      'is unshared when a whole half lies between two uses',
      [
        [ADA, 4],
        [BOB, 10],
      ],
      10,
      false,
    ],
    [
      'is shared until the end of the next period',
      [
        [ADA, 0],
        [BOB, 1],
      ],
      19,
      true,
    ],
    [
      'is unshared after that period',
      [
        [ADA, 0],
        [BOB, 1],
      ],
      20,
      false,
    ],
    ['stays shared while both use it', [[ADA, 0], [BOB, 1], [ADA, 14], [BOB, 16], [ADA, 29]], 29, true], // prettier-ignore
    ['is unshared when one device uses it alone for long', [[ADA, 0], [BOB, 1], [BOB, 12], [BOB, 24]], 24, false], // prettier-ignore
  ])('changes its state with its uses: it %s', (_, uses, at, isShared) => {
    expect(after(...uses).isShared(X, instant(at))).toBe(isShared);
  });

  it('is shared if any two uses by two devices are less than half a period apart', () => {
    const use = fc.tuple(fc.constantFrom(ADA, BOB), fc.nat(60));
    fc.assert(
      fc.property(fc.array(use, { maxLength: 12 }), (drawn) => {
        const uses = [...drawn].sort(([, a], [, b]) => a - b);
        const last = uses.at(-1)?.[1] ?? 0;
        const meets = uses.some(
          ([one, at]) =>
          uses.some(([other, then]) => one !== other && then <= at && at - then < PERIOD / 2 && last - at < PERIOD), // prettier-ignore
        );
        if (meets) expect(after(...uses).isShared(X, instant(last))).toBe(true);
        const byOne = uses.filter(([device]) => device === ADA);
        expect(after(...byOne).isShared(X, instant(last))).toBe(false);
      }),
    );
  });
});

describe('a file that replaces another one (rule W3)', () => {
  it('is shared when the replaced file was', () => {
    const monitor = after([ADA, 0], [BOB, 1]);
    monitor.inherit(X, Y, instant(2));
    expect([2, 19, 20].map((at) => monitor.isShared(Y, instant(at)))).toEqual([true, true, false]);
  });

  it('counts as used by the users of the replaced file', () => {
    const monitor = after([ADA, 0]);
    monitor.used(Y, BOB, instant(1));
    monitor.inherit(X, Y, instant(2));
    expect(monitor.isShared(Y, instant(2))).toBe(true);
  });

  it('stays as it is when nothing is known of the replaced file', () => {
    const monitor = after([ADA, 0]);
    monitor.inherit(Y, X, instant(1));
    expect([monitor.isShared(X, instant(1)), monitor.size]).toEqual([false, 1]);
  });
});

it('the ShareMonitor forgets the least recently used files', () => {
  const monitor = after([ADA, 0], [BOB, 1]);
  for (let vnode = 0; vnode < MAX_WATCHED; vnode++) {
    monitor.used(makeFid(2, vnode, 1), ADA, instant(2));
  }
  expect([monitor.size, monitor.isShared(X, instant(2))]).toEqual([MAX_WATCHED, false]);
});

it('a share monitor forgets the vnode that was used longest ago, also in another volume', () => {
  const order = new UseOrder();
  const [quiet, busy] = [1, 2].map(() => new ShareMonitor(milliseconds(PERIOD), order));
  if (quiet === undefined || busy === undefined) throw new Error('two were made');
  for (const vnode of [1, 2]) quiet.used(makeFid(1, vnode, 1), ADA, instant(0));
  for (let vnode = 0; vnode < MAX_WATCHED - 2; vnode++) {
    busy.used(makeFid(2, vnode, 1), ADA, instant(1));
  }
  expect([quiet.size, busy.size]).toEqual([2, MAX_WATCHED - 2]);
  quiet.used(makeFid(1, 1, 1), ADA, instant(2));
  busy.used(makeFid(2, MAX_WATCHED, 1), ADA, instant(2));
  expect([quiet.size, busy.size]).toEqual([1, MAX_WATCHED - 1]);
  for (const vnode of [1, 2]) quiet.used(makeFid(1, vnode, 1), BOB, instant(2));
  expect([1, 2].map((vnode) => quiet.isShared(makeFid(1, vnode, 1), instant(2)))).toEqual([
    true,
    false,
  ]);
});
