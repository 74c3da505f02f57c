/**
 * How many inputs each parser gets: few for `npm test`, as many as FUZZ_RUNS says for a long run, which tells
 * how many there were. A failure prints its seed; FUZZ_SEED runs it again.
 */
import { afterAll, it } from '@jest/globals';
import fc from 'fast-check';

const asked = Number(process.env['FUZZ_RUNS'] ?? 0);
const LONG_TEST_MS = 11 * 60_000;

function parameters(usual: number, share: number): fc.Parameters<unknown> {
  const numRuns = asked > 0 ? Math.max(usual, Math.ceil(asked * share)) : usual;
  // A failure is reported as it was found: shrinking it can take far longer than finding it.
  return { numRuns, endOnFailure: asked > 0 };
}

/** Tells at the end of a long run how many inputs the parser got. */
function counted<T, R>(parser: string, check: (input: T) => R): (input: T) => R {
  let count = 0;
  if (asked > 0) afterAll(() => void process.stdout.write(`fuzz: ${parser}: ${count} inputs\n`));
  return (input) => {
    count += 1;
    return check(input);
  };
}

/** Defines a test that gives random inputs to a parser. `share` is its part of FUZZ_RUNS, which is smaller for inputs that need the disk. */
export function fuzz<T>(
  parser: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => void,
  { usual = 200, share = 1 } = {},
): void {
  const property = fc.property(inputs, counted(parser, check));
  const run = (): void => fc.assert(property, parameters(usual, share) as object);
  it(`the parser of ${parser} accepts or refuses every input`, run, LONG_TEST_MS);
}

/** Defines such a test for a parser that returns a promise. */
export function fuzzAsync<T>(
  parser: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => Promise<void>,
  { usual = 20, share = 0.05 } = {},
): void {
  const property = fc.asyncProperty(inputs, counted(parser, check));
  const run = (): Promise<void> => fc.assert(property, parameters(usual, share) as object);
  it(`the parser of ${parser} accepts or refuses every input`, run, LONG_TEST_MS);
}
