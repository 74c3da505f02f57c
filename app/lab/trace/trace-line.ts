/**
 * The file form of a trace: JSON, one object a line, in UTF-8. The first line is the header, each other one a record:
 *
 *     {"godwit-trace":2,"source":"strace","groups":[{"name":"src","members":["/src/a.c"]}]}
 *     {"at":0,"client":"ada","pid":7,"program":"cc","op":"open","path":"/src/a.c","size":812,"flags":["read"]}
 *
 * What is not known is left out, and a field that is not of the form is an error: a reader must not guess what a later version
 * means. Version 1 had no `client` and no `home`, and is read as before. Fields stand in one order, so that the same trace is the same bytes.
 */
import { z } from 'zod';
import { isFid, type Fid } from '../../../shared/model/fid.ts';
import {
  TRACE_FLAGS,
  TRACE_OPERATIONS,
  type TraceFlag,
  type TraceOperation,
  type TraceRecord,
} from './record.ts';
import {
  MAX_CLIENT_LENGTH,
  MAX_GROUP_MEMBERS,
  MAX_PATH_LENGTH,
  MAX_PROGRAM_LENGTH,
  MAX_TRACE_GROUPS,
} from './trace-limits.ts';

/** The one that is written. */
export const TRACE_VERSION = 2;
/** Those that are read. */
const READ_VERSIONS: readonly number[] = [1, TRACE_VERSION];

/** Files worth having together, in their order (MFS, section 4). */
export interface TraceGroup {
  readonly name: string;
  /** Paths of files. */
  readonly members: readonly string[];
  /** Bytes of each of them, in their order, for those without a record; left out: these files did not exist. */
  readonly sizes?: readonly number[];
}

export interface TraceHeader {
  /** What made it. */
  readonly source: string;
  readonly groups: readonly TraceGroup[];
}

/** From the root, without `.`, `..`, empty names or NUL. */
export function isTracePath(path: string): boolean {
  return (
    path.length <= MAX_PATH_LENGTH &&
    path.isWellFormed() &&
    (path === '/' || /^(?:\/(?!\.{1,2}(?:\/|$))[^/\0]+)+$/.test(path))
  );
}

const isOneName = (name: string): boolean => !name.includes('/') && isTracePath(`/${name}`);

const text = (most: number) => z.string().max(most);
const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const path = text(MAX_PATH_LENGTH).min(1);
const fid = z.custom<Fid>(isFid, 'not a fid');

const machine = text(MAX_CLIENT_LENGTH)
  .min(1)
  .refine((name) => name.isWellFormed());

const headerShape = z.strictObject({
  'godwit-trace': z.number().refine((version) => READ_VERSIONS.includes(version)),
  source: text(MAX_PROGRAM_LENGTH),
  groups: z
    .array(
      z.strictObject({
        name: text(MAX_PROGRAM_LENGTH).min(1),
        members: z.array(path.refine(isTracePath)).max(MAX_GROUP_MEMBERS),
        sizes: z.array(count).max(MAX_GROUP_MEMBERS).optional(),
      }),
    )
    .max(MAX_TRACE_GROUPS)
    .optional(),
});

type HeaderGroup = NonNullable<z.infer<typeof headerShape>['groups']>[number];

const recordShape = z.strictObject({
  at: count,
  client: machine.optional(),
  home: machine.optional(),
  pid: count,
  program: text(MAX_PROGRAM_LENGTH).optional(),
  op: z.enum(TRACE_OPERATIONS),
  dir: fid.optional(),
  path: path.optional(),
  fid: fid.optional(),
  toDir: fid.optional(),
  to: path.optional(),
  offset: count.optional(),
  length: count.optional(),
  size: count.optional(),
  flags: z.array(z.enum(TRACE_FLAGS)).min(1).max(TRACE_FLAGS.length).optional(),
});

const WITH_LENGTH: ReadonlySet<TraceOperation> = new Set(['read', 'write', 'truncate', 'gap']);
const WITH_NEW_NAME: ReadonlySet<TraceOperation> = new Set(['rename', 'link', 'symlink']);

/** What is wrong with a record, beyond the kinds of its fields; null: nothing. */
export function recordFault(record: TraceRecord): string | null {
  const { op, length, to, toDir, flags = [] } = record;
  if (record.home !== undefined && record.client === undefined) return 'a client where home is';
  if (op === 'gap') return (length ?? 0) > 0 ? null : 'a gap of at least one operation';
  const refused = flags.includes('failed') || flags.includes('not-found');
  if (WITH_LENGTH.has(op) && length === undefined && !refused) return `the length of a ${op}`;
  if ((op === 'read' || op === 'write') && record.offset === undefined && !refused) {
    return `the offset of a ${op}`;
  }
  if (WITH_NEW_NAME.has(op) ? to === undefined : to !== undefined) {
    return 'a new name with a rename, link or symlink, and with nothing else';
  }
  if (to === undefined && toDir !== undefined) return 'a new name in the directory toDir';
  if (!inOrder(flags)) return 'flags in their order, each once';
  return nameFault(record);
}

function nameFault({ op, path: name, dir, fid: vnode, to, toDir }: TraceRecord): string | null {
  if (name === undefined && vnode === undefined) return 'a path or a fid';
  if (name === undefined ? dir !== undefined : !isPlace(name, dir)) {
    return 'a path from the root, or one name in the directory dir';
  }
  if (to === undefined) return null;
  const isPossible = op === 'symlink' ? isTarget(to) : isPlace(to, toDir);
  return isPossible ? null : 'a new name like a path';
}

const isPlace = (name: string, dir: Fid | undefined): boolean =>
  dir === undefined ? isTracePath(name) : isOneName(name);

const isTarget = (target: string): boolean => target.isWellFormed() && !target.includes('\0');

const inOrder = (flags: readonly TraceFlag[]): boolean =>
  flags.every((flag, index) => {
    const before = flags[index - 1];
    return before === undefined || TRACE_FLAGS.indexOf(before) < TRACE_FLAGS.indexOf(flag);
  });

/** Writes the first line of a trace file, without a line feed. */
export function formatHeader({ source, groups }: TraceHeader): string {
  const told = groups.length === 0 ? {} : { groups };
  return JSON.stringify({ 'godwit-trace': TRACE_VERSION, source, ...told });
}

/** Whether a first line is a header of this form, of any version. */
export const looksLikeHeader = (line: string): boolean => /^\s*\{\s*"godwit-trace"/.test(line);

/** The header, or what was expected instead. */
export function parseHeader(line: string): TraceHeader | string {
  const value = parsed(line) as { readonly 'godwit-trace'?: unknown } | null;
  const version = value?.['godwit-trace'];
  if (typeof version === 'number' && !READ_VERSIONS.includes(version)) {
    return `expected version ${READ_VERSIONS.join(' or ')} of a trace, and not ${version}`;
  }
  const read = headerShape.safeParse(value);
  if (!read.success) return 'expected the header of a trace';
  const { source, groups = [] } = read.data;
  const isWhole = groups.every(({ members, sizes = members }) => sizes.length === members.length);
  if (!isWhole) return 'expected a size for each member of a group, or none';
  return { source, groups: groups.map(groupOf) };
}

const groupOf = ({ name, members, sizes }: HeaderGroup): TraceGroup =>
  sizes === undefined ? { name, members } : { name, members, sizes };

/** A record as a line, with the keys in the order of the format and not of the object. */
export function formatRecord(record: TraceRecord): string {
  const { at, client, home, pid, program, op, dir, path: name, fid: vnode, toDir, to } = record;
  const { offset, length, size, flags } = record;
  return JSON.stringify({
    ...{ at, client, home, pid, program, op, dir, path: name, fid: vnode, toDir, to },
    ...{ offset, length, size, flags },
  });
}

/** The record, or what was expected instead. */
export function parseRecord(line: string): TraceRecord | string {
  const value = parsed(line);
  return value === null ? 'expected a JSON object' : checkRecord(value);
}

/** Likewise, of what JSON was. */
export function checkRecord(value: unknown): TraceRecord | string {
  const read = recordShape.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const field = issue?.path.join('.') ?? '';
    return `expected a record of a trace${field === '' ? '' : ` (${field})`}`;
  }
  const fault = recordFault(read.data);
  return fault === null ? read.data : `expected ${fault}`;
}

function parsed(line: string): object | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
