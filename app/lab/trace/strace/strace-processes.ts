/**
 * What strace does not say with each call: which file a descriptor is, at which byte it stands, and from where a relative path goes.
 *
 * `-e trace=file,desc` has no forks in it. A process without a record of its start is taken for a child of one that had children before (a
 * shell has several), else of any; of several, of one that has the descriptor it uses first; of these, of the one that spoke last. Where one uses a descriptor that it was never given and its relative has, the two are threads,
 * and share them from then on.
 */
import { MAX_LIVE_PROCESSES, MAX_OPEN_DESCRIPTORS } from '../trace-limits.ts';

/** What one `open` has made; several descriptors may be it. */
export interface OpenedFile {
  /** null: no file (a pipe, a socket, a device). */
  readonly path: string | null;
  position: number;
  size: number | null;
  readonly appends: boolean;
  /** Descriptors that are it. */
  uses: number;
}

/** One of a disk. */
export type NamedFile = OpenedFile & { readonly path: string };

interface Descriptor {
  readonly file: OpenedFile;
  closesOnExec: boolean;
}

type Table = Map<number, Descriptor>;

export interface Process {
  /** As its records have it. */
  readonly pid: number;
  /** As its lines have it: another one where its first lines had none. */
  key: number;
  program: string | undefined;
  readonly place: { cwd: string };
  table: Table;
  /** Those of which it was guessed that they are its children, and it of them. */
  readonly kin: Set<Process>;
  /** Of which it is the parent, as far as is known. */
  children: number;
  /** When it spoke last: the count of all lines. */
  spoke: number;
}

/** Keeps the working directory and the open files of each traced process. */
export class Processes {
  readonly #processes = new Map<number, Process>();
  readonly #cwd: string;
  #lines = 0;
  #open = 0;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** Whose line it is; `fd`: a descriptor that is used in it. null: there are too many. */
  of(pid: number | null, fd: number | null = null): Process | null {
    const process = this.#known(pid) ?? this.#nowNumbered(pid) ?? this.#guessed(pid ?? 0, fd);
    if (process !== null) process.spoke = this.#lines += 1;
    return process;
  }

  /** Notes a new process that strace follows; the line does not name its parent. */
  attached(pid: number): void {
    if (!this.#processes.has(pid)) this.#guessed(pid, null);
  }

  /** Notes a fork that the trace has. */
  forked(parent: Process, pid: number, flags: string): void {
    const known = this.#processes.get(pid);
    if (known === undefined) {
      const { cwd } = parent.place;
      this.#add({
        ...{ pid, key: pid, program: parent.program },
        place: flags.includes('CLONE_FS') ? parent.place : { cwd },
        table: flags.includes('CLONE_FILES') ? parent.table : this.#copied(parent.table),
        ...{ kin: new Set(), children: 0, spoke: this.#lines },
      });
      parent.children += 1;
    } else if (flags.includes('CLONE_FILES')) this.#share(parent, known);
  }

  /** The files of which no descriptor is left. */
  ended(process: Process): OpenedFile[] {
    this.#processes.delete(process.key);
    alone(process);
    const isShared = [...this.#processes.values()].some(({ table }) => table === process.table);
    if (isShared) return [];
    return [...process.table.keys()].flatMap((fd) => this.close(process, fd) ?? []);
  }

  /** Gives what it was, where that has no descriptor any more. */
  set(process: Process, fd: number, file: OpenedFile, closesOnExec: boolean): OpenedFile | null {
    const before = this.close(process, fd);
    if (this.#open < MAX_OPEN_DESCRIPTORS) {
      process.table.set(fd, { file, closesOnExec });
      file.uses += 1;
      this.#open += 1;
    }
    return before;
  }

  /** undefined: the trace has not opened it. */
  file(process: Process, fd: number): OpenedFile | undefined {
    const own = process.table.get(fd)?.file;
    if (own !== undefined) return own;
    for (const other of process.kin) {
      if (!other.table.has(fd)) continue;
      this.#share(process, other);
      return process.table.get(fd)?.file;
    }
    return undefined;
  }

  /** The file, where this was its last descriptor. */
  close(process: Process, fd: number): OpenedFile | null {
    const descriptor = process.table.get(fd);
    if (descriptor === undefined) return null;
    process.table.delete(fd);
    this.#open -= 1;
    descriptor.file.uses -= 1;
    return descriptor.file.uses === 0 ? descriptor.file : null;
  }

  setClosesOnExec(process: Process, fd: number, closesOnExec: boolean): void {
    const descriptor = process.table.get(fd);
    if (descriptor !== undefined) descriptor.closesOnExec = closesOnExec;
  }

  /** The files that another program in its place no longer has. */
  executed(process: Process, program: string): OpenedFile[] {
    process.program = program;
    // Threads run one program.
    alone(process);
    const closing = [...process.table].filter(([, { closesOnExec }]) => closesOnExec);
    return closing.flatMap(([fd]) => this.close(process, fd) ?? []);
  }

  /** All that is open at the end, each once. */
  left(): Array<{ readonly process: Process; readonly file: OpenedFile }> {
    return [...this.#processes.values()].flatMap((process) =>
      this.ended(process).map((file) => ({ process, file })),
    );
  }

  #known(pid: number | null): Process | undefined {
    if (pid !== null) return this.#processes.get(pid);
    // Without a number there was one process, the only one that is left.
    const [only] = this.#processes.values();
    return this.#processes.size === 1 ? only : this.#processes.get(0);
  }

  /** Lines have numbers from the second process on, whose start is in the trace; another number is that of the first. */
  #nowNumbered(pid: number | null): Process | null {
    const first = this.#processes.get(0);
    if (pid === null || pid === 0 || first === undefined) return null;
    this.#processes.delete(0);
    first.key = pid;
    this.#processes.set(pid, first);
    return first;
  }

  #guessed(pid: number, fd: number | null): Process | null {
    const parent = this.#likelyParent(fd);
    const process: Process = {
      pid,
      key: pid,
      program: parent?.program,
      place: { cwd: parent?.place.cwd ?? this.#cwd },
      table: parent === undefined ? new Map<number, Descriptor>() : this.#copied(parent.table),
      ...{ kin: new Set(), children: 0, spoke: this.#lines },
    };
    if (!this.#add(process)) return null;
    if (parent !== undefined) {
      parent.children += 1;
      process.kin.add(parent);
      parent.kin.add(process);
    }
    return process;
  }

  #likelyParent(fd: number | null): Process | undefined {
    let best: Process | undefined;
    const has = ({ table }: Process): boolean => fd === null || table.has(fd);
    for (const process of this.#processes.values()) {
      if (best === undefined) best = process;
      const better =
        Number(process.children > 0) - Number(best.children > 0) ||
        Number(has(process)) - Number(has(best)) ||
        process.spoke - best.spoke;
      if (better > 0) best = process;
    }
    return best;
  }

  #add(process: Process): boolean {
    if (this.#processes.size === MAX_LIVE_PROCESSES) return false;
    this.#processes.set(process.key, process);
    return true;
  }

  #copied(table: Table): Table {
    const copy: Table = new Map();
    for (const [fd, { file, closesOnExec }] of table) {
      if (this.#open === MAX_OPEN_DESCRIPTORS) break;
      copy.set(fd, { file, closesOnExec });
      file.uses += 1;
      this.#open += 1;
    }
    return copy;
  }

  /** From now on one table, with what either has; where they differ, what the first has. */
  #share(process: Process, other: Process): void {
    const theirs = other.table;
    if (theirs === process.table) return;
    for (const [fd, descriptor] of theirs) {
      if (process.table.has(fd)) {
        descriptor.file.uses -= 1;
        this.#open -= 1;
      } else process.table.set(fd, descriptor);
    }
    for (const each of this.#processes.values()) {
      if (each.table === theirs) each.table = process.table;
    }
  }
}

function alone(process: Process): void {
  for (const other of process.kin) other.kin.delete(process);
  process.kin.clear();
}
