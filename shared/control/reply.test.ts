import { expect, it } from '@jest/globals';
import { ERROR_CODES, type GodwitError } from '../wire/error-codes.ts';
import { resultOf, type UncheckedReply } from './reply.ts';

function errorOf(error: object): GodwitError {
  try {
    resultOf({ ok: false, error } as UncheckedReply);
  } catch (thrown) {
    return thrown as GodwitError;
  }
  throw new Error('it is an error');
}

it('an error keeps the remedy that the daemon gives', () => {
  const error = errorOf({ code: 'not-found', message: '9: no conflict', remedy: 'see the list' });
  expect([error.code, error.message, error.remedy]).toEqual([
    'not-found',
    '9: no conflict',
    'see the list',
  ]);
});

it.each([undefined, null, 7])(
  'an error has the remedy of its code when the daemon gives %j',
  (remedy) => {
    const error = errorOf({ code: 'not-found', message: '9: no conflict', remedy });
    expect(error.remedy).toBe(ERROR_CODES['not-found'].remedy);
  },
);
