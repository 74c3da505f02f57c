/** The disk calls of the packs, each under its name, so that a test can watch or fail exactly one. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { mkdir, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import { isMissing, syncPath } from '../content-disk/content-files.ts';

/** An open pack. */
export interface PackFile {
  /** Writes all of it, from that place on. */
  write(bytes: Uint8Array, at: number): Promise<void>;
  /** What was written is on the disk, and so is the length. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  length(): Promise<number>;
  /** Less than `length` where the file ends before. */
  read(at: number, length: number): Promise<Buffer>;
  /** Fills the buffer; gives how many bytes, which are less where the file ends before. */
  readInto(buffer: Buffer, at: number): Promise<number>;
  close(): Promise<void>;
}

export interface PackFiles {
  makeFolder(path: string): Promise<void>;
  /** Makes names in a folder durable. */
  syncFolder(path: string): Promise<void>;
  /** In no order; none where there is no such folder. */
  list(folder: string): Promise<string[]>;
  /** A new file. */
  create(path: string): Promise<PackFile>;
  open(path: string): Promise<PackFile>;
  rename(from: string, to: string): Promise<void>;
  /** Nothing where there is none. */
  remove(path: string): Promise<void>;
  /** All of a file; null if it is longer than `most` bytes. */
  readSmall(path: string, most: number): Promise<Buffer | null>;
  /** Less where the file ends before. */
  readPart(path: string, at: number, length: number): Promise<Buffer>;
}

export const nodePackFiles: PackFiles = {
  async makeFolder(path) {
    await mkdir(path, { recursive: true });
  },
  syncFolder: syncPath,
  async list(folder) {
    try {
      return await readdir(folder);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },
  create: async (path) => new NodePackFile(await open(path, 'wx+', 0o600)),
  open: async (path) => new NodePackFile(await open(path, 'r+')),
  rename,
  async remove(path) {
    try {
      await unlink(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  },
  readSmall: (path, most) =>
    new Promise((resolve) => {
      resolve(readSmallNow(path, most));
    }),
  async readPart(path, at, length) {
    const file = await open(path, 'r');
    try {
      return await readAll(file, at, length);
    } finally {
      await file.close();
    }
  },
};

class NodePackFile implements PackFile {
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async write(bytes: Uint8Array, at: number): Promise<void> {
    let done = 0;
    while (done < bytes.length) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
  }

  sync(): Promise<void> {
    return this.#file.datasync();
  }

  truncate(length: number): Promise<void> {
    return this.#file.truncate(length);
  }

  async length(): Promise<number> {
    return (await this.#file.stat()).size;
  }

  read(at: number, length: number): Promise<Buffer> {
    return readAll(this.#file, at, length);
  }

  readInto(buffer: Buffer, at: number): Promise<number> {
    return fill(this.#file, buffer, at);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** On this thread: what has just come is in memory, and four calls by way of others would cost ten times the work. */
function readSmallNow(path: string, most: number): Buffer | null {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size > most) return null;
    const bytes = Buffer.allocUnsafe(size);
    let done = 0;
    while (done < size) {
      const count = readSync(file, bytes, done, size - done, done);
      if (count === 0) break;
      done += count;
    }
    return bytes.subarray(0, done);
  } finally {
    closeSync(file);
  }
}

async function readAll(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, await fill(file, bytes, at));
}

async function fill(file: FileHandle, buffer: Buffer, at: number): Promise<number> {
  let done = 0;
  while (done < buffer.length) {
    const { bytesRead } = await file.read(buffer, done, buffer.length - done, at + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}
