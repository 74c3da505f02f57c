/** When contents that could not be put in place are tried again. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { instant, minutes, seconds } from '../../../../shared/model/time.ts';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import { UnavailableContents } from './unavailable-contents.ts';

const STATUS = { fid: '1.2.1', version: 1, digest: 'd', size: 100 } as unknown as VnodeStatus;
const LIMITS = { retry: seconds(15), retryMost: minutes(10) };
const NO_ROOM = Object.assign(new Error('no room'), { code: 'ENOSPC' });
const FAILING = Object.assign(new Error('fails'), { code: 'EIO' });

let now = 0;
let free: number | null = 0;
let contents: UnavailableContents;
beforeEach(() => {
  [now, free] = [0, 50];
  const clock = { now: () => instant(now) } as never;
  contents = new UnavailableContents(clock, LIMITS, () => free);
});

/** So often that it would be tried again in ten minutes only. */
function failOften(error: unknown): void {
  for (let tries = 0; tries < 9; tries++) {
    contents.add(STATUS, error);
    contents.addFetched(STATUS, error);
  }
}

const isTriedAgain = (): boolean => {
  contents.forgiveDue();
  return !contents.has(STATUS);
};

describe('contents that the disk had no room for', () => {
  it('are tried again as soon as there is room', () => {
    failOften(NO_ROOM);
    now += LIMITS.retry;
    expect(isTriedAgain()).toBe(false);
    free = 101;
    expect(isTriedAgain()).toBe(true);
  });

  it('are tried again for a flush where room was made before anybody looked', () => {
    free = 5000;
    failOften(NO_ROOM);
    now += LIMITS.retry;
    expect(isTriedAgain()).toBe(false);
    contents.forgiveDue('asked again');
    expect(contents.has(STATUS)).toBe(false);
  });

  it('are not tried again for a flush where they do not fit', () => {
    failOften(NO_ROOM);
    contents.forgiveDue('asked');
    expect(contents.has(STATUS)).toBe(true);
  });

  it.each([
    ['there is more room, and not enough', 50, 99],
    ['there was room by what the disk says, as with a quota', 5000, 5000],
    ['nobody knows the room', null, null],
  ])('are tried again late where %s', (_, before, after) => {
    free = before;
    failOften(NO_ROOM);
    free = after;
    now += LIMITS.retry;
    expect(isTriedAgain()).toBe(false);
    now += LIMITS.retryMost;
    expect(isTriedAgain()).toBe(true);
  });

  it('are tried once for a flush when the room on the disk is unknown', () => {
    free = null;
    failOften(NO_ROOM);
    contents.forgiveDue('asked again');
    expect(contents.has(STATUS)).toBe(true);
    contents.forgiveDue('asked');
    expect(contents.has(STATUS)).toBe(false);
  });

  it('are the only ones that room helps', () => {
    failOften(FAILING);
    free = 5000;
    now += LIMITS.retry;
    expect(isTriedAgain()).toBe(false);
  });
});

it('contents on a failing disk are tried once for a flush, and not in each of its rounds', () => {
  failOften(FAILING);
  contents.forgiveDue('asked again');
  expect(contents.has(STATUS)).toBe(true);
  contents.forgiveDue('asked');
  expect(contents.has(STATUS)).toBe(false);
});
