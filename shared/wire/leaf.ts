/**
 * A schema of one value that one function accepts or not: what fields are made of.
 *
 * Zod runs each `refine`, `min` and `max` as a check of its own, after the parser and with the care that checks which change
 * values need. Messages have some twenty fields each, and all their bounds are yes or no: as the parser itself they cost a third.
 */
import { z } from 'zod';

interface LeafDefinition extends z.core.$ZodTypeDef {
  readonly accepts: (value: unknown) => boolean;
  /** What is read of a value that is accepted; left out: itself. */
  readonly read?: (value: unknown) => unknown;
}

interface LeafInternals extends z.core.$ZodTypeInternals {
  readonly def: LeafDefinition;
}

interface Leaf extends z.ZodType {
  readonly _zod: LeafInternals;
}

const Leaf = z.core.$constructor<Leaf, LeafDefinition>('Leaf', (inst, def) => {
  z.ZodType.init(inst, def);
  const { accepts, read } = def;
  inst._zod.parse = (payload) => {
    if (!accepts(payload.value)) {
      payload.issues.push({ code: 'custom', input: payload.value, inst });
    } else if (read !== undefined) payload.value = read(payload.value);
    return payload;
  };
});

/**
 * A schema for one value, faster than zod's own for hot messages. `read` converts what `accepts`
 * has accepted.
 */
export function leaf<T>(
  accepts: (value: unknown) => boolean,
  read?: (value: T) => T,
): z.ZodType<T> {
  const reading = read === undefined ? {} : { read: read as (value: unknown) => unknown };
  return new Leaf({ type: 'custom', accepts, ...reading }) as unknown as z.ZodType<T>;
}

/** A whole number, both bounds included. */
export function wholeNumber(least: number, most: number): z.ZodType<number> {
  return leaf<number>(
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  );
}

export function textLike(pattern: RegExp): z.ZodType<string> {
  return leaf<string>((value) => typeof value === 'string' && pattern.test(value));
}
