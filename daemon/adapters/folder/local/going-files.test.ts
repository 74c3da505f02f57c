/** When a removal in a mounted volume may be told (rule M4). */
import { describe, expect, it } from '@jest/globals';
import type { Fid } from '../../../../shared/model/fid.ts';
import { instant, milliseconds } from '../../../../shared/model/time.ts';
import { GoingFiles } from './going-files.ts';

const [A, B] = ['2.10.1', '2.11.1'] as Fid[] as [Fid, Fid];
const SETTLE = 100;
/** So long after the last removal it is told. */
const REST = 3 * SETTLE;

function going() {
  let now = 0;
  const clock = { now: () => instant(now) };
  const files = new GoingFiles({ clock, limits: { settle: milliseconds(SETTLE) } });
  return {
    files,
    pass: (by: number) => {
      now += by;
    },
  };
}

describe('a file that has gone', () => {
  it('rests when nothing more has gone for a while', () => {
    const { files, pass } = going();
    expect(files.rests(A)).toBe(false);
    pass(REST - 1);
    expect(files.rests(A)).toBe(false);
    pass(1);
    expect(files.rests(A)).toBe(true);
  });

  it('does not rest while others go', () => {
    const { files, pass } = going();
    expect(files.rests(A)).toBe(false);
    pass(REST - 1);
    expect(files.rests(B)).toBe(false);
    pass(1);
    expect(files.rests(A)).toBe(false);
    pass(REST - 1);
    expect(files.rests(A)).toBe(true);
    expect(files.rests(B)).toBe(true);
  });

  it('has gone anew if it was not missed in between', () => {
    const { files, pass } = going();
    expect(files.rests(A)).toBe(false);
    pass(100 * REST);
    expect(files.rests(A)).toBe(false);
    pass(REST);
    expect(files.rests(A)).toBe(true);
  });
});
