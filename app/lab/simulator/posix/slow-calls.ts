/**
 * The calls of a Disk that take time, on the simulated kernel: between the steps of one, and before its answer, other programs come in. The steps are
 * those of the addon and of Node. A process that has ended gets no answer any more; a mount that is silent lets its callers wait until it is not.
 */
import type { Disk, HostFileCalls } from '../../../../daemon/adapters/folder/disk/disk.ts';
import { digestOf } from '../disk/content-digest.ts';
import { fail, KernelError } from './kernel-error.ts';
import { OPEN } from './open-flags.ts';
import type { SimulatedProgramCalls } from './simulated-program-calls.ts';

/** Read at once. */
const CHUNK = 1024 * 1024;
/** Zeros of this length become a hole of a copy. */
const HOLE = 64 * 1024;
/** Files below are not looked into for holes, and so many places of others are. */
const LEAST_SPARSE = 1024 * 1024;
const SAMPLES = 64;
/** Milliseconds after which a mount that was silent is asked again. */
const ASK_AGAIN = 1_000;
const ZEROS = new Uint8Array(HOLE);

export type SlowCalls = Pick<
  Disk,
  'copyFile' | 'digestFile' | 'readParts' | 'move' | 'drop' | 'syncFile' | 'copySparse'
>;

/** Where steps wait for their turn. */
export interface StepWaits {
  /** Resolves when the next step may be taken; never, once the process has ended. `ms` null: after a drawn, short time. */
  wait(ms: number | null): Promise<void>;
}

/** The slow calls of the process of `calls`. */
export function slowCalls(calls: SimulatedProgramCalls, waits: StepWaits): SlowCalls {
  const slow = new SlowSteps(calls, waits);
  return {
    copyFile: (from, to, options) => slow.copyFile(from, to, options),
    digestFile: async (path) => {
      const bytes = await slow.whole(path);
      return { digest: digestOf(bytes), length: bytes.length };
    },
    readParts: (path, lengths) => slow.readParts(path, lengths),
    move: (from, to) => slow.step(() => calls.rename(from, to)),
    drop: (path) => slow.step(() => removeName(calls, path)),
    syncFile: async (path) => {
      const fd = await slow.step(() => calls.open(path, 'r'));
      await slow.using(fd, () => slow.step(() => calls.fsync(fd)));
    },
    copySparse: (from, to) => slow.copySparse(from, to),
  };
}

/** As `rm --force`: nothing where there is none; no directory. */
export function removeName(calls: SimulatedProgramCalls, path: string): void {
  try {
    calls.unlink(path);
  } catch (error) {
    if ((error as KernelError).code !== 'ENOENT') throw error;
  }
}

class SlowSteps {
  readonly #calls: SimulatedProgramCalls;
  readonly #waits: StepWaits;

  constructor(calls: SimulatedProgramCalls, waits: StepWaits) {
    this.#calls = calls;
    this.#waits = waits;
  }

  /** Takes one step, when its turn has come, and answers later. */
  async step<T>(act: () => T): Promise<T> {
    await this.#waits.wait(null);
    for (;;) {
      try {
        return act();
      } catch (error) {
        if (!(error instanceof KernelError) || error.code !== 'ESILENT') throw error;
        // Who waits off the main thread does not keep the process.
        this.#calls.process.isHung = false;
        await this.#waits.wait(ASK_AGAIN);
      }
    }
  }

  async using<T>(fd: number, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } finally {
      this.#calls.close(fd);
    }
  }

  /** A regular file, open to read. Throws EISDIR, EINVAL. */
  #openFile(path: string): Promise<number> {
    return this.step(() => {
      const calls = this.#calls;
      const fd = calls.open(path, OPEN.readOnly | OPEN.nonBlocking);
      const { kind } = calls.fstat(fd);
      if (kind === 'file') return fd;
      calls.close(fd);
      return fail(kind === 'directory' ? 'EISDIR' : 'EINVAL');
    });
  }

  async whole(path: string): Promise<Uint8Array> {
    const fd = await this.#openFile(path);
    return this.using(fd, () => this.#readAll(fd));
  }

  /** Each piece in a step of its own: what is written meanwhile may be half in it. */
  async #readAll(fd: number, each: (bytes: Uint8Array, at: number) => void = () => {}) {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const piece = await this.step(() => this.#calls.read(fd, CHUNK));
      if (piece.length === 0) return joined(pieces, length);
      each(piece, length);
      pieces.push(piece);
      length += piece.length;
    }
  }

  async copyFile(
    from: string,
    to: string,
    { sync }: { sync: boolean },
  ): ReturnType<HostFileCalls['copyFile']> {
    const source = await this.#openFile(from);
    return this.using(source, async () => {
      const copy = await this.step(() => this.#calls.open(to, 'wx', 0o600));
      return this.#orRemoved(to, () =>
        this.using(copy, async () => {
          const bytes = this.#shares(source, copy)
            ? await this.#readCopy(to)
            : await this.#copyBytes(source, copy);
          if (sync) await this.step(() => this.#calls.fsync(copy));
          return { digest: digestOf(bytes), length: bytes.length };
        }),
      );
    });
  }

  #shares(source: number, copy: number): boolean {
    try {
      this.#calls.shareBlocks(source, copy);
      return true;
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      return false;
    }
  }

  async #readCopy(to: string): Promise<Uint8Array> {
    const fd = await this.step(() => this.#calls.open(to, 'r'));
    return this.using(fd, () => this.#readAll(fd));
  }

  async #copyBytes(source: number, copy: number): Promise<Uint8Array> {
    const bytes = await this.#readAll(source, (piece, at) => this.#writeSparse(copy, piece, at));
    this.#calls.ftruncate(copy, bytes.length);
    return bytes;
  }

  #writeSparse(copy: number, piece: Uint8Array, start: number): void {
    for (let at = 0; at < piece.length; at += HOLE) {
      const block = piece.subarray(at, at + HOLE);
      if (!isZero(block)) this.#writeAll(copy, block, start + at);
    }
  }

  #writeAll(fd: number, bytes: Uint8Array, start: number): void {
    for (let done = 0; done < bytes.length;) {
      done += this.#calls.pwrite(fd, bytes.subarray(done), start + done);
    }
  }

  async #orRemoved<T>(path: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      try {
        this.#calls.unlink(path);
      } catch {
        // What failed is told, and this not.
      }
      throw error;
    }
  }

  async readParts(
    path: string,
    lengths: readonly number[],
  ): ReturnType<HostFileCalls['readParts']> {
    const bytes = await this.whole(path);
    if (bytes.length !== lengths.reduce((sum, length) => sum + length, 0)) {
      throw new KernelError('EINVAL').named({ syscall: 'read', path });
    }
    let end = 0;
    return lengths.map((length) => {
      const part = bytes.subarray(end, end + length);
      end += length;
      return { bytes: part, digest: digestOf(part) };
    });
  }

  async copySparse(from: string, to: string): Promise<boolean> {
    const source = await this.step(() => this.#calls.open(from, 'r'));
    return this.using(source, async () => {
      const { size, blocks } = this.#calls.fstat(source);
      const hasHoles = blocks * 512 + LEAST_SPARSE <= size;
      if (size < LEAST_SPARSE || hasHoles || !this.#looksSparse(source, size)) return false;
      const copy = await this.step(() => this.#calls.open(to, 'wx', 0o600));
      await this.#orRemoved(to, () =>
        this.using(copy, async () => {
          this.#calls.ftruncate(copy, size);
          await this.#readAll(source, (piece, at) => this.#writeSparse(copy, piece, at));
          await this.step(() => this.#calls.fsync(copy));
        }),
      );
      return true;
    });
  }

  #looksSparse(fd: number, size: number): boolean {
    const holes = Math.floor(size / HOLE);
    const count = Math.min(SAMPLES, holes);
    for (let sample = 0; sample < count; sample++) {
      const at = Math.floor((holes * sample) / count) * HOLE;
      const block = this.#calls.pread(fd, HOLE, at);
      if (block.length === HOLE && isZero(block)) return true;
    }
    return false;
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0] ?? ZEROS;
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function isZero(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}
