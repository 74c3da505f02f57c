/** Reads traces in the file form of Godwit (trace-line.ts). */
import { linesOf, type Chunks } from './decode-text.ts';
import type { BadLines } from './bad-lines.ts';
import type { TraceRecord } from './record.ts';
import { parseHeader, parseRecord, type TraceHeader } from './trace-line.ts';

/**
 * The records in order. `header` is called before the first of them. Throws `bad-trace` for a file without a header, even if bad lines are skipped.
 */
export async function* readTrace(
  chunks: Chunks,
  bad: BadLines,
  header: (header: TraceHeader) => void = () => undefined,
): AsyncGenerator<TraceRecord> {
  let begun = false;
  let last = 0;
  for await (const { number, text } of linesOf(chunks, bad)) {
    if (!begun) {
      const read = parseHeader(text);
      if (typeof read === 'string') throw bad.error(read, number);
      header(read);
      begun = true;
      continue;
    }
    if (text.trim() === '') continue;
    const record = parseRecord(text);
    if (typeof record === 'string') bad.add(number, record);
    else if (record.at < last) bad.add(number, `expected a time from ${last} on`);
    else {
      last = record.at;
      yield record;
    }
  }
  if (!begun) throw bad.error('expected the header of a trace, and there is nothing');
}
