/**
 * The Delta port over the disk in memory, for the simulator. It holds nothing itself.
 *
 * A call does its work when `delay` runs it, a moment before it is answered.
 */
import type { Delta, MadeContent, Piece } from '../../../../shared/ports/delta.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { DiskError } from '../disk/memory-disk.ts';
import type { StoreDisk } from '../disk/memory-disk.ts';
import { applyDelta, chunkList, decodeList, encodeDelta, encodeList } from './delta-format.ts';

export interface MemoryDeltaOptions {
  readonly disk: StoreDisk;
  /** Runs what it is given, now or later; at once where it is left out. */
  readonly delay?: (run: () => void) => void;
}

/** Implements the Delta port on a disk in memory. */
export class MemoryDelta implements Delta {
  readonly #disk: StoreDisk;
  readonly #delay: (run: () => void) => void;

  constructor({ disk, delay }: MemoryDeltaOptions) {
    this.#disk = disk;
    this.#delay = delay ?? ((run) => run());
  }

  list(contents: Piece, like: Uint8Array | null): Promise<Uint8Array> {
    return this.#answer(() => {
      const average = like === null ? null : decodeList(like).average;
      return encodeList(chunkList(this.#bytes(contents), average));
    });
  }

  make(
    base: Uint8Array,
    contents: Piece,
    out: string,
  ): Promise<{ readonly delta: MadeContent | null; readonly list: Uint8Array }> {
    return this.#answer(() => {
      const known = decodeList(base);
      const bytes = this.#bytes(contents);
      const list = chunkList(bytes, known.average);
      const delta = encodeDelta(known, list, bytes);
      const worth = delta.length < bytes.length * 0.75;
      return { delta: worth ? this.#made(out, delta) : null, list: encodeList(list) };
    });
  }

  apply(base: Piece, delta: string, out: string, most: number): Promise<MadeContent> {
    return this.#answer(() =>
      this.#made(out, applyDelta(this.#bytes(base), this.#disk.read(delta), most)),
    );
  }

  join(begun: string, rest: string): Promise<MadeContent> {
    return this.#answer(() => {
      const before = this.#disk.read(begun);
      const whole = new Uint8Array(Buffer.concat([before, this.#disk.read(rest)]));
      this.#disk.write(begun, whole);
      try {
        const made = { digest: this.#disk.digest(begun), length: whole.length };
        this.#disk.remove(rest);
        return made;
      } catch (error) {
        this.#disk.write(begun, before);
        throw error;
      }
    });
  }

  #bytes({ path, offset, length }: Piece): Uint8Array {
    const bytes = this.#disk.read(path);
    if (offset + length > bytes.length) throw new DiskError('ENOENT', path);
    return bytes.subarray(offset, offset + length);
  }

  #made(out: string, bytes: Uint8Array): MadeContent {
    if (this.#disk.has(out)) throw new DiskError('EEXIST', out);
    try {
      this.#disk.write(out, bytes);
      return { digest: this.#disk.digest(out), length: bytes.length };
    } catch (error) {
      this.#disk.remove(out, { missing: 'fine' });
      throw error;
    }
  }

  #answer<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#delay(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(asError(error));
        }
      });
    });
  }
}

function asError(error: unknown): Error {
  if (!(error instanceof DiskError)) return error as Error;
  if (error.code === 'ENOENT') return new GodwitError('not-found', error.message);
  if (error.code === 'ENOSPC') return new GodwitError('disk-full', error.message);
  if (error.code === 'EIO') return new GodwitError('disk-failing', error.message);
  return error;
}
