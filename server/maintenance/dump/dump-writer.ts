/** Writes a dump (dump-format.ts) into an open file, with a bounded buffer. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Located } from '../../../shared/ports/content-store.ts';
import {
  CHUNK_BYTES,
  DUMP_MAGIC,
  DUMP_VERSION,
  FRAME_BYTES,
  type DumpRecord,
} from './dump-format.ts';

export interface DumpSink {
  /** All of them, behind what was written before. Rejects as the disk does. */
  writeFile(bytes: Uint8Array): Promise<void>;
}

/** One dump: the records in order, then `end`. */
export class DumpWriter {
  readonly #sink: DumpSink;
  readonly #sum = createHash('sha256');
  #waiting: Buffer[] = [];
  #bytes = 0;

  constructor(sink: DumpSink) {
    this.#sink = sink;
    this.#waiting.push(Buffer.from(`${DUMP_MAGIC}${DUMP_VERSION}\n`));
  }

  async record(record: Exclude<DumpRecord, { is: 'end' }>): Promise<void> {
    await this.#write(framed(record));
  }

  async contents({ path, offset, length }: Located): Promise<void> {
    const options = { start: offset, end: offset + length - 1, highWaterMark: CHUNK_BYTES };
    for await (const part of createReadStream(path, options)) await this.#write(part as Buffer);
  }

  /** All is written, and not yet on the disk. */
  async end(): Promise<void> {
    await this.#flush();
    const sum = this.#sum.digest('hex');
    await this.#sink.writeFile(framed({ is: 'end', sum }));
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= CHUNK_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#bytes = 0;
    this.#sum.update(bytes);
    await this.#sink.writeFile(bytes);
  }
}

function framed(record: DumpRecord): Buffer {
  const text = Buffer.from(JSON.stringify(record));
  const frame = Buffer.alloc(FRAME_BYTES);
  frame.writeUInt32LE(text.length, 0);
  frame.writeUInt32LE(crc32(text), 4);
  return Buffer.concat([frame, text]);
}
