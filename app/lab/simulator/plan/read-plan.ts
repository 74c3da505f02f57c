/**
 * Reads a plan, or a saved failure, from what a file holds. Files come from other machines, other versions and
 * people's hands, so every field is checked: what comes out can be carried out.
 */
import { z } from 'zod';
import { LEAST_LIMIT, MOST_LIMIT } from '../../../../shared/model/transfer-limits.ts';
import { CONTENTS_ACTS } from '../../../../shared/model/cache.ts';
import { SHARING_ORDERS } from '../../../../shared/model/sharing.ts';
import { ALL_FAULTS } from '../fault/faults.ts';
import { machinesOf } from './machines-of.ts';
import * as limits from './plan-limits.ts';
import { READ_ORDERS, type FileOperation } from './operation.ts';
import type { Plan, PlanEntry, PlanSettings } from './plan.ts';

/** A plan with what was found when it was saved; null: it was saved without. */
export interface SavedRun {
  readonly plan: Plan;
  readonly digest: string | null;
  readonly commit: string | null;
}

/** What is wrong, and where: `plan.entries[3].at: ...`. */
export class PlanError extends Error {
  constructor(where: string, reason: string) {
    super(where === '' ? reason : `${where}: ${reason}`);
    this.name = 'PlanError';
  }
}

const whole = (most: number): z.ZodNumber => z.number().int().min(0).max(most);
const path = z
  .string()
  .max(limits.LONGEST_PATH)
  .regex(/^(\/|(\/[^/\0]+)+)$/, 'not a path such as /x/a');
const text = z.string().max(limits.LONGEST_PATH);

const details = {
  act: z.enum(CONTENTS_ACTS),
  bytes: whole(limits.MOST_CONTENT_BYTES),
  count: whole(10_000),
  by: z.enum(READ_ORDERS),
  mode: whole(0o7777),
  maximum: whole(Number.MAX_SAFE_INTEGER).nullable(),
  minimum: whole(Number.MAX_SAFE_INTEGER).nullable(),
  ms: whole(limits.LATEST_MS),
  prefetch: z.boolean(),
  reserve: whole(Number.MAX_SAFE_INTEGER).nullable(),
  order: z.enum([...SHARING_ORDERS, 'auto']),
  target: text.min(1),
  to: path,
  value: text,
} as const;

/** What each operation has beside its path. */
const OPERATIONS: Readonly<Record<string, ReadonlyArray<keyof typeof details>>> = {
  write: ['bytes'],
  'safe-save': ['bytes'],
  append: ['bytes'],
  patch: ['bytes'],
  abandon: ['bytes'],
  'late-save': ['bytes', 'ms'],
  scratch: ['bytes'],
  read: [],
  'read-through': ['by'],
  hold: ['ms', 'count'],
  list: [],
  readlink: [],
  rename: ['to'],
  exchange: ['to'],
  remove: [],
  'remove-tree': [],
  mkdir: [],
  rmdir: [],
  link: ['to'],
  chmod: ['mode'],
  utimes: ['ms'],
  xattr: ['value'],
  symlink: ['target'],
  cache: ['act'],
  bounds: ['minimum', 'maximum', 'reserve', 'prefetch'],
  group: ['to'],
  sharing: ['order'],
  ask: [],
  flush: ['ms'],
};

const operation = z.discriminatedUnion(
  'do',
  Object.entries(OPERATIONS).map(([what, names]) =>
    z.strictObject({
      do: z.literal(what),
      path,
      ...Object.fromEntries(names.map((name) => [name, details[name]])),
    }),
  ) as unknown as readonly [z.ZodObject, ...z.ZodObject[]],
) as unknown as z.ZodType<FileOperation>;

const fault = z
  .object({
    family: z.enum(ALL_FAULTS.map(({ name }) => name)),
    lastsMs: whole(limits.LONGEST_MS),
  })
  .catchall(z.union([text, z.number(), z.boolean()]));

const skew = z.number().min(-limits.LATEST_MS).max(limits.LATEST_MS);
const at = z.number().min(0).max(limits.LONGEST_MS);

const entry: z.ZodType<PlanEntry> = z.discriminatedUnion('kind', [
  z.strictObject({
    at,
    kind: z.literal('operation'),
    number: whole(Number.MAX_SAFE_INTEGER),
    laptop: whole(limits.MOST_LAPTOPS - 1),
    operation,
  }),
  z.strictObject({ at, kind: z.literal('fault'), fault }),
]);

const limit = z.number().int().min(LEAST_LIMIT).max(MOST_LIMIT);

const settings: z.ZodType<PlanSettings> = z.strictObject({
  laptops: z
    .array(
      z.strictObject({
        volume: z.number().int().min(1).max(1_000),
        rights: z.enum(['read', 'write']),
        frontEnd: z.enum(['folder', 'none']),
        user: text.min(1).exactOptional(),
        joinsAtMs: whole(limits.LONGEST_MS).exactOptional(),
        leavesAtMs: whole(limits.LONGEST_MS).exactOptional(),
        wallSkewMs: skew.exactOptional(),
        invalidations: z.enum(['sync', 'no']).exactOptional(),
        storePriorities: z.literal('uniform').exactOptional(),
        uploadLimit: limit.exactOptional(),
        downloadLimit: limit.exactOptional(),
      }),
    )
    .min(1)
    .max(limits.MOST_LAPTOPS),
  diskMs: z.number().min(0).max(60_000),
  network: z.strictObject({
    delayMs: z.number().min(0).max(60_000),
    bytesPerSecond: z.number().min(1_000).max(1e12).nullable(),
    jitterMs: z.number().min(0).max(60_000).exactOptional(),
    loss: z.number().min(0).max(0.9).exactOptional(),
    packetBytes: z.number().int().min(16).max(1_200).exactOptional(),
  }),
  partialFrom: whole(Number.MAX_SAFE_INTEGER).exactOptional(),
  cacheBytes: whole(Number.MAX_SAFE_INTEGER).exactOptional(),
  diskBytes: whole(Number.MAX_SAFE_INTEGER).exactOptional(),
  sharePeriodMs: z.number().int().min(1).max(limits.LONGEST_MS).exactOptional(),
  readerWaitMs: whole(limits.LONGEST_MS).exactOptional(),
  heavyRows: whole(Number.MAX_SAFE_INTEGER).exactOptional(),
  serverWallSkewMs: skew.exactOptional(),
});

const plan: z.ZodType<Plan> = z.strictObject({
  seed: whole(Number.MAX_SAFE_INTEGER),
  settings,
  entries: z.array(entry).max(limits.MOST_ENTRIES),
});

const saved = z.object({
  plan: z.unknown(),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'not a digest')
    .nullable()
    .optional(),
  commit: text.nullable().optional(),
});

/** From the text of a file. Throws PlanError. */
export function readSavedRun(json: string): SavedRun {
  if (json.length > limits.MOST_FILE_BYTES) throw new PlanError('', 'larger than a plan may be');
  const value = parsed(json);
  if (!isObject(value)) throw new PlanError('', 'not an object');
  if (!('plan' in value)) return { plan: readPlan(value, ''), digest: null, commit: null };
  const { digest = null, commit = null } = checked(saved, value, '');
  return { plan: readPlan(value['plan'], 'plan'), digest, commit };
}

/** Reads a plan from JSON. `name`: the name of the value in errors. */
export function readPlan(value: unknown, name: string): Plan {
  checked(plan, value, name);
  // As it was given: the order of a fault's details is in the trace, and so in the digest.
  const read = value as Plan;
  const { laptops } = read.settings;
  let before = 0;
  for (const [i, one] of read.entries.entries()) {
    const where = `${name === '' ? '' : `${name}.`}entries[${i}]`;
    if (one.at < before) throw new PlanError(`${where}.at`, 'earlier than the entry before it');
    before = one.at;
    const unknown = machinesOf(one).find((index) => index >= laptops.length);
    if (unknown !== undefined) {
      throw new PlanError(where, `no laptop has the index ${unknown}: there are ${laptops.length}`);
    }
  }
  return read;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    // The engine says where: a position and a line, or the text around.
    throw new PlanError('not JSON', error instanceof Error ? error.message : String(error));
  }
}

function checked<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new PlanError(placeOf(name, issue?.path ?? []), issue?.message ?? 'not a plan');
}

function placeOf(name: string, steps: readonly PropertyKey[]): string {
  return steps.reduce<string>((place, step) => {
    if (typeof step === 'number') return `${place}[${step}]`;
    return place === '' ? String(step) : `${place}.${String(step)}`;
  }, name);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
