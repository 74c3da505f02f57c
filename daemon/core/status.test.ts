/** Notes are shown, and nothing is wrong for them. */
import { expect, it } from '@jest/globals';
import type { ErrorStatus } from '../../shared/control/snapshot.ts';
import { ClientBench } from '../../test/support/client-bench.ts';

const entry = (code: string): ErrorStatus => ({ code, message: code, remedy: 'none', path: 'p' });

it.each([
  [['special-file'], false],
  [['special-file', 'disk-full'], true],
])('of %j something is wrong: %s', async (codes, isWrong) => {
  const { client } = await (await ClientBench.start()).join();
  const { state, summary, errors } = client.status({
    unsettled: { paths: 0, commits: 0 },
    errors: codes.map(entry),
  });
  expect(errors.map(({ code }) => code)).toEqual(codes);
  expect(state === 'error').toBe(isWrong);
  expect(summary === 'disk-full').toBe(isWrong);
});
