/** Traces of file accesses: what is read is well-formed and in order, and is written and read again the same. */
import { deepStrictEqual, equal, ok } from 'node:assert/strict';
import { BadLines } from '../../../../app/lab/trace/bad-lines.ts';
import type { Chunks } from '../../../../app/lab/trace/decode-text.ts';
import { generateTrace } from '../../../../app/lab/trace/generate/generators.ts';
import { LargeFiles } from '../../../../app/lab/trace/large-files.ts';
import { readProcmon } from '../../../../app/lab/trace/procmon/read-procmon.ts';
import { readTrace } from '../../../../app/lab/trace/read-trace.ts';
import type { TraceRecord } from '../../../../app/lab/trace/record.ts';
import { StatisticsCollector } from '../../../../app/lab/trace/statistics.ts';
import { readStrace } from '../../../../app/lab/trace/strace/read-strace.ts';
import { recordFault, type TraceHeader } from '../../../../app/lab/trace/trace-line.ts';
import { traceText } from '../../../../app/lab/trace/write-trace.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { JSON_TOKENS, text, type Parser, type ParserRow } from '../parser.ts';

/** Each input is read some times over, by streams: few to a corpus. */
const ERA = 4000;

type Reader = (chunks: Chunks, bad: BadLines) => AsyncIterable<TraceRecord>;

async function all(read: Reader, bytes: Uint8Array, bad: BadLines): Promise<TraceRecord[]> {
  const records: TraceRecord[] = [];
  const half = bytes.length >> 1;
  for await (const record of read([bytes.subarray(0, half), bytes.subarray(half)], bad)) {
    records.push(record);
  }
  return records;
}

async function textFor(records: readonly TraceRecord[], header: TraceHeader): Promise<string> {
  let whole = '';
  for await (const piece of traceText(() => header, records)) whole += piece;
  return whole;
}

async function check(read: Reader, bytes: Uint8Array, header: () => TraceHeader): Promise<boolean> {
  const bad = new BadLines('trace', true);
  const records = await all(read, bytes, bad);
  let last = 0;
  const [statistics, large] = [new StatisticsCollector(bad), new LargeFiles(4096)];
  for (const record of records) {
    equal(recordFault(record), null);
    ok(record.at >= last, 'times go back');
    last = record.at;
    statistics.add(record);
    large.note(record);
  }
  for (const record of records) large.drops(record);
  ok(Object.values(statistics.result()).every((figure) => figure >= 0));
  const written = await textFor(records, header());
  const again = await all(readTrace, Buffer.from(written), new BadLines('again', false));
  equal(await textFor(again, header()), written);
  // A reader that skips nothing fails exactly when another one skipped something.
  const strictly = await all(read, bytes, new BadLines('trace', false)).catch((error: unknown) => {
    if (isBadTrace(error)) return null;
    throw error;
  });
  equal(strictly === null, bad.count > 0);
  if (strictly !== null) deepStrictEqual(strictly, records);
  return records.length > 0;
}

const isBadTrace = (error: unknown): boolean =>
  error instanceof GodwitError && error.code === 'bad-trace';

const NO_GROUPS = (): TraceHeader => ({ source: 'fuzz', groups: [] });

const parser = (
  corpus: readonly string[],
  tokens: readonly Uint8Array[],
  checked: (bytes: Uint8Array) => Promise<boolean>,
): Parser => ({
  corpus: () =>
    corpus.flatMap((each) => [Buffer.from(each), Buffer.from(`\ufeff${each}`, 'utf16le')]),
  tokens,
  check: checked,
  allows: isBadTrace,
});

const PROCMON = [
  '"Time of Day","Process Name","PID","Operation","Path","Result","Detail"',
  '"23:59:59,9","a.exe","7","CreateFile","C:\\a","SUCCESS","Desired Access: Generic Read, Disposition: Open, Options: Directory, OpenResult: Created"',
  '"0:00:00,1","a.exe","7","ReadFile","C:\\a","SUCCESS","Offset: 65.536, Length: 4.096"',
  '"0:00:00,2","a.exe","7","SetRenameInformationFile","C:\\a","SUCCESS","FileName: C:\\b"',
  '"0:00:00,2","a.exe","7","QueryDirectory","C:\\*","SUCCESS","Filter: *, 1: ."',
  '"0:00:00,3","a.exe","8","RegOpenKey","HKLM","SUCCESS",""\r\n',
].join('\n');

const SHEET = [
  'sep=;\nDate & Time;PID;Operation;Path;Detail',
  '1/2/2019 6:40:23 PM;1.234;WriteFile;\\\\h\\s\\x;Offset: 0, Length: 1,298',
].join('\n');

const STRACE = [
  '7 1700.000001 openat(AT_FDCWD, "a\\303\\251\\"", O_RDWR|O_CREAT, 0666) = 3</home/a>',
  '7 1700.000002 read(3, "x"..., 4096 <unfinished ...>',
  'strace: Process 8 attached',
  '[pid 8] 1700.000003 dup2(3, 0) = 0',
  '7 1700.000004 <... read resumed>) = 12 <0.000005>',
  '8 1700.000005 newfstatat(0, "", {st_mode=S_IFREG|0644, st_size=12, ...}, AT_EMPTY_PATH) = 0',
  '8 1700.000006 renameat2(AT_FDCWD, "a", 3, "../b", 0) = -1 ENOENT (No such file or directory)',
  '8 1700.000007 copy_file_range(3, NULL, 0, [5], 9, 0) = 9',
  '8 1700.000008 close_range(3, 4294967295, 0) = 0',
  '8 1700.000009 clone(flags=CLONE_FILES|CLONE_FS) = 9',
  '8 1700.000010 +++ exited with 0 +++\n',
].join('\n');

const OUR_TOKENS = text(
  ...[
    '"client":',
    '"home":',
    '"client":"a",',
    '"home":"b",',
    '"godwit-trace":1',
    '"godwit-trace":2',
  ],
);

const ours = (): Parser => {
  let last = NO_GROUPS();
  const read: Reader = (chunks, bad) => readTrace(chunks, bad, (header) => (last = header));
  const { groups = [], records = [] } = generateTrace('good-order', 1) ?? {};
  const heads: string[] = [];
  const { records: lookups = [] } = generateTrace('lookups', 1) ?? {};
  const moved = lookups.filter(({ home }) => home !== undefined).slice(0, 5);
  const some = [
    ...moved,
    ...records.slice(0, 20).map((record) => ({ ...record, at: 1e9 })),
    { at: 1e9, pid: 0, op: 'gap', length: 3 } as const,
  ];
  return {
    ...parser(heads, [...JSON_TOKENS, ...OUR_TOKENS], (bytes) => {
      last = NO_GROUPS();
      return check(read, bytes, () => last);
    }),
    corpus: () =>
      [1, 2].map((version) => textNow(version, { source: 'x', groups: groups.slice(0, 1) }, some)),
  };
};

/** The text of a trace, as traceText writes it. */
function textNow(version: number, header: TraceHeader, records: readonly TraceRecord[]): Buffer {
  const lines = [{ 'godwit-trace': version, ...header }, ...records].map((each) =>
    JSON.stringify(each),
  );
  return Buffer.from(`${lines.join('\n')}\n`);
}

const row = (name: string, open: () => Parser): ParserRow => ({
  name,
  weight: 0.3,
  era: ERA,
  open,
});

export const TRACES: readonly ParserRow[] = [
  row('traces of Process Monitor', () =>
    parser(
      [PROCMON, SHEET],
      text(
        ...['"', '""', ',', ';', '\t', '\r\n', '\n', 'Offset: ', 'Length: ', ': ', '12:00:00 AM'],
        ...['C:\\', '\\\\', '\\..\\', '?\\', ' ', '.', 'sep=', '99999999999999999999', 'SUCCESS'],
      ),
      (bytes) => check(readProcmon, bytes, NO_GROUPS),
    ),
  ),
  row('traces of strace', () =>
    parser(
      [STRACE],
      text(
        ...[
          '(',
          ')',
          '[',
          '{',
          '<',
          '>',
          '"',
          '\\',
          '\\0',
          ', ',
          ' = ',
          '-1 ENOENT (',
          '?',
          '= -1',
        ],
        ...['<unfinished ...>', '<... close resumed>', '[pid 9]', 'AT_FDCWD', '</x>', '1e9', '\n'],
        ...['close(3) = 0', 'dup(3) = 4', '"/a/../b"', '9223372036854775807', '+++ exited'],
      ),
      (bytes) => check(readStrace, bytes, NO_GROUPS),
    ),
  ),
  row('traces of our own', ours),
];
