/**
 * A file of lines that begins anew when it is full: `daemon.log` is the newest, `daemon1.log` the one before, and so on.
 *
 * Lines are written at once, so that the last ones before a crash are there. What can't be written (the disk is full) is
 * lost, and the caller is informed; the next line is tried again.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

export interface RotatingFileOptions {
  readonly file: string;
  /** A line that would make the file longer goes to a new one. */
  readonly mostBytes: number;
  /** Files kept, the newest included. */
  readonly mostFiles: number;
}

/** An append-only file that is renamed and begun anew when it reaches its size limit, in bytes. */
export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #fd: number | null = null;
  #size = 0;

  /** Throws where the file can't be opened. */
  constructor(options: RotatingFileOptions) {
    this.#options = options;
    mkdirSync(dirname(options.file), { recursive: true, mode: PRIVATE_FOLDER });
    this.#open();
  }

  /** False: nothing of the line is in the file. */
  append(line: string): boolean {
    const bytes = Buffer.from(`${line}\n`);
    try {
      if (this.#size > 0 && this.#size + bytes.length > this.#options.mostBytes) this.#rotate();
      this.#write(this.#fd ?? this.#open(), bytes);
      return true;
    } catch {
      return false;
    }
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #open(): number {
    const fd = openSync(this.#options.file, 'a', PRIVATE_FILE);
    this.#fd = fd;
    this.#size = fstatSync(fd).size;
    return fd;
  }

  #write(fd: number, bytes: Buffer): void {
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(fd, bytes, written);
      this.#size += written;
    } catch (error) {
      if (written > 0) ftruncateSync(fd, this.#size);
      throw error;
    }
  }

  #rotate(): void {
    this.close();
    for (let i = this.#options.mostFiles - 1; i >= 1; i--) {
      try {
        renameSync(this.#numbered(i - 1), this.#numbered(i));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    this.#size = 0;
  }

  #numbered(i: number): string {
    const { file } = this.#options;
    const extension = extname(file);
    return i === 0 ? file : join(dirname(file), `${basename(file, extension)}${i}${extension}`);
  }
}
