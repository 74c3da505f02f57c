/** Writes traces in the file form of Godwit (trace-line.ts): as a stream of text, in pieces that are worth a write. */
import type { TraceRecord } from './record.ts';
import { formatHeader, formatRecord, type TraceHeader } from './trace-line.ts';

const PIECE_LENGTH = 64 * 1024;

/** `header` is asked for when the first record is there, or none: a reader knows it then. */
export async function* traceText(
  header: () => TraceHeader,
  records: AsyncIterable<TraceRecord> | Iterable<TraceRecord>,
): AsyncGenerator<string> {
  let piece: string | null = null;
  for await (const record of records) {
    piece ??= `${formatHeader(header())}\n`;
    piece += `${formatRecord(record)}\n`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  piece ??= `${formatHeader(header())}\n`;
  if (piece !== '') yield piece;
}
