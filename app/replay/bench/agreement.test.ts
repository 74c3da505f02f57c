import { expect, it } from '@jest/globals';
import type { ReplayResult } from '../engine/replay-result.ts';
import { agreementOf, type RunTimes } from './agreement.ts';
import { constant, keyOf, type Cell } from './cell.ts';

const cellAt = (rate: number): Cell => ({
  ...{ workload: 'read', policy: 'async', scheduling: 'priorities' },
  ...{ rate: constant(rate), warm: [], expired: false },
});
const runOf = (read: number, drained: number): RunTimes => {
  return { drained, processes: [{ program: 'read', ended: read }] };
};

it('compares what was run in both ways, and says what is too far off', () => {
  const simulated = (cell: Cell): readonly ReplayResult[] =>
    keyOf(cell) === keyOf(cellAt(64)) ? [runOf(10.9, 18.2) as ReplayResult] : [];
  const real = [
    { cell: cellAt(64), runs: [runOf(9, 20), runOf(11, 20)] },
    { cell: cellAt(128), runs: [runOf(1, 1)] },
  ];
  const section = agreementOf(real, simulated);
  expect(section?.text).toEqual(['2 of 2 are within 10 %; the others are not to be quoted.']);
  expect(section?.table?.slice(1).map((row) => row.slice(1))).toEqual([
    ['read', '10.0', '10.9', '9.0 %', ''],
    ['committed', '20.0', '18.2', '-9.0 %', ''],
  ]);
  const [, far] = agreementOf([{ cell: cellAt(64), runs: [runOf(9, 18)] }], simulated)?.table ?? [];
  expect(far?.at(-1)).toBe('not to be quoted');
  expect(agreementOf([], simulated)).toBeNull();
});
