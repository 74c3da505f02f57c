import { beforeEach, describe, expect, it } from '@jest/globals';
import { instant, wallTime } from '../../../shared/model/time.ts';
import type { MetaValue } from '../../../shared/ports/client-store.ts';
import { USED_STEP, USED_STEP_TIME } from '../../limits.ts';
import type { Now } from '../events.ts';
import { DataUsed } from './data-used.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let rows: Map<string, MetaValue>;
let used: DataUsed;

const at = (hours: number): Now => ({
  at: instant(hours * HOUR),
  wall: wallTime(20_000 * DAY + hours * HOUR),
});

function again(): DataUsed {
  const next = new DataUsed({
    put: (key, value) => void rows.set(key, value),
    drop: (key) => void rows.delete(key),
  });
  next.load(rows);
  return next;
}

beforeEach(() => {
  rows = new Map();
  used = again();
});

describe('the data used on a network', () => {
  it('are counted for the present day and each network', () => {
    used.add('a', 5, at(1));
    used.add('a', 6, at(23));
    used.add('b', 7, at(23));
    expect([used.on('a', at(23)), used.on('b', at(23)), used.on('c', at(23))]).toEqual([11, 7, 0]);
    expect(used.today(at(23))).toEqual([
      ['a', 11],
      ['b', 7],
    ]);
    expect(used.today(at(24))).toEqual([]);
    used.add('b', 1, at(24));
    expect(used.today(at(24))).toEqual([['b', 1]]);
    expect([...rows.keys()]).toEqual(['network-used:b']);
  });

  it('are counted by local days and report the end of a day', () => {
    used.utcOffsetMs = 2 * HOUR;
    used.add('a', 5, at(21));
    expect(used.on('a', at(21.9))).toBe(5);
    expect(used.on('a', at(22))).toBe(0);
    expect(used.dayEnds(at(21)) - at(21).wall).toBe(HOUR);
    expect(used.dayEnds(at(22)) - at(22).wall).toBe(DAY);
  });

  it('are durable up to a step of bytes and time', () => {
    used.add('a', 1, at(1));
    expect(again().on('a', at(1))).toBe(1);
    used.add('a', USED_STEP - 1, at(1));
    expect(again().on('a', at(1))).toBe(1);
    used.add('a', 1, at(1));
    expect(again().on('a', at(1))).toBe(USED_STEP + 1);
    const later = { ...at(1), at: instant(HOUR + USED_STEP_TIME) };
    used.add('a', 1, later);
    expect(again().on('a', later)).toBe(USED_STEP + 2);
    used.add('a', 1, later);
    used.save('a', later.at);
    expect(again().on('a', later)).toBe(USED_STEP + 3);
  });

  it('are dropped when they cannot be read', () => {
    rows.set('network-used:a', 'x');
    rows.set('network-used:b', 12);
    rows.set('other', '1 1');
    expect(again().today(at(0))).toEqual([]);
  });
});
