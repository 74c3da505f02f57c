/**
 * fast-check as tests get it: every run draws the same inputs, so that a change is judged by what it does and not by what was drawn.
 * FUZZ_SEED draws others, and FUZZ_RUNS many others; `npm run fuzz` and the simulator look for what is new.
 */
import fc from 'fast-check';

const SEED = 20_261_127;

const asked = process.env.FUZZ_SEED;
const isLong = process.env.FUZZ_RUNS !== undefined;
if (asked !== undefined || !isLong) fc.configureGlobal({ seed: Number(asked ?? SEED) });

export * from 'fast-check';
export { default } from 'fast-check';
