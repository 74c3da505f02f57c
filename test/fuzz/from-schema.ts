/**
 * Well-formed values at random, made from the schema that they are to pass: so every message, call and file that
 * has a schema is fuzzed with all its fields, those that somebody adds later too.
 */
import fc from 'fast-check';
import type { z } from 'zod';
import * as any from '../support/wire-arbitraries.ts';

interface Definition {
  readonly type: string;
  readonly shape?: Record<string, z.ZodType>;
  readonly catchall?: z.ZodType;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly values?: readonly unknown[];
  readonly entries?: Record<string, unknown>;
}

const hex = (digits: number): fc.Arbitrary<string> =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`));

/** Values of which one passes every field without structure. */
const LEAVES: ReadonlyArray<fc.Arbitrary<unknown>> = [
  ...[any.fid, any.name, any.mtime, any.digest, any.counter, fc.boolean()],
  ...[hex(16), hex(32), hex(64)],
  fc.constantFrom<unknown>(0, 1, 2, 7, 255, 4096, 65_536, 0xffff_ffff, Number.MAX_SAFE_INTEGER),
  fc.integer({ min: 1, max: 4 }),
  fc.integer({ min: 1000, max: 60_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom('a', 'laptop', 'read', 'write', '/x/a', 'x'.repeat(64), '0', '-1'),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.string({ unit: 'binary', maxLength: 40 }),
];

const MOST_ITEMS = 4;

/** Values that pass `schema`. */
export function fromSchema(schema: z.ZodType): fc.Arbitrary<unknown> {
  const definition = schema._zod.def as unknown as Definition;
  const inner = (one: z.ZodType | undefined): fc.Arbitrary<unknown> =>
    one === undefined ? fc.constant(null) : fromSchema(one);
  switch (definition.type) {
    case 'object':
      return object(definition);
    case 'array':
      return passing(schema, [fc.array(inner(definition.element), { maxLength: MOST_ITEMS })]);
    case 'nullable':
      return fc.oneof(fc.constant(null), inner(definition.innerType));
    case 'union':
      return fc.oneof(...(definition.options ?? []).map(fromSchema));
    case 'literal':
      return fc.constantFrom(...(definition.values ?? []));
    case 'enum':
      return fc.constantFrom(...Object.values(definition.entries ?? {}));
    default:
      return passing(schema, LEAVES);
  }
}

function object({ shape = {} }: Definition): fc.Arbitrary<unknown> {
  const isOptional = (field: z.ZodType): boolean => field._zod.def.type === 'optional';
  const fields = Object.entries(shape).map(([key, field]) => {
    const { innerType } = field._zod.def as unknown as Definition;
    return [key, fromSchema(isOptional(field) && innerType ? innerType : field)] as const;
  });
  const requiredKeys = Object.entries(shape).flatMap(([key, field]) =>
    isOptional(field) ? [] : [key],
  );
  return fc.record(Object.fromEntries(fields), { requiredKeys, noNullPrototype: true });
}

/** Values of the first arbitrary that passes often enough; without one, LEAVES has a gap. */
function passing(
  schema: z.ZodType,
  among: ReadonlyArray<fc.Arbitrary<unknown>>,
): fc.Arbitrary<unknown> {
  const passes = (value: unknown): boolean => schema.safeParse(value).success;
  const able = among.filter((values) => {
    const drawn = fc.sample(values, { numRuns: 20, seed: 1 });
    return drawn.filter(passes).length >= 5;
  });
  if (able.length === 0) throw new Error(`nothing here passes a ${schema._zod.def.type}`);
  return fc.oneof(...able.map((values) => values.filter(passes)));
}
