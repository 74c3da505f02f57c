import { expect, it } from '@jest/globals';
import { constant, sampleOf, type Cell } from './cell.ts';

const cells: readonly Cell[] = [1, 2, 3, 4, 5, 6, 7].map((rate) => ({
  ...{ workload: 'read', policy: 'async', scheduling: 'priorities' },
  ...{ rate: constant(rate), warm: [], expired: false },
}));
const ratesOf = (all: readonly Cell[]): number[] =>
  all.map(({ rate }) => (rate[0]?.bytesPerSecond ?? 0) / 1024);

it.each([
  [1, [1]],
  [2, [1, 7]],
  [3, [1, 4, 7]],
  [7, [1, 2, 3, 4, 5, 6, 7]],
  [99, [1, 2, 3, 4, 5, 6, 7]],
])('a sample of %i cells is spread over all, each once', (count, rates) => {
  expect(ratesOf(sampleOf([...cells, ...cells], count))).toEqual(rates);
});
