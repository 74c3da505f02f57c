/** Saved plans of the simulator: an accepted plan can be run, and is equal after it is written and read again. */
import { equal } from 'node:assert/strict';
import { FAULTS } from '../../../../app/lab/simulator/fault/faults.ts';
import { makePlan } from '../../../../app/lab/simulator/plan/make-plan.ts';
import { PlanError, readSavedRun } from '../../../../app/lab/simulator/plan/read-plan.ts';
import { ERA, JSON_TOKENS, text, type Parser, type ParserRow } from '../parser.ts';

const SEEDS = 12;

const plans = (): Parser => ({
  corpus: (seed) =>
    Array.from({ length: SEEDS }, (_, i) => {
      const plan = makePlan({ seed: seed + i, steps: 4 + i, faults: FAULTS });
      const saved = { plan, digest: 'ab'.repeat(32), commit: 'abc' };
      return Buffer.from(JSON.stringify(i % 3 === 0 ? plan : saved));
    }),
  tokens: [
    ...JSON_TOKENS,
    ...text('"kind":"fault"', '"laptop":9', '"laptop":-1', '"do":"rename"', '"at":', '"path":"/"'),
  ],
  allows: (error) => error instanceof PlanError,
  check: (given) => {
    const read = readSavedRun(Buffer.from(given.buffer, given.byteOffset, given.length).toString());
    // JSON writes a negative zero without its sign.
    const text = JSON.stringify(read);
    equal(JSON.stringify(readSavedRun(text)), text);
    return true;
  },
});

export const PLANS: readonly ParserRow[] = [
  { name: 'saved plans', weight: 0.3, era: ERA, open: plans },
];
