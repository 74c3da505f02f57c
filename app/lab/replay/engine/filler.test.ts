import { expect, it } from '@jest/globals';
import { edited, filler } from './filler.ts';

const NOTHING = new Uint8Array(0);

it('the filler is the same for the same stamp and place and differs for others', () => {
  expect(filler(3, 0, 64)).toEqual(filler(3, 0, 64));
  expect(filler(3, 0, 64)).not.toEqual(filler(4, 0, 64));
  expect(filler(3, 0, 64)).not.toEqual(filler(3, 64, 64));
  expect(filler(-1, 0, 5)).toHaveLength(5);
});

it('edits are applied over earlier contents in their order', () => {
  const before = edited(NOTHING, [{ kind: 'write', offset: 0, length: 8 }], 1);
  const after = edited(before, [{ kind: 'write', offset: 4, length: 8 }], 2);
  expect(after).toHaveLength(12);
  expect(after.subarray(0, 4)).toEqual(before.subarray(0, 4));
  expect(after.subarray(4)).toEqual(filler(2, 4, 8));
});

it('zeros fill what was cut off or skipped', () => {
  const after = edited(
    filler(1, 0, 8),
    [
      { kind: 'truncate', size: 2 },
      { kind: 'write', offset: 6, length: 1 },
      { kind: 'truncate', size: 9 },
    ],
    2,
  );
  expect([...after]).toEqual([...filler(1, 0, 2), 0, 0, 0, 0, ...filler(2, 6, 1), 0, 0]);
});
