/** How often a folder over its bound looks at its files. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { elapsed, instant, seconds } from '../../../../shared/model/time.ts';
import { FOLDER_LIMITS } from '../folder-limits.ts';
import { FolderContents, type KeptContentsParts } from './kept-contents.ts';

const HOUR = seconds(3600);
const BOUND = 50;

let now = 0;
let looks = 0;
let bytes = 0;
let kept: FolderContents;
beforeEach(() => {
  [now, looks, bytes] = [0, 0, 2 * BOUND];
  const records = {
    get bytes() {
      return bytes;
    },
    fids: () => {
      looks += 1;
      return [];
    },
  };
  kept = new FolderContents({
    records,
    clock: { now: () => instant(now), wall: () => now },
    feed: { contentsBound: () => BOUND },
    background: { signal: new AbortController().signal },
    limits: FOLDER_LIMITS,
    letOthersRun: () => Promise.resolve(),
  } as unknown as KeptContentsParts);
});

/** Does what the folder's timer does. */
async function tendFor(length: number): Promise<void> {
  for (const end = now + length; now < end; now += kept.pause) await kept.tend();
}

describe('a folder over its bound', () => {
  it('looks at its files seldom while none can go', async () => {
    await tendFor(HOUR);
    expect(elapsed(instant(0), instant(now))).toBeGreaterThanOrEqual(HOUR);
    expect(looks).toBeLessThan(20);
    expect(looks).toBeGreaterThanOrEqual(HOUR / FOLDER_LIMITS.keptLookMost);
  });

  it('looks soon again once there is more or less in it', async () => {
    await tendFor(HOUR);
    expect([kept.isDue, kept.pause]).toEqual([false, FOLDER_LIMITS.keptLookMost]);
    bytes += 1;
    expect([kept.isDue, kept.pause]).toEqual([true, FOLDER_LIMITS.keptLook]);
  });

  it('looks at no file within its bound', async () => {
    bytes = BOUND;
    await tendFor(HOUR);
    expect([looks, kept.pause]).toEqual([0, FOLDER_LIMITS.keptLook]);
  });
});
