/**
 * Random histories go the ways of contents told in part: else nothing that the checkers find speaks of them. These two meet them often.
 */
import { afterEach, expect, it, jest } from '@jest/globals';
import { MemoryDelta } from '../../app/lab/simulator/store/memory-delta.ts';
import { simulate } from '../../app/lab/simulator/simulation.ts';
import { expectNothing } from './expect-nothing.ts';

const SEED = 26;
const CUT_OFF = 216;
const STEPS = 150;

afterEach(() => {
  jest.restoreAllMocks();
});

it('random histories make and apply deltas', async () => {
  const make = jest.spyOn(MemoryDelta.prototype, 'make');
  const apply = jest.spyOn(MemoryDelta.prototype, 'apply');
  expectNothing(
    await simulate({ seed: SEED, steps: STEPS }),
    `godwit sim --seed ${SEED} --steps ${STEPS}`,
  );
  expect(make.mock.calls.length).toBeGreaterThan(10);
  expect(apply.mock.calls.length).toBeGreaterThan(10);
});

it('random histories resume transfers that were cut off', async () => {
  const join = jest.spyOn(MemoryDelta.prototype, 'join');
  expectNothing(
    await simulate({ seed: CUT_OFF, steps: STEPS }),
    `godwit sim --seed ${CUT_OFF} --steps ${STEPS}`,
  );
  expect(join.mock.calls.length).toBeGreaterThan(10);
});
