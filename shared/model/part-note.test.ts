import { describe, expect, it } from '@jest/globals';
import { makeFid } from './fid.ts';
import { partName, readPartName } from './part-note.ts';
import { wallTime } from './time.ts';

const DIGEST = 'ab'.repeat(32);
const note = { fid: makeFid(1, 7, 9), digest: DIGEST, length: 300, keptAt: wallTime(1_700_000) };

describe('the note of a part', () => {
  it('is parsed from the file name that it makes', () => {
    expect(readPartName(partName(note))).toEqual(note);
  });

  it.each([
    ['', 'nothing'],
    ['incoming-1', 'another file'],
    [`${DIGEST}-300-1700000`, 'no fid'],
    [`${DIGEST}-300-1700000-1.7`, 'half a fid'],
    [`${DIGEST.slice(1)}-300-1700000-1.7.9`, 'a digest that is too short'],
    [`${DIGEST}-${'9'.repeat(20)}-1700000-1.7.9`, 'a length that is no number of ours'],
    [`../${DIGEST}-300-1700000-1.7.9`, 'a path'],
  ])('is not found in "%s": %s', (name) => {
    expect(readPartName(name)).toBeNull();
  });

  it('has a valid name also for a clock before 1970', () => {
    expect(readPartName(partName({ ...note, keptAt: wallTime(-5) }))?.keptAt).toBe(0);
  });
});
