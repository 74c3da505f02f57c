import { expect, it } from '@jest/globals';
import { wordsFor } from './error-words.ts';

const failure = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code, syscall: 'rename' });

it.each([
  ['EPERM', /does not permit it, .* immutable .*\(EPERM\)$/],
  ['EROFS', /the disk is read-only \(EROFS\)$/],
  ['EMLINK', /the disk refuses rename \(EMLINK\)$/],
])('the disk error %s is described in words without internal paths', (code, words) => {
  const error = failure(code, `${code}: rename '/f/.godwit/late/1' <-> '/proc/self/fd/55/z'`);
  const [told, path, text] = wordsFor(error, 'z', 'it can not be put in place');
  expect([told, path]).toEqual(['sync-blocked', 'z']);
  expect(text).toMatch(words);
  expect(text).not.toMatch(/proc|\.godwit/);
});

it('a full disk and an internal fault have descriptions of their own', () => {
  expect(wordsFor(failure('ENOSPC', ''), 'z', 'x')).toEqual(['disk-full', null]);
  expect(wordsFor(new Error('no such row'), 'z', 'x')).toEqual([
    'sync-blocked',
    'z',
    'x: no such row',
  ]);
});
