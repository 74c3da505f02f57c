/** Writes traces in the file form of Godwit (trace-line.ts): as a stream of text, in pieces that are worth a write. */
import type { TraceRecord } from './record.ts';
import { formatHeader, formatRecord, type TraceHeader } from './trace-line.ts';

const PIECE_LENGTH = 64 * 1024;

export async function* traceText(
  header: TraceHeader,
  records: AsyncIterable<TraceRecord> | Iterable<TraceRecord>,
): AsyncGenerator<string> {
  let piece = `${formatHeader(header)}\n`;
  for await (const record of records) {
    piece += `${formatRecord(record)}\n`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
