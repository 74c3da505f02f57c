/**
 * A file with a trace, in one of the formats, which its first bytes show. It can be read several times, from the beginning to the end and never whole
 * in memory.
 */
import { createReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { BadLines } from './bad-lines.ts';
import { asUtf8, type Chunks } from './decode-text.ts';
import { LargeFiles } from './large-files.ts';
import { looksLikeProcmon, readProcmon } from './procmon/read-procmon.ts';
import { readTrace } from './read-trace.ts';
import type { TraceRecord } from './record.ts';
import { looksLikeStrace, readStrace } from './strace/read-strace.ts';
import { looksLikeHeader, type TraceHeader } from './trace-line.ts';

export type TraceFormat = 'godwit' | 'procmon' | 'strace';

export const FORMAT_NAMES: Readonly<Record<TraceFormat, string>> = {
  godwit: "Godwit's own",
  procmon: 'CSV of Process Monitor',
  strace: 'output of strace',
};

export interface TraceOptions {
  /** Accesses to files of more bytes are dropped; null: none. */
  readonly maxFileBytes: number | null;
  readonly skipBad: boolean;
  /** Of strace: the directory in which it was started. */
  readonly cwd: string;
  /** The machine of records that name none; left out: nobody knows. */
  readonly client?: string;
}

/** Counts of the parts of a file that were read or left out; complete when all records were read. */
export interface TraceAccount {
  /** Operations on files that are too large. */
  dropped: number;
  /** Rows or calls that are of no file. */
  noFiles: number;
  readonly bad: BadLines;
}

export interface OpenedTrace {
  readonly format: TraceFormat;
  readonly header: TraceHeader;
  readonly account: TraceAccount;
  /** Once. Throws `bad-trace`, also where nothing in the file is of files. */
  readonly records: () => AsyncGenerator<TraceRecord>;
}

const SNIFFED_BYTES = 64 * 1024;

/** Rejects with `bad-trace`, or what the system says of the file. */
export async function openTrace(file: string, options: TraceOptions): Promise<OpenedTrace> {
  const bad = new BadLines(file, options.skipBad);
  if (!statSync(file).isFile()) throw bad.error('expected a file, which can be read twice');
  const format = formatOf(await beginningOf(file));
  if (format === null) {
    throw bad.error(
      'expected a trace of Godwit, a CSV of Process Monitor, or the output of strace -f -ttt',
    );
  }
  let header: TraceHeader = { source: format, groups: [] };
  const account: TraceAccount = { dropped: 0, noFiles: 0, bad };
  const pass = (noted: BadLines, counts: { noFiles: number }): AsyncGenerator<TraceRecord> => {
    const chunks = createReadStream(file);
    if (format === 'procmon') return readProcmon(chunks, noted, counts);
    if (format === 'strace') return readStrace(chunks, noted, { cwd: options.cwd, counts });
    return readTrace(chunks, noted, (read) => (header = read));
  };
  const { maxFileBytes, client } = options;
  const large = maxFileBytes === null ? null : new LargeFiles(maxFileBytes);
  if (large !== null) {
    const noted = new BadLines(file, options.skipBad);
    for await (const record of pass(noted, { noFiles: 0 })) large.note(record);
  }
  const records = async function* (): AsyncGenerator<TraceRecord> {
    let any = false;
    for await (const record of pass(bad, account)) {
      any = true;
      if (large?.drops(record) === true) account.dropped += 1;
      else
        yield client === undefined || record.client !== undefined ? record : { ...record, client };
    }
    if (!any && format !== 'godwit') {
      const why =
        account.noFiles === 0 ? 'it is empty' : `all ${account.noFiles} rows are of something else`;
      throw bad.error(`expected operations on files, and there is nothing to replay: ${why}`);
    }
  };
  return {
    format,
    account,
    records,
    get header() {
      return header;
    },
  };
}

/** Tells the format of a trace by its beginning. Null: it is none that we know. */
export function formatOf(beginning: string): TraceFormat | null {
  if (looksLikeHeader(beginning)) return 'godwit';
  if (looksLikeStrace(beginning)) return 'strace';
  return looksLikeProcmon(beginning) ? 'procmon' : null;
}

async function beginningOf(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const buffer = Buffer.alloc(SNIFFED_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, SNIFFED_BYTES, 0);
    return await decoded([buffer.subarray(0, bytesRead)]);
  } finally {
    await handle.close();
  }
}

/**
 * Decodes a beginning to UTF-8 and gives each of its bytes as one character, so that a character
 * that is cut off does no harm. All of it is held in memory.
 */
export async function decoded(chunks: Chunks): Promise<string> {
  let text = '';
  for await (const part of asUtf8(chunks)) text += part.toString('latin1');
  return text;
}
