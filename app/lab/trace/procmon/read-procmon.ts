/**
 * Reads the CSV exports of Process Monitor (Sysinternals), also after a spreadsheet has saved them again: UTF-8, UTF-16 or
 * windows-1252; commas, semicolons or tabs; columns in any order. Rows that are not of files are left out and counted.
 */
import { Readable } from 'node:stream';
import { parse, type CsvError } from 'csv-parse';
import type { BadLines } from '../bad-lines.ts';
import { asUtf8, textOfLatin1, type Chunks } from '../decode-text.ts';
import type { TraceRecord } from '../record.ts';
import { MAX_LINE_BYTES, MAX_PROGRAM_LENGTH } from '../trace-limits.ts';
import { ProcmonColumns, type ProcmonRow } from './procmon-columns.ts';
import { concernsFiles, toldBy } from './procmon-operations.ts';
import { ProcmonPaths } from './procmon-path.ts';
import { ProcmonClock } from './procmon-time.ts';

export interface ProcmonCounts {
  /** Rows of the registry, the network, processes, pipes and devices. */
  noFiles: number;
}

const HEADER_WORDS = /(?:^|["',;\t])(?:operation|time of day|process name|detail)["',;\t\r\n]/i;

/** Whether the beginning of a file looks like one. */
export const looksLikeProcmon = (text: string): boolean =>
  text.split('\n', 2).some((line) => HEADER_WORDS.test(`${line}\n`));

/**
 * Reads the records of an export of Process Monitor. Throws GodwitError `bad-trace` without a
 * usable header, or at a bad row unless these are skipped.
 */
export async function* readProcmon(
  chunks: Chunks,
  bad: BadLines,
  counts: ProcmonCounts = { noFiles: 0 },
): AsyncGenerator<TraceRecord> {
  const reader = new RowReader(bad, counts);
  let columns: ProcmonColumns | null = null;
  for await (const { cells, line } of rowsOf(chunks, bad)) {
    if (columns === null) {
      const read = ProcmonColumns.of(cells);
      if (typeof read === 'string') throw bad.error(read, line);
      columns = read;
      continue;
    }
    const row = columns.row(cells);
    const record = typeof row === 'string' ? row : reader.read(row);
    if (typeof record === 'string') bad.add(line, record);
    else if (record !== null) yield record;
  }
  if (columns === null) throw bad.error('expected a header, and there is nothing');
}

class RowReader {
  readonly #clock = new ProcmonClock();
  readonly #paths: ProcmonPaths;
  readonly #counts: ProcmonCounts;

  constructor(bad: BadLines, counts: ProcmonCounts) {
    this.#paths = new ProcmonPaths(bad);
    this.#counts = counts;
  }

  /** null: it is of no file. */
  read(row: ProcmonRow): TraceRecord | string | null {
    const path = concernsFiles(row) ? this.#paths.read(row.path) : null;
    if (path === null) {
      this.#counts.noFiles += 1;
      return null;
    }
    const at = this.#clock.read(row.time);
    if (typeof at === 'string') return at;
    const pid = pidOf(row.pid);
    if (pid === null) return 'expected the number of a process (PID)';
    const told = toldBy(row, path, (given) => this.#paths.read(given));
    if (typeof told === 'string') return told;
    const program = row.program.trim().slice(0, MAX_PROGRAM_LENGTH) || undefined;
    return { at, pid, program, ...told };
  }
}

/** Without the column: all are one process for each program's name. */
function pidOf(text: string): number | null {
  const digits = text.trim().replace(/[.,'’\s]/g, '');
  if (digits === '') return 0;
  return /^\d{1,10}$/.test(digits) ? Number(digits) : null;
}

interface Cells {
  readonly cells: readonly string[];
  /** On which it ends, from 1. */
  readonly line: number;
}

async function* rowsOf(chunks: Chunks, bad: BadLines): AsyncGenerator<Cells> {
  const head = await headOf(asUtf8(chunks));
  const parser = parse({
    // Bytes stay bytes until it is known what a cell is in.
    encoding: 'latin1',
    delimiter: delimiterOf(head.firstLine),
    from_line: /^sep=.\r?$/i.test(head.firstLine) ? 2 : 1,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: MAX_LINE_BYTES,
  });
  parser.on('skip', (error: CsvError) => {
    try {
      bad.add(lineOf(error), 'expected a row of CSV whose quotes are closed');
    } catch (refusal) {
      parser.destroy(refusal as Error);
    }
  });
  const source = Readable.from(head.all(), { objectMode: false });
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRow>) {
      yield { cells: record.map(textOfLatin1), line: info.lines };
    }
  } finally {
    source.destroy();
  }
}

interface ParsedRow {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

const lineOf = (error: CsvError): number =>
  typeof error['lines'] === 'number' ? error['lines'] : 1;

/** What separates columns stands in the header, where nothing else of it does. */
function delimiterOf(line: string): string {
  const said = /^sep=(.)\r?$/i.exec(line)?.[1];
  if (said !== undefined) return said;
  const counts = [',', ';', '\t'].map((sign) => ({ sign, count: line.split(sign).length }));
  return counts.reduce((best, other) => (other.count > best.count ? other : best)).sign;
}

interface Head {
  readonly firstLine: string;
  /** All of it, what was read for the first line included. */
  readonly all: () => AsyncGenerator<Buffer>;
}

async function headOf(chunks: AsyncGenerator<Buffer>): Promise<Head> {
  let head = Buffer.alloc(0);
  let end = -1;
  while (end < 0 && head.length <= MAX_LINE_BYTES) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
    end = head.indexOf(0x0a);
  }
  const firstLine = head.toString('latin1', 0, end < 0 ? head.length : end);
  return {
    firstLine,
    async *all() {
      yield head;
      yield* chunks;
    },
  };
}
