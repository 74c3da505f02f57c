/**
 * How many inputs each parser gets: few for `npm test`, as many as FUZZ_RUNS says for a long run, which tells
 * how many there were. A failure prints its seed; FUZZ_SEED runs it again.
 */
import { afterAll, it } from '@jest/globals';
import fc from 'fast-check';

const asked = Number(process.env['FUZZ_RUNS'] ?? 0);
const seed = process.env['FUZZ_SEED'];
const LONG_TEST_MS = 11 * 60_000;
const counts = new Map<string, number>();

function parameters(usual: number, share: number): fc.Parameters<unknown> {
  const numRuns = asked > 0 ? Math.max(usual, Math.ceil(asked * share)) : usual;
  // A failure is reported as it was found: shrinking it can take far longer than finding it.
  return {
    numRuns,
    endOnFailure: asked > 0,
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  };
}

function counted<T>(parser: string, check: (input: T) => void): (input: T) => void {
  return (input) => {
    counts.set(parser, (counts.get(parser) ?? 0) + 1);
    check(input);
  };
}

/** Defines a test that gives random inputs to a parser. `share` is its part of FUZZ_RUNS, which is smaller for inputs that need the disk. */
export function fuzz<T>(
  parser: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => void,
  { usual = 200, share = 1 } = {},
): void {
  const run = (): void => {
    fc.assert(fc.property(inputs, counted(parser, check)), parameters(usual, share) as object);
  };
  it(`the parser of ${parser} accepts or refuses every input`, run, LONG_TEST_MS);
}

/** Defines such a test for a parser that returns a promise. */
export function fuzzAsync<T>(
  parser: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => Promise<void>,
  { usual = 20, share = 0.05 } = {},
): void {
  const run = async (): Promise<void> => {
    const property = fc.asyncProperty(inputs, async (input) => {
      counted(parser, () => undefined)(input);
      await check(input);
    });
    await fc.assert(property, parameters(usual, share) as object);
  };
  it(`the parser of ${parser} accepts or refuses every input`, run, LONG_TEST_MS);
}

afterAll(() => {
  if (asked === 0) return;
  for (const [parser, count] of counts) process.stdout.write(`fuzz: ${parser}: ${count} inputs\n`);
});
