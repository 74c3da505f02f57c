import { describe, expect, it } from '@jest/globals';
import { makeFid } from '../../../shared/model/fid.ts';
import { ANNOUNCEMENTS_AHEAD } from '../../limits.ts';
import { Announcements } from './announcements.ts';

const [x, y] = [makeFid(1, 2, 1), makeFid(1, 3, 1)];

describe('what one connection has told', () => {
  it('counts the later word on a vnode, whichever comes first', () => {
    const reported = new Announcements(false);
    expect(reported.arrived(2, false)).toBe(true);
    expect(reported.says(2, x)).toBe(true);
    expect(reported.arrived(1, false)).toBe(true);
    expect([reported.says(1, x), reported.says(1, y)]).toEqual([false, true]);
  });

  it('takes a message once', () => {
    const reported = new Announcements(false);
    reported.arrived(2, false);
    expect([
      reported.arrived(2, false),
      reported.arrived(1, false),
      reported.arrived(1, false),
    ]).toEqual([false, true, false]);
  });

  it('is whole when all messages up to the last one are there, and once', () => {
    const reported = new Announcements(false);
    reported.arrived(2, true);
    reported.marked(y);
    expect(reported.takeWhole()).toBeNull();
    reported.arrived(3, false);
    reported.says(3, y);
    reported.ends(3, y);
    reported.arrived(1, false);
    reported.marked(x);
    expect(reported.takeEnded()).toEqual([y]);
    expect(reported.takeWhole()).toEqual(new Set([x]));
    expect(reported.takeWhole()).toBeNull();
  });

  it('may be reported of once more, and is whole again then', () => {
    const reported = new Announcements(false);
    reported.arrived(1, true);
    reported.marked(x);
    reported.takeWhole();
    reported.arrived(2, false);
    reported.marked(y);
    reported.arrived(3, true);
    expect(reported.takeWhole()).toEqual(new Set([y]));
  });

  it('ends a mark once all that was said before is here', () => {
    const reported = new Announcements(false);
    reported.arrived(2, false);
    reported.says(2, x);
    reported.ends(2, x);
    expect(reported.takeEnded()).toEqual([]);
    reported.arrived(1, false);
    expect([reported.takeEnded(), reported.takeEnded()]).toEqual([[x], []]);
  });

  it('does not end a mark that was reported of anew meanwhile', () => {
    const reported = new Announcements(false);
    for (const number of [2, 3]) reported.arrived(number, false);
    reported.says(2, x);
    reported.ends(2, x);
    reported.says(3, x);
    reported.arrived(1, false);
    expect(reported.takeEnded()).toEqual([]);
  });

  it('is bounded: a number that is left out is waited for until so many later ones are here', () => {
    const reported = new Announcements(false);
    const last = ANNOUNCEMENTS_AHEAD + 2;
    for (let number = 2; number < last; number++) reported.arrived(number, number === 2);
    expect(reported.takeWhole()).toBeNull();
    reported.arrived(last, false);
    expect(reported.takeWhole()).toEqual(new Set());
    expect(reported.arrived(1, false)).toBe(false);
  });

  it('says nothing of a vnode once nothing earlier can come', () => {
    const reported = new Announcements(false);
    reported.arrived(1, false);
    reported.says(1, x);
    reported.arrived(2, false);
    expect([reported.says(2, x), reported.says(2, x)]).toEqual([true, false]);
  });
});
