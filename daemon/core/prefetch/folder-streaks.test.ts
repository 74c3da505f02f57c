import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { makeFid, type Fid } from '../../../shared/model/fid.ts';
import { FOLDERS_READ, MOST_DOUBT, OPENS_IN_ROW } from '../../limits.ts';
import { FolderStreaks, mayLieAhead, ORDERS, provenOrder } from './folder-streaks.ts';

const fidOf = (number: number): Fid => makeFid(1, number + 2, 1);
const dirOf = (number: number): Fid => makeFid(1, 1000 + number, 1);

/** Files have their numbers for names; the other order goes by tens: 0, 10, 20, ... 1, 11, 21. */
const MOST = 40;
const byTens = (number: number): number => (number + 10 < MOST ? number + 10 : (number % 10) + 1);

function open(streaks: FolderStreaks, dir: number, number: number, bytes = 1, use = 1): void {
  const file = { fid: fidOf(number), name: String(number), bytes, use };
  streaks.opened(dirOf(dir), file, (order, { name }) => {
    const last = Number(name);
    return number === (order === 'names' ? last + 1 : byTens(last));
  });
}

const provenIn = (streaks: FolderStreaks, dir = 0): string | null => {
  const folder = streaks.get(dirOf(dir));
  return folder === undefined ? null : provenOrder(folder);
};

function afterOpens(...numbers: number[]): FolderStreaks {
  const streaks = new FolderStreaks();
  for (const number of numbers) open(streaks, 0, number);
  return streaks;
}

describe('the streaks of a folder', () => {
  it.each([
    ['one', [3], null],
    ['two in a row', [3, 4], null],
    ['three in a row', [3, 4, 5], 'names'],
    ['three in a row as they were made', [3, 13, 23], 'made'],
    ['one again and again', [3, 3, 4, 4, 3], null],
    ['the same again in between', [3, 3, 4, 4, 5], 'names'],
    ['a gap', [3, 4, 6, 7], null],
    ['backwards', [5, 4, 3, 2], null],
    ['in a row after others', [9, 3, 7, 8, 9], 'names'],
    ['the end of a streak', [3, 4, 5, 9], null],
  ])('have an order after %s', (_, numbers: number[], order: string | null) => {
    expect(provenIn(afterOpens(...numbers))).toBe(order);
  });

  it('must be longer after each wrong guess, up to a bound, and shorter after right ones', () => {
    const streaks = afterOpens(0, 1, 2);
    let at = 2;
    for (let wrong = 1; wrong < 10; wrong++) {
      streaks.get(dirOf(0))?.streaks.names.ahead.set(fidOf(at + 1), 1);
      at += 10;
      open(streaks, 0, at);
      const doubt = Math.min(MOST_DOUBT, wrong * OPENS_IN_ROW);
      expect(streaks.get(dirOf(0))?.doubt).toBe(doubt);
    }
    for (let more = 2; more < OPENS_IN_ROW + MOST_DOUBT; more++) {
      open(streaks, 0, (at += 1));
      expect(provenIn(streaks)).toBeNull();
    }
    open(streaks, 0, (at += 1));
    expect(provenIn(streaks)).toBe('names');
    for (let right = 1; right < 20; right++) {
      streaks.get(dirOf(0))?.streaks.names.ahead.set(fidOf(at + 1), 1);
      open(streaks, 0, (at += 1));
      expect(streaks.get(dirOf(0))?.doubt).toBe(Math.max(0, MOST_DOUBT - right));
    }
  });

  it('come in the order of folders with nothing ahead and the latest use', () => {
    const streaks = new FolderStreaks();
    for (const dir of [0, 1, 2, 3]) for (const number of [1, 2, 3]) open(streaks, dir, number);
    streaks.get(dirOf(2))?.streaks.names.ahead.set(fidOf(4), 1);
    const dirs = (): Array<Fid | undefined> => streaks.proven().map(({ folder }) => folder.dir);
    expect(dirs()).toEqual([3, 1, 0, 2].map(dirOf));
    open(streaks, 0, 3);
    expect(dirs()).toEqual([0, 3, 1, 2].map(dirOf));
  });

  it('have at most half of what was opened ahead, or one file as large as all of it', () => {
    const event = fc.oneof(
      { weight: 4, arbitrary: fc.constant({ what: 'next' } as const) },
      fc.record({ what: fc.constant('other' as const), number: fc.nat(MOST) }),
    );
    const step = fc.record({ event, dir: fc.nat(FOLDERS_READ), bytes: fc.integer({ min: 1 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const streaks = new FolderStreaks();
        const at = new Map<number, number>();
        for (const { event: each, dir, bytes } of steps) {
          const number = each.what === 'next' ? ((at.get(dir) ?? 0) + 1) % MOST : each.number;
          at.set(dir, number);
          open(streaks, dir, number, bytes);
          expect(streaks.size).toBeLessThanOrEqual(FOLDERS_READ);
          for (const { streak, order, folder } of streaks.proven()) {
            expect(streak.opens).toBeGreaterThanOrEqual(OPENS_IN_ROW + folder.doubt);
            for (const other of ORDERS) {
              expect(streak.opens).toBeGreaterThanOrEqual(folder.streaks[other].opens);
            }
            expect(streak.ahead.has(folder.last.fid)).toBe(false);
            const next = Number(folder.last.name) + streak.ahead.size + 1;
            if (order === 'names' && mayLieAhead(streak, bytes))
              streak.ahead.set(fidOf(next), bytes);
            let ahead = 0;
            for (const size of streak.ahead.values()) ahead += size;
            expect(ahead).toBeLessThanOrEqual(
              streak.ahead.size > 1 ? streak.bytes / 2 : streak.bytes,
            );
          }
        }
      }),
    );
  });
});
