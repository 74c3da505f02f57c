/**
 * One file-system operation of a trace: what was done, by whom, when, to what. Never contents.
 *
 * What it was done to is `fid`, where the tracer knew the vnode; or `path`: from the root and separated by `/` (a drive is a folder:
 * `/C:/Users/ann`), or, with `dir`, one name in that directory. One that has `fid`, `dir` and a name says that they are the same.
 */
import type { Fid } from '../../../shared/model/fid.ts';

export const TRACE_OPERATIONS = [
  'open', // of what is there; what it is opened for is in the flags
  'create', // and opened
  'close',
  'read',
  'write',
  'truncate', // `length` is the new size
  'map', // into memory, or run: what is touched of it is read without a call
  'sync',
  'getattr',
  'setattr',
  'readdir',
  'mkdir',
  'rmdir',
  'remove',
  'rename',
  'link',
  'symlink',
  'other', // counts as an operation, and has nothing that could be done again: locks, controls
  'gap', // no operation: `length` operations are missing here, since the recorder could not keep up
] as const;
export type TraceOperation = (typeof TRACE_OPERATIONS)[number];

/** In the order in which they stand in a record. */
export const TRACE_FLAGS = [
  'read', // opened to read contents
  'write', // opened to write contents
  'create', // made if it was not there, which nobody knows
  'truncate', // emptied by the open
  'append', // each write goes to the end
  'exclusive', // only if it was not there
  'directory',
  'delete-on-close',
  'sequential', // said so when it was opened
  'paging', // by the system's cache and not by a call of the program
  'whole', // the tracer sees opens and closes, and takes them for the whole file
  'observed', // seen on the disk after it was done
  'abandoned', // what was written is dropped with the close
  'not-found', // refused, since there is nothing of that name
  'failed', // refused for another reason
  'end', // nothing was read: the end of the file
] as const;
export type TraceFlag = (typeof TRACE_FLAGS)[number];

export interface TraceRecord {
  /** Microseconds since the trace began, whole; never less than that of the record before. */
  readonly at: number;
  /** Name of the machine on which it was done; left out: all was done on one. */
  readonly client?: string | undefined;
  /** Name of the machine on which its process was started, where it is another one: it migrated. */
  readonly home?: string | undefined;
  /** Number of the process, as its system has it. */
  readonly pid: number;
  /** Name of its program, where it is known. */
  readonly program?: string | undefined;
  readonly op: TraceOperation;
  readonly path?: string | undefined;
  readonly dir?: Fid | undefined;
  readonly fid?: Fid | undefined;
  /** The new name of a rename or link; the target of a symlink, as it was given. */
  readonly to?: string | undefined;
  /** The directory in which `to` is a name. */
  readonly toDir?: Fid | undefined;
  /** Of reads, writes and maps: bytes from the beginning of the file. */
  readonly offset?: number | undefined;
  /** Of reads and writes: bytes that were really moved. */
  readonly length?: number | undefined;
  /** Size of the file in bytes before the operation, where the tracer knew it. */
  readonly size?: number | undefined;
  readonly flags?: readonly TraceFlag[] | undefined;
}

export const hasFlag = (record: TraceRecord, flag: TraceFlag): boolean =>
  record.flags?.includes(flag) === true;

/** Whether it did nothing. */
export const isRefused = (record: TraceRecord): boolean =>
  hasFlag(record, 'failed') || hasFlag(record, 'not-found');

/** In the order of the table, each once; undefined where there is none. */
export function flagsOf(
  ...given: ReadonlyArray<TraceFlag | false>
): readonly TraceFlag[] | undefined {
  const flags = TRACE_FLAGS.filter((flag) => given.includes(flag));
  return flags.length === 0 ? undefined : flags;
}

/** One key for each process of a trace: numbers are of one machine, and those without one are told by the name of their program. */
export function processOf({ client = '', pid, program = '' }: TraceRecord): string {
  return JSON.stringify(pid === 0 ? [client, 0, program] : [client, pid]);
}

/** One key for each file or directory that a record names: the same of all that name it the same way. */
export function nameOf({ path, dir, fid }: TraceRecord): string | null {
  return fid ?? (path === undefined ? null : dir === undefined ? path : `${dir}/${path}`);
}

/** What a rename or link leads to, likewise. */
export function newNameOf({ op, to, toDir }: TraceRecord): string | null {
  if (to === undefined || op === 'symlink') return null;
  return toDir === undefined ? to : `${toDir}/${to}`;
}
