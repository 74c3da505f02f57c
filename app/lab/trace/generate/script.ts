/** What one process of a generated trace does, one thing after the other, with a time for each. */
import { flagsOf, type TraceRecord } from '../record.ts';

export const KB = 1024;
export const MB = 1024 * KB;

export const US = 1_000_000;
/** Between two calls of a program that does nothing else. */
const STEP_US = 100;
/** Of one call. */
const CHUNK = 64 * KB;

export interface ScriptFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/** Writes the records of one generated process. Times are microseconds, sizes are bytes. */
export class Script {
  readonly records: TraceRecord[] = [];
  readonly #pid: number;
  readonly #program: string;
  readonly #client: string | undefined;
  #now = 0;

  /** `client`: its machine; left out: all processes of the trace are on one. */
  constructor(pid: number, program: string, client?: string) {
    this.#pid = pid;
    this.#program = program;
    this.#client = client;
  }

  /** Microseconds since the trace began. */
  get now(): number {
    return this.#now;
  }

  wait(us: number): void {
    this.#now += us;
  }

  until(us: number): void {
    this.#now = Math.max(this.#now, us);
  }

  look({ path, size }: ScriptFile): void {
    this.#do({ op: 'getattr', path, size });
  }

  list(path: string): void {
    this.#do({ op: 'open', path, flags: flagsOf('read', 'directory') });
    this.#do({ op: 'readdir', path, flags: flagsOf('directory') });
    this.#do({ op: 'close', path });
  }

  /** From the beginning; `bytes` of it, or all and the end. */
  read({ path, size }: ScriptFile, bytes = size): void {
    this.#do({ op: 'open', path, size, flags: flagsOf('read') });
    this.#inChunks('read', path, 0, bytes);
    if (bytes === size) {
      this.#do({ op: 'read', path, offset: size, length: 0, flags: flagsOf('end') });
    }
    this.#do({ op: 'close', path });
  }

  /** A new file. */
  create({ path, size }: ScriptFile): void {
    this.#do({ op: 'create', path, flags: flagsOf('write') });
    this.#inChunks('write', path, 0, size);
    this.#do({ op: 'close', path });
  }

  /** Anew, over what was there. */
  rewrite({ path, size }: ScriptFile): void {
    this.#do({ op: 'open', path, size, flags: flagsOf('write', 'truncate') });
    this.#inChunks('write', path, 0, size);
    this.#do({ op: 'close', path });
  }

  /** `bytes` from `offset` on; the rest stays. */
  patch({ path, size }: ScriptFile, offset: number, bytes: number): void {
    this.#do({ op: 'open', path, size, flags: flagsOf('write') });
    this.#inChunks('write', path, offset, bytes);
    this.#do({ op: 'close', path });
  }

  #inChunks(op: 'read' | 'write', path: string, from: number, bytes: number): void {
    for (let done = 0; done < bytes; done += CHUNK) {
      this.#do({ op, path, offset: from + done, length: Math.min(CHUNK, bytes - done) });
    }
  }

  #do(told: Omit<TraceRecord, 'at' | 'client' | 'home' | 'pid' | 'program'>): void {
    const client = this.#client;
    const who = { ...(client === undefined ? {} : { client }), pid: this.#pid };
    this.records.push({ at: this.#now, ...who, program: this.#program, ...told });
    this.#now += STEP_US;
  }
}

/** All of them in the order of time; at the same time in the order in which they are given. */
export function together(scripts: readonly Script[]): TraceRecord[] {
  return scripts.flatMap(({ records }) => records).sort((one, other) => one.at - other.at);
}

/** `prefix0000suffix` and so on. */
export const numbered = (prefix: string, count: number, suffix = ''): string[] =>
  Array.from(
    { length: count },
    (_, index) => `${prefix}${String(index).padStart(4, '0')}${suffix}`,
  );

/** Makes files of one size, in bytes, out of paths. */
export const filesOf = (paths: readonly string[], size: number): ScriptFile[] =>
  paths.map((path) => ({ path, size }));
