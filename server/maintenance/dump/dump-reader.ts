/** Reads a dump (dump-format.ts) with a bounded buffer. What is not as it was written has a code and the place in the file. */
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import {
  CHUNK_BYTES,
  DUMP_MAGIC,
  DUMP_VERSION,
  dumpRecord,
  FRAME_BYTES,
  MAX_RECORD_BYTES,
  type DumpRecord,
} from './dump-format.ts';

/** The number of a version, and the end of its line. */
const MAX_VERSION_DIGITS = 9;

/** One dump, from its beginning to its end. */
export class DumpReader {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #sum = createHash('sha256');
  #chunk = Buffer.alloc(0);
  #at = 0;

  private constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  /** Rejects GodwitError `not-a-dump`, `newer-dump`; or as the disk does. */
  static async open(path: string): Promise<DumpReader> {
    const file = await open(path, 'r');
    const reader = new DumpReader(file, path);
    try {
      await reader.#readFirstLine();
      return reader;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The next record. With `end` the whole file is known to be as it was written. Rejects GodwitError `damaged-dump`. */
  async record(): Promise<DumpRecord> {
    const sum = this.#sum.copy();
    const frame = await this.#read(FRAME_BYTES);
    const length = frame.readUInt32LE(0);
    if (length > MAX_RECORD_BYTES) throw this.damaged();
    const text = await this.#read(length);
    if (crc32(text) !== frame.readUInt32LE(4)) throw this.damaged();
    const record = this.#parse(text.toString());
    if (record.is !== 'end') return record;
    if (record.sum !== sum.digest('hex') || (await this.#some()) > 0) throw this.damaged();
    return record;
  }

  /** Writes so many bytes into a file that is open. Rejects GodwitError `damaged-dump`; or as the disk does. */
  async copyTo(file: Pick<FileHandle, 'writeFile'>, length: number): Promise<void> {
    for (let left = length; left > 0;) {
      const there = Math.min(await this.#some(), left);
      if (there === 0) throw this.#cutShort();
      await file.writeFile(this.#take(there));
      left -= there;
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** It is not as it was written, where it was read last. */
  damaged(): GodwitError {
    return new GodwitError('damaged-dump', `${this.#path} is damaged before byte ${this.#at}`);
  }

  #cutShort(): GodwitError {
    return new GodwitError('damaged-dump', `${this.#path} is cut short at byte ${this.#at}`);
  }

  async #readFirstLine(): Promise<void> {
    const most = DUMP_MAGIC.length + MAX_VERSION_DIGITS + 1;
    while (this.#chunk.length < most) if (!(await this.#more())) break;
    const text = this.#chunk.subarray(0, most).toString('latin1');
    const [line, version = ''] = /^GODWIT-VOLUME (\d{1,9})\n/.exec(text) ?? [''];
    if (line === '') {
      throw new GodwitError('not-a-dump', `${this.#path} is no dump of a volume`);
    }
    if (Number(version) !== DUMP_VERSION) {
      const what = `${this.#path} is a dump of format ${Number(version)}`;
      const why = `${what}; this version of Godwit reads format ${DUMP_VERSION}`;
      throw new GodwitError('newer-dump', why);
    }
    this.#take(line.length);
  }

  #parse(text: string): DumpRecord {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw this.damaged();
    }
    const parsed = dumpRecord.safeParse(value);
    if (!parsed.success) throw this.damaged();
    return parsed.data;
  }

  async #read(length: number): Promise<Buffer> {
    while (this.#chunk.length < length) if (!(await this.#more())) throw this.#cutShort();
    return this.#take(length);
  }

  /** How many bytes are in the buffer; 0: the file has ended. */
  async #some(): Promise<number> {
    if (this.#chunk.length === 0) await this.#more();
    return this.#chunk.length;
  }

  async #more(): Promise<boolean> {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await this.#file.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return false;
    const read = buffer.subarray(0, bytesRead);
    this.#chunk = this.#chunk.length === 0 ? read : Buffer.concat([this.#chunk, read]);
    return true;
  }

  #take(length: number): Buffer {
    const taken = this.#chunk.subarray(0, length);
    this.#chunk = this.#chunk.subarray(length);
    this.#at += length;
    this.#sum.update(taken);
    return taken;
  }
}
