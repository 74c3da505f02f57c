import { expect, it } from '@jest/globals';
import { ERROR_CODES, NOTES } from '../wire/error-codes.ts';
import { NOTE_CODES, REMOVALS_HELD } from './notes.ts';

it('the codes of notes exist in the table of errors', () => {
  expect([...NOTE_CODES].sort()).toEqual([...NOTES].sort());
  expect(Object.keys(ERROR_CODES)).toContain(REMOVALS_HELD);
});
