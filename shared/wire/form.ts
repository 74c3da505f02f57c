/**
 * The form of a message: which of its values may be lists and maps, how long, and with which keys. It is taken from the schema, so that whatever a
 * message holds is counted while its bytes are read (`scan.ts`), before any of it is built.
 */
import type { z } from 'zod';

export interface Form {
  /** Null: no list may be here. */
  readonly list: { readonly most: number; readonly of: Form } | null;
  /** Null: no map may be here. */
  readonly map: ReadonlyMap<string, Form> | null;
}

/** A value without structure: a number, a text, a flag or null. */
export const PLAIN: Form = { list: null, map: null };

interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly checks?: ReadonlyArray<{ readonly _zod: { readonly def: unknown } }>;
}

const WITHOUT_STRUCTURE = new Set([
  'string',
  'number',
  'boolean',
  'null',
  'literal',
  'enum',
  'custom',
]);

/** Throws if a schema contains a type that is not known here, or a list without a limit. */
export function formOf(schema: z.ZodType): Form {
  const definition = schema._zod.def as unknown as Definition;
  const { type, shape = {}, element, innerType, options = [] } = definition;
  if (WITHOUT_STRUCTURE.has(type)) return PLAIN;
  if ((type === 'nullable' || type === 'optional') && innerType !== undefined) {
    return formOf(innerType);
  }
  if (type === 'array' && element !== undefined) {
    return { list: { most: mostOf(definition), of: formOf(element) }, map: null };
  }
  if (type === 'object') {
    const fields = Object.entries(shape).map(([key, field]) => [key, formOf(field)] as const);
    return { list: null, map: new Map(fields) };
  }
  if (type === 'union') return options.map(formOf).reduce(either);
  throw new Error(`a message has no form for a ${type}`);
}

function mostOf({ checks = [] }: Definition): number {
  for (const { _zod } of checks) {
    const { check, maximum } = _zod.def as { check?: string; maximum?: number };
    if (check === 'max_length' && maximum !== undefined) return maximum;
  }
  throw new Error('a list of a message has no limit');
}

/** What one or the other may be. */
function either(one: Form, other: Form): Form {
  return { list: eitherList(one.list, other.list), map: eitherMap(one.map, other.map) };
}

function eitherList(one: Form['list'], other: Form['list']): Form['list'] {
  if (one === null || other === null) return one ?? other;
  return { most: Math.max(one.most, other.most), of: either(one.of, other.of) };
}

function eitherMap(one: Form['map'], other: Form['map']): Form['map'] {
  if (one === null || other === null) return one ?? other;
  const both = new Map(one);
  for (const [key, form] of other) {
    const before = both.get(key);
    both.set(key, before === undefined ? form : either(before, form));
  }
  return both;
}
