import { describe, expect, it } from '@jest/globals';
import { makeFid } from '../../../shared/model/fid.ts';
import { ANNOUNCEMENTS_AHEAD } from '../../limits.ts';
import { Announcements } from './announcements.ts';

const [x, y] = [makeFid(1, 2, 1), makeFid(1, 3, 1)];

describe('the announcements of one connection', () => {
  it('apply the later message about a vnode, whichever arrives first', () => {
    const told = new Announcements(false);
    expect(told.arrived(2, false)).toBe(true);
    expect(told.says(2, x)).toBe(true);
    expect(told.arrived(1, false)).toBe(true);
    expect([told.says(1, x), told.says(1, y)]).toEqual([false, true]);
  });

  it('accept each message once', () => {
    const told = new Announcements(false);
    told.arrived(2, false);
    expect([told.arrived(2, false), told.arrived(1, false), told.arrived(1, false)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('are complete once, when all messages up to the last one have arrived', () => {
    const told = new Announcements(false);
    told.arrived(2, true);
    told.marked(y);
    expect(told.takeWhole()).toBeNull();
    told.arrived(3, false);
    told.says(3, y);
    told.ends(3, y);
    told.arrived(1, false);
    told.marked(x);
    expect(told.takeEnded()).toEqual([y]);
    expect(told.takeWhole()).toEqual(new Set([x]));
    expect(told.takeWhole()).toBeNull();
  });

  it('can be complete a second time after another announcement', () => {
    const told = new Announcements(false);
    told.arrived(1, true);
    told.marked(x);
    told.takeWhole();
    told.arrived(2, false);
    told.marked(y);
    told.arrived(3, true);
    expect(told.takeWhole()).toEqual(new Set([y]));
  });

  it('end a mark once all earlier messages have arrived', () => {
    const told = new Announcements(false);
    told.arrived(2, false);
    told.says(2, x);
    told.ends(2, x);
    expect(told.takeEnded()).toEqual([]);
    told.arrived(1, false);
    expect([told.takeEnded(), told.takeEnded()]).toEqual([[x], []]);
  });

  it('do not end a mark that was announced again meanwhile', () => {
    const told = new Announcements(false);
    for (const number of [2, 3]) told.arrived(number, false);
    told.says(2, x);
    told.ends(2, x);
    told.says(3, x);
    told.arrived(1, false);
    expect(told.takeEnded()).toEqual([]);
  });

  it('wait for a missing number only until a bounded number of later ones have arrived', () => {
    const told = new Announcements(false);
    const last = ANNOUNCEMENTS_AHEAD + 2;
    for (let number = 2; number < last; number++) told.arrived(number, number === 2);
    expect(told.takeWhole()).toBeNull();
    told.arrived(last, false);
    expect(told.takeWhole()).toEqual(new Set());
    expect(told.arrived(1, false)).toBe(false);
  });

  it('forget a vnode once no earlier message can arrive', () => {
    const told = new Announcements(false);
    told.arrived(1, false);
    told.says(1, x);
    told.arrived(2, false);
    expect([told.says(2, x), told.says(2, x)]).toEqual([true, false]);
  });
});
