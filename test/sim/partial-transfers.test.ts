/**
 * Random histories go the ways of contents told in part: else nothing that the checkers find speaks of them. That a break leaves a part
 * behind is rare in them, since most of their contents fit one packet; that is for test/scenario/partial-transfers.test.ts.
 */
import { afterEach, expect, it, jest } from '@jest/globals';
import { MemoryDelta } from '../../app/sim/store/memory-delta.ts';
import { simulate } from '../../app/sim/simulation.ts';
import { expectNothing } from './expect-nothing.ts';

const SEED = 2;
const STEPS = 150;

afterEach(() => {
  jest.restoreAllMocks();
});

it('deltas are made and applied', async () => {
  const make = jest.spyOn(MemoryDelta.prototype, 'make');
  const apply = jest.spyOn(MemoryDelta.prototype, 'apply');
  expectNothing(
    await simulate({ seed: SEED, steps: STEPS }),
    `godwit sim --seed ${SEED} --steps ${STEPS}`,
  );
  expect(make.mock.calls.length).toBeGreaterThan(10);
  expect(apply.mock.calls.length).toBeGreaterThan(10);
});
