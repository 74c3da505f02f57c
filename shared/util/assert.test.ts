import { describe, expect, it } from '@jest/globals';
import { assert, AssertionFailure, present, unreachable } from './assert.ts';

describe('the assertions of the core', () => {
  it.each<[string, () => void, string | null]>([
    ['a true condition', () => assert(true, 'it holds'), null],
    ['a false condition', () => assert(false, 'it holds'), 'it holds'],
    [
      'context',
      () => assert(false, 'it holds', { fid: '1.2.3', n: 4n, gone: undefined }),
      'it holds (fid="1.2.3", n=4n, gone=undefined)',
    ],
    ['a value', () => void present(0, 'it is there'), null],
    ['a missing value', () => void present(null, 'it is there', { at: 1 }), 'it is there (at=1)'],
    ['a case too many', () => unreachable('x' as never), 'every case is handled (value="x")'],
  ])('accept or reject %s', (_, run, message) => {
    if (message === null) expect(run).not.toThrow();
    else expect(run).toThrow(new AssertionFailure(message));
  });
});
