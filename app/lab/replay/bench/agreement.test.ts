import { expect, it } from '@jest/globals';
import type { ReplayResult } from '../engine/replay-result.ts';
import { agreementOf, machineOf, type RunTimes } from './agreement.ts';
import { constant, keyOf, type Cell } from './cell.ts';

const cellAt = (rate: number, more: Partial<Cell> = {}): Cell => ({
  ...{ workload: 'read', policy: 'async', scheduling: 'priorities' },
  ...{ rate: constant(rate), warm: [], expired: false },
  ...more,
});
const runOf = (read: number, drained: number, more: Partial<RunTimes> = {}): RunTimes => ({
  ...{ drained, lastRead: read, lastWrite: 0, machine: null },
  processes: [{ program: 'read', ended: read }],
  byLaptop: [{ crossed: { up: 10 * 1024, down: 1000 * 1024 } }],
  ...more,
});
const always =
  (...runs: RunTimes[]) =>
  (): readonly ReplayResult[] =>
    runs as ReplayResult[];
const told = (section: ReturnType<typeof agreementOf>): string[][] =>
  section?.table?.slice(1).map((row) => row.slice(1)) ?? [];

it('simulated and real runs are compared, and large differences are reported', () => {
  const simulated = (cell: Cell): readonly ReplayResult[] =>
    keyOf(cell) === keyOf(cellAt(64)) ? always(runOf(10.9, 18.2))() : [];
  const real = [
    { cell: cellAt(64), runs: [runOf(9, 20), runOf(11, 20)] },
    { cell: cellAt(128), runs: [runOf(1, 1)] },
  ];
  const section = agreementOf(real, simulated);
  expect(section?.text?.[0]).toMatch(/^4 of 4 are within 10 %, or 0.1 s or 64 KiB; /);
  expect(told(section)).toEqual([
    ['read', '10.00 s', '10.90 s', '9.0 %', ''],
    ['committed', '20.00 s', '18.20 s', '-9.0 %', ''],
    ['up', '10 KiB', '10 KiB', '0.0 %', ''],
    ['down', '1000 KiB', '1000 KiB', '0.0 %', ''],
  ]);
  const [far] = told(agreementOf([{ cell: cellAt(64), runs: [runOf(9, 18)] }], simulated));
  expect(far?.at(-1)).toBe('not to be quoted');
  expect(agreementOf([], simulated)).toBeNull();
});

it('a tenth of a second or a few packets count as agreement', () => {
  const few = { byLaptop: [{ crossed: { up: 74 * 1024, down: 1101 * 1024 } }] };
  const real = [{ cell: cellAt(64), runs: [runOf(0.02, 0.3)] }];
  expect(told(agreementOf(real, always(runOf(0.11, 0.41, few)))).map((row) => row.at(-1))).toEqual([
    '',
    'not to be quoted',
    '',
    'not to be quoted',
  ]);
});

it('only bytes are compared when the time is fixed, and the last reads and writes otherwise', () => {
  const stopped = { cell: cellAt(64, { stopAtMs: 1000 }), runs: [runOf(1, 1)] };
  expect(told(agreementOf([stopped], always(runOf(2, 1)))).map(([what]) => what)).toEqual([
    'up',
    'down',
  ]);
  const processes = ['a', 'b', 'c', 'd'].map((program) => ({ program, ended: 5 }));
  const many = { cell: cellAt(64), runs: [runOf(1, 6, { processes })] };
  expect(told(agreementOf([many], always(runOf(1, 6)))).map(([what]) => what)).toEqual([
    ...['last read', 'last write', 'committed', 'up', 'down'],
  ]);
});

it('a simulated cell gets the machine costs that its real runs measured', () => {
  const costs = (callMs: number) => ({
    machine: { callMs, calls: [], editMs: 0, syncMs: 2, writeMsPerMiB: 30 },
  });
  const real = [{ cell: cellAt(64), runs: [runOf(1, 1, costs(1)), runOf(1, 1, costs(3))] }];
  expect(machineOf(real, cellAt(64))).toEqual({
    ...{ callMs: 2, calls: [], editMs: 0, syncMs: 2, writeMsPerMiB: 30 },
  });
  expect(machineOf(real, cellAt(128))).toBeNull();
});
