/** The files that the processes of a trace have open to write, by process and descriptor. */

export interface OpenFile {
  /** Counted from 1. */
  readonly number: number;
  readonly appends: boolean;
  readonly closesOnExec: boolean;
  /** Where the next write goes. */
  position: number;
}

/** Keeps who has which file open; `closed` hears of the last descriptor that goes. */
export class OpenFiles {
  readonly #closed: (number: number) => void;
  readonly #tables = new Map<number, Map<number, OpenFile>>();
  #opened = 0;

  constructor(closed: (number: number) => void) {
    this.#closed = closed;
  }

  /** The number of the file. */
  opens(pid: number, fd: number, how: Pick<OpenFile, 'appends' | 'closesOnExec'>): number {
    this.closes(pid, fd);
    const number = (this.#opened += 1);
    this.#of(pid).set(fd, { number, ...how, position: 0 });
    return number;
  }

  /** Null: it is none of those. */
  find(pid: number, fd: number): OpenFile | null {
    return this.#of(pid).get(fd) ?? null;
  }

  /** `dup2` and its like: what the new descriptor was before is closed. */
  copied(pid: number, fd: number, other: number): void {
    const file = this.#of(pid).get(fd);
    if (fd === other) return;
    this.closes(pid, other);
    if (file !== undefined) this.#of(pid).set(other, { ...file, closesOnExec: false });
  }

  /** A child has what its parent has. */
  forked(pid: number, child: number): void {
    this.#tables.set(child, new Map(this.#of(pid)));
  }

  executes(pid: number): void {
    for (const [fd, { closesOnExec }] of [...this.#of(pid)]) if (closesOnExec) this.closes(pid, fd);
  }

  closes(pid: number, fd: number): void {
    const file = this.#of(pid).get(fd);
    if (file === undefined) return;
    this.#of(pid).delete(fd);
    const isOpen = this.#all().some(({ number }) => number === file.number);
    if (!isOpen) this.#closed(file.number);
  }

  ends(pid: number): void {
    for (const fd of [...this.#of(pid).keys()]) this.closes(pid, fd);
    this.#tables.delete(pid);
  }

  #of(pid: number): Map<number, OpenFile> {
    const known = this.#tables.get(pid) ?? new Map<number, OpenFile>();
    this.#tables.set(pid, known);
    return known;
  }

  #all(): OpenFile[] {
    return [...this.#tables.values()].flatMap((table) => [...table.values()]);
  }
}
