/** Lists in the flags of a bench: rates and times, separated by commas. */
import { checkConditions, CLEAR, ConditionsError } from '../shaper/conditions.ts';
import { asUsage, parseMilliseconds } from '../shaper/cli/link-flags.ts';

/** None of them 0, unless that makes sense. */
export function listOf(
  name: string,
  parse: (text: string) => number,
  { zero = false }: { readonly zero?: boolean } = {},
): (text: string) => number[] {
  const parseOne = (text: string): number => {
    const value = parse(text);
    if (value === 0 && !zero) throw new ConditionsError(`${text}: more than 0 is wanted`);
    return value;
  };
  return asUsage(name, (text) => text.split(',').map(parseOne));
}

/** Parses a one-way delay of a path, in milliseconds. */
export function parseDelay(text: string): number {
  const delayMs = parseMilliseconds(text);
  checkConditions({ ...CLEAR, delayMs });
  return delayMs;
}
