import { describe, expect, it } from '@jest/globals';
import { makeFid } from '../../../shared/model/fid.ts';
import { Announcements } from './announcements.ts';

const [x, y] = [makeFid(1, 2, 1), makeFid(1, 3, 1)];

describe('what one connection has told', () => {
  it('counts the later word on a vnode, whichever comes first', () => {
    const told = new Announcements();
    expect(told.arrived(2, false)).toBe(true);
    expect(told.says(2, x)).toBe(true);
    expect(told.arrived(1, false)).toBe(true);
    expect([told.says(1, x), told.says(1, y)]).toEqual([false, true]);
  });

  it('takes a message once', () => {
    const told = new Announcements();
    told.arrived(2, false);
    expect([told.arrived(2, false), told.arrived(1, false), told.arrived(1, false)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('is whole when all messages up to the last one are there, and once', () => {
    const told = new Announcements();
    told.arrived(2, true);
    told.says(2, y);
    expect(told.takeWhole()).toBeNull();
    told.arrived(1, false);
    told.says(1, x);
    expect(told.takeWhole()).toEqual(new Set([x, y]));
    expect(told.takeWhole()).toBeNull();
  });
});
