import { expect, it } from '@jest/globals';
import { nameFault } from '../../../shared/model/names.ts';
import { conflictName } from './conflict-name.ts';

const WALL = Date.UTC(2026, 0, 2, 3, 4, 5);
const MARK = ' (conflict, laptop, 2026-01-02 03.04.05)';

it.each([
  ['doc.txt', `doc${MARK}.txt`],
  ['doc', `doc${MARK}`],
  ['.profile', `.profile${MARK}`],
  [`a.${'x'.repeat(30)}`, `a.${'x'.repeat(30)}${MARK}`],
])('names the copy of %s', (name, copy) => {
  expect(conflictName(name, 'laptop', WALL, () => false)).toBe(copy);
});

it('finds a free one, and keeps to what a name may have', () => {
  const first = conflictName('doc', 'a/b', WALL, () => false);
  const second = conflictName('doc', 'a/b', WALL, (name) => name === first);
  expect(second).toBe('doc (conflict, a-b, 2026-01-02 03.04.05 2)');
  const long = conflictName(`${'ü'.repeat(125)}.odt`, 'laptop', WALL, () => false);
  expect(nameFault(long)).toBeNull();
  expect(long.endsWith(`${MARK}.odt`)).toBe(true);
});
