/** What the calls of a trace come to: processes with their files, and the records that are made of it. */
import type { BadLines } from '../bad-lines.ts';
import type { TraceRecord } from '../record.ts';
import { MAX_PROGRAM_LENGTH, MAX_TRACE_NAMES } from '../trace-limits.ts';
import { filePath } from './strace-paths.ts';
import { Processes, type NamedFile, type OpenedFile, type Process } from './strace-processes.ts';
import { descriptorOf, stringOf } from './strace-text.ts';

export type UntimedRecord = Omit<TraceRecord, 'at' | 'client' | 'home' | 'pid' | 'program'>;

export interface StraceCounts {
  /** Calls that are of no file, or do nothing to one. */
  noFiles: number;
}

export interface Opens {
  /** null: no file. */
  readonly path: string | null;
  readonly size?: number | null;
  readonly appends?: boolean;
  readonly closesOnExec?: boolean;
}

/** Turns the calls of a log into records, with the processes and files that they are about. */
export class StraceWorld {
  readonly processes: Processes;
  readonly #counts: StraceCounts;
  readonly #bad: BadLines;
  /** Names that were not there when last asked for. */
  readonly #absent = new Set<string>();
  #at = 0;
  #told: TraceRecord[] = [];

  constructor(cwd: string, counts: StraceCounts, bad: BadLines) {
    this.processes = new Processes(cwd);
    this.#counts = counts;
    this.#bad = bad;
  }

  /** Microseconds since the trace began. */
  now(at: number): void {
    this.#at = at;
  }

  /** The records since the last time. */
  take(): TraceRecord[] {
    const told = this.#told;
    this.#told = [];
    return told;
  }

  emit(process: Process, told: UntimedRecord): void {
    this.#told.push({ at: this.#at, pid: process.pid, program: process.program, ...told });
  }

  noFile(): void {
    this.#counts.noFiles += 1;
  }

  /** `given` is an argument with a path; `base`: one with the descriptor it is relative to, null where the call has none. */
  path(
    process: Process,
    given: string | undefined,
    base: string | null | undefined,
  ): string | null {
    const text = stringOf(given);
    if (text === null) return null;
    const from = base === null ? process.place.cwd : this.#directory(process, base);
    return from === null && !text.startsWith('/') ? null : filePath(text, from ?? '/');
  }

  #directory(process: Process, argument: string | undefined): string | null {
    const descriptor = descriptorOf(argument);
    if (descriptor === null) return null;
    if (descriptor.path?.startsWith('/') === true) return descriptor.path;
    if (descriptor.fd === null) return process.place.cwd;
    return this.opened(process, argument)?.path ?? null;
  }

  number(argument: string | undefined): number | null {
    const fd = descriptorOf(argument)?.fd ?? null;
    return fd === null || fd < 0 ? null : fd;
  }

  /** The file of a descriptor. One that was open before the trace is known by what `-y` says of it. */
  opened(process: Process, argument: string | undefined): OpenedFile | undefined {
    const fd = this.number(argument);
    if (fd === null) return undefined;
    const said = descriptorOf(argument)?.path ?? null;
    const known = this.processes.file(process, fd);
    if (said === null) return known;
    const path = said.startsWith('/') ? filePath(said, '/') : null;
    if (known?.path === path) return known;
    return this.opens(process, fd, { path });
  }

  /** Likewise; null: it is not known, or no file of a disk. */
  file(process: Process, argument: string | undefined): NamedFile | null {
    const file = this.opened(process, argument);
    return file === undefined || file.path === null ? null : (file as NamedFile);
  }

  opens(process: Process, fd: number, how: Opens): OpenedFile {
    const { path, size = null, appends = false, closesOnExec = false } = how;
    const file: OpenedFile = { path, size, appends, position: 0, uses: 0 };
    this.duplicates(process, fd, file, closesOnExec);
    return file;
  }

  duplicates(process: Process, fd: number, file: OpenedFile, closesOnExec: boolean): void {
    const before = this.processes.set(process, fd, file, closesOnExec);
    if (before !== null) this.#closed(process, before);
  }

  closes(process: Process, fd: number): void {
    const file = this.processes.close(process, fd);
    if (file !== null) this.#closed(process, file);
  }

  executes(process: Process, program: string): void {
    const name = program === '' ? 'program' : program.slice(0, MAX_PROGRAM_LENGTH);
    for (const file of this.processes.executed(process, name)) this.#closed(process, file);
  }

  ends(process: Process): void {
    for (const file of this.processes.ended(process)) this.#closed(process, file);
  }

  /** The trace is over: what is open is closed, as at the end of a process. */
  endsAll(): void {
    for (const { process, file } of this.processes.left()) this.#closed(process, file);
  }

  moves(process: Process, given: string): void {
    process.place.cwd = filePath(given, process.place.cwd) ?? process.place.cwd;
  }

  absent(path: string): void {
    if (this.#absent.size >= MAX_TRACE_NAMES) {
      throw this.#bad.error(`expected ${MAX_TRACE_NAMES} names at most that are not there`);
    }
    this.#absent.add(path);
  }

  present(path: string): void {
    this.#absent.delete(path);
  }

  isAbsent(path: string): boolean {
    return this.#absent.has(path);
  }

  #closed(process: Process, { path }: OpenedFile): void {
    if (path !== null) this.emit(process, { op: 'close', path });
  }
}
