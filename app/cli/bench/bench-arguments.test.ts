import { expect, it } from '@jest/globals';
import { godwit } from '../../../test/support/run-cli.ts';

it.each([
  [['bench'], /^godwit: bench: say what to measure: ingest, link; .*\n$/],
  [['bench', 'digest'], /^godwit: .*\n$/],
  [['bench', 'ingest', 'more'], /^godwit: .*arguments.*\n$/],
  [['bench', 'ingest', '--files=-1'], /^godwit: .*-1.*\n$/],
  [['bench', 'ingest', '--size=0'], /^godwit: --size 0: .*\n$/],
  [['bench', 'ingest', '--large=1XB'], /^godwit: .*1XB.*\n$/],
  [['bench', 'ingest', '--known=many'], /^godwit: .*many.*\n$/],
  [['bench', 'ingest', '--idle=soon'], /^godwit: .*soon.*\n$/],
  [
    ['bench', 'ingest', '--files=0', '--large=0', '--known=0', '--idle=0'],
    /^godwit: bench ingest: nothing is left to measure; .*\n$/,
  ],
])('%j is a usage error', async (args, line) => {
  const { code, stdout, stderr } = await godwit(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(line);
});

it('is refused in one line where there is no room', async () => {
  const { code, stderr } = await godwit(['bench', 'ingest', '--large', '8000TiB']);
  expect(code).toBe(5);
  expect(stderr).toMatch(/^godwit: .* are needed and .* are free .*; free some space.*\n$/);
});
