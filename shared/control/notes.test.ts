import { expect, it } from '@jest/globals';
import { ERROR_CODES, NOTES } from '../wire/error-codes.ts';
import { NOTE_CODES, REMOVALS_HELD } from './notes.ts';

it('codes that readers treat apart are those of the table', () => {
  expect([...NOTE_CODES].sort()).toEqual([...NOTES].sort());
  expect(Object.keys(ERROR_CODES)).toContain(REMOVALS_HELD);
});
