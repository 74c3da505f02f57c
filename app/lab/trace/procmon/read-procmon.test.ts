import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from '@jest/globals';
import { BadLines } from '../bad-lines.ts';
import { openTrace } from '../open-trace.ts';
import { formatRecord } from '../trace-line.ts';
import type { TraceRecord } from '../record.ts';
import { StatisticsCollector } from '../statistics.ts';
import { looksLikeProcmon, readProcmon } from './read-procmon.ts';

const HEADER = '"Time of Day","Process Name","PID","Operation","Path","Result","Detail"';
const quoted = (...cells: string[]): string => cells.map((cell) => `"${cell}"`).join(',');
const row = (operation: string, path: string, detail = '', result = 'SUCCESS'): string =>
  quoted('18:40:23.1038915', 'ED.EXE', '4744', operation, path, result, detail);

async function read(text: string | Buffer, skip = false, bad = new BadLines('x.csv', skip)) {
  const counts = { noFiles: 0 };
  const records: TraceRecord[] = [];
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  // In pieces that end anywhere.
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 7) pieces.push(bytes.subarray(at, at + 7));
  for await (const record of readProcmon(pieces, bad, counts)) records.push(record);
  return { records, noFiles: counts.noFiles, skipped: bad.count };
}

const rows = async (...lines: string[]): Promise<string[]> =>
  (await read([HEADER, ...lines, ''].join('\r\n'))).records.map((record) => formatRecord(record));

describe('an operation of Process Monitor', () => {
  const told = (more: string): string => `{"at":0,"pid":4744,"program":"ED.EXE",${more}}`;
  const open = (access: string, disposition: string, options: string, done: string): string =>
    `Desired Access: ${access}, Disposition: ${disposition}, Options: ${options}, Attributes: n/a, ` +
    `ShareMode: Read, Write, Delete, AllocationSize: n/a, OpenResult: ${done}`;

  test.each<[string, string, string, string, string]>([
    [
      'CreateFile',
      'C:\\a',
      open('Generic Read', 'Open', 'Sequential Access, Non-Directory File', 'Opened'),
      'SUCCESS',
      '"op":"open","path":"/C:/a","flags":["read","sequential"]',
    ],
    [
      'CreateFile',
      'C:\\a',
      open('Read Attributes', 'Open', 'Open Reparse Point', 'Opened'),
      'SUCCESS',
      '"op":"open","path":"/C:/a"',
    ],
    [
      'CreateFile',
      'C:\\a',
      open('Generic Read/Write', 'Create', 'Non-Directory File', 'Created'),
      'SUCCESS',
      '"op":"create","path":"/C:/a","flags":["read","exclusive"]',
    ],
    [
      'CreateFile',
      'C:\\a',
      open('Generic Write, Read Attributes', 'OverwriteIf', 'Non-Directory File', 'Overwritten'),
      'SUCCESS',
      '"op":"open","path":"/C:/a","flags":["write","truncate"]',
    ],
    [
      'CreateFile',
      'C:\\d',
      open('Read Data/List Directory', 'Create', 'Directory, Open Reparse Point', 'Created'),
      'SUCCESS',
      '"op":"mkdir","path":"/C:/d","flags":["read","exclusive","directory"]',
    ],
    [
      'CreateFile',
      'C:\\a',
      open('Read Attributes, Delete', 'Open', 'Non-Directory File, Delete On Close', 'Opened'),
      'SUCCESS',
      '"op":"open","path":"/C:/a","flags":["delete-on-close"]',
    ],
    [
      'CreateFile',
      'C:\\no',
      'Desired Access: Generic Read, Disposition: Open',
      'NAME NOT FOUND',
      '"op":"open","path":"/C:/no","flags":["read","not-found"]',
    ],
    [
      'CreateFile',
      'C:\\a',
      'Desired Access: Generic Read, Disposition: Open',
      'SHARING VIOLATION',
      '"op":"open","path":"/C:/a","flags":["read","failed"]',
    ],
    [
      'ReadFile',
      'C:\\a',
      'Offset: 65.536, Length: 4.096, I/O Flags: Non-cached, Paging I/O, Priority: Normal',
      'SUCCESS',
      '"op":"read","path":"/C:/a","offset":65536,"length":4096,"flags":["paging"]',
    ],
    [
      'ReadFile',
      'C:\\a',
      'Offset: 1,048,576, Length: 19,298, Priority: Normal',
      'SUCCESS',
      '"op":"read","path":"/C:/a","offset":1048576,"length":19298',
    ],
    [
      'ReadFile',
      'C:\\a',
      'Offset: 65\u202f536, Length: 4\u00a0096',
      'SUCCESS',
      '"op":"read","path":"/C:/a","offset":65536,"length":4096',
    ],
    [
      'ReadFile',
      'C:\\a',
      'Offset: 12 345 678, Length: 9',
      'SUCCESS',
      '"op":"read","path":"/C:/a","offset":12345678,"length":9',
    ],
    [
      'ReadFile',
      'C:\\a',
      'Offset: 88, Length: 4.096',
      'END OF FILE',
      '"op":"read","path":"/C:/a","offset":88,"length":0,"flags":["end"]',
    ],
    [
      'ReadFile',
      'C:\\a',
      'Offset: 0, Length: 5',
      'FILE LOCK CONFLICT',
      '"op":"read","path":"/C:/a","flags":["failed"]',
    ],
    [
      'WriteFile',
      'C:\\a',
      'Offset: 0, Length: 19,298',
      'SUCCESS',
      '"op":"write","path":"/C:/a","offset":0,"length":19298',
    ],
    [
      'SetEndOfFileInformationFile',
      'C:\\a',
      'EndOfFile: 19,298',
      'SUCCESS',
      '"op":"truncate","path":"/C:/a","length":19298',
    ],
    [
      'SetDispositionInformationFile',
      'C:\\a',
      'Delete: True',
      'SUCCESS',
      '"op":"remove","path":"/C:/a"',
    ],
    [
      'SetDispositionInformationFile',
      'C:\\a',
      'Delete: False',
      'SUCCESS',
      '"op":"other","path":"/C:/a"',
    ],
    [
      'SetRenameInformationFile',
      'C:\\a',
      'ReplaceIfExists: True, FileName: C:\\b, or: c',
      'SUCCESS',
      '"op":"rename","path":"/C:/a","to":"/C:/b, or: c"',
    ],
    [
      'QueryStandardInformationFile',
      'C:\\a',
      'AllocationSize: 77.824, EndOfFile: 77.000, NumberOfLinks: 1',
      'SUCCESS',
      '"op":"getattr","path":"/C:/a","size":77000',
    ],
    [
      'QueryNetworkOpenInformationFile',
      'C:\\a',
      'AllocationSize: 01-01-1601 02:00:00, EndOfFile: 01-01-1601 02:00:00, FileAttributes: A',
      'SUCCESS',
      '"op":"getattr","path":"/C:/a"',
    ],
    [
      'QueryAllInformationFile',
      'C:\\a',
      'AllocationSize: 286.720, EndOfFile: 283.171, NumberOfLinks: 1',
      'BUFFER OVERFLOW',
      '"op":"getattr","path":"/C:/a","size":283171',
    ],
    [
      'QueryDirectory',
      'C:\\d\\*',
      'Filter: *, 1: .',
      'SUCCESS',
      '"op":"readdir","path":"/C:/d","flags":["directory"]',
    ],
    [
      'QueryDirectory',
      'C:\\d\\name',
      'Filter: name, 1: name',
      'SUCCESS',
      '"op":"getattr","path":"/C:/d/name"',
    ],
    [
      'QueryDirectory',
      'C:\\d',
      '',
      'NO MORE FILES',
      '"op":"readdir","path":"/C:/d","flags":["directory"]',
    ],
    [
      'FlushBuffersFile',
      '\\\\host\\share\\x',
      '',
      'SUCCESS',
      '"op":"sync","path":"/UNC/host/share/x"',
    ],
    ['IRP_MJ_CLEANUP', 'C:\\', '', 'SUCCESS', '"op":"close","path":"/C:"'],
    [
      'FileSystemControl',
      'C:\\a',
      'Control: 0x90390',
      'INVALID DEVICE REQUEST',
      '"op":"other","path":"/C:/a","flags":["failed"]',
    ],
    [
      'CreateFileMapping',
      'C:\\a',
      'SyncType: SyncTypeOther',
      'FILE LOCKED WITH ONLY READERS',
      '"op":"map","path":"/C:/a"',
    ],
  ])('is converted: %s %s %s %s', async (operation, path, detail, result, expected) => {
    expect(await rows(row(operation, path, detail, result))).toEqual([told(expected)]);
  });

  it('keeps the first spelling of a path, since Windows ignores case', async () => {
    const lines = await rows(
      row('CloseFile', 'C:\\Users\\A.txt'),
      row('CloseFile', 'c:\\users\\a.TXT'),
    );
    expect(lines[1]).toBe(lines[0]);
  });

  it('is counted and left out when it concerns no file', async () => {
    const lines = [
      row('RegOpenKey', 'HKLM\\Software'),
      row('TCP Receive', 'a:1 -> b:2', 'Length: 5'),
      row('Load Image', 'C:\\a.dll'),
      row('Process Create', 'C:\\a.exe', 'PID: 1, Command line: ""C:\\a.exe""'),
      row('ReadFile', '\\Device\\NamedPipe\\x', 'Offset: 0, Length: 1'),
      row('CloseFile', 'C:\\a'),
    ];
    const { records, noFiles } = await read([HEADER, ...lines].join('\n'));
    expect([records.length, noFiles]).toEqual([1, 5]);
  });
});

describe('a dialect of Process Monitor', () => {
  const read1 = 'ReadFile';
  const path = 'C:\\Users\\ann\\naïve.txt';
  const one = [expect.objectContaining({ op: 'read', offset: 65536, length: 4096, pid: 7 })];

  test.each<[string, string]>([
    [
      'columns in another order, and more',
      `PID,Duration,"Date & Time",Detail,Path,TID,Operation,Result,"Time of Day"\n7,"0,0000123","4/10/2019 6:40:23 PM","Offset: 65,536, Length: 4,096","${path}",12,${read1},SUCCESS,"6:40:23,1 PM"`,
    ],
    [
      'semicolons',
      `"Time of Day";"PID";"Operation";"Path";"Result";"Detail"\n"18:40:23,1";"7";"ReadFile";"${path}";"SUCCESS";"Offset: 65.536, Length: 4.096"`,
    ],
    [
      'tabs',
      `Time of Day\tPID\tOperation\tPath\tResult\tDetail\n18:40:23.1\t7\tReadFile\t${path}\tSUCCESS\tOffset: 65 536, Length: 4 096`,
    ],
    [
      'a spreadsheet without quotes',
      `Time of Day,PID,Operation,Path,Result,Detail\n47:57.9,7,ReadFile,${path},SUCCESS,Offset: 65,536, Length: 4,096, Priority: Normal`,
    ],
    [
      'a sheet whose rows are all as long as the longest',
      `Time of Day,PID,Operation,Path,Result,Detail,,,,\n47:57.9,7,ReadFile,${path},SUCCESS,Offset: 65,536, Length: 4,096,`,
    ],
    [
      'without quotes, Detail in the middle',
      `PID,Time of Day,Detail,Operation,Path,Result\n7,47:57.9,Offset: 65,536, Length: 4,096,ReadFile,${path},SUCCESS`,
    ],
    [
      'a separator that is said',
      `sep=;\nTime of Day;PID;Operation;Path;Result;Detail\n18:40:23.1;7;ReadFile;${path};SUCCESS;Offset: 65536, Length: 4096`,
    ],
    [
      'only a date',
      `"Date & Time","PID","Operation","Path","Result","Detail"\n"10.04.2019 18:40:23","7","ReadFile","${path}","SUCCESS","Offset: 65536, Length: 4096"`,
    ],
    [
      'no column of results',
      `"Time of Day","PID","Operation","Path","Detail"\n"下午 06:40:23.1","7","ReadFile","${path}","Offset: 65536, Length: 4096"`,
    ],
    [
      'a class of events',
      `Event Class,Time of Day,PID,Operation,Path,Detail\nFile System,18:40:23.1,7,ReadFile,${path},"Offset: 65536, Length: 4096"\nRegistry,18:40:23.1,7,X,${path},`,
    ],
  ])('is understood: %s', async (_name, text) => {
    expect(looksLikeProcmon(text)).toBe(true);
    expect((await read(text)).records).toEqual(one);
  });

  test.each<[string, Buffer]>([
    ['UTF-8', Buffer.from(path)],
    ['windows-1252', Buffer.from(path, 'latin1')],
  ])('is understood with paths in %s', async (_name, bytes) => {
    const text = Buffer.concat([
      Buffer.from(`${HEADER}\n"18:40:23.1","a","7","CloseFile","`),
      bytes,
      Buffer.from('","SUCCESS",""\n'),
    ]);
    expect((await read(text)).records[0]?.path).toBe('/C:/Users/ann/naïve.txt');
  });

  test.each(['utf16le', 'utf16be', 'utf8'])(
    'is understood with a byte order mark of %s',
    async (encoding) => {
      const text = `\ufeff${HEADER}\n${row('CloseFile', path)}\n`;
      const bytes = Buffer.from(text, encoding === 'utf8' ? 'utf8' : 'utf16le');
      const given = encoding === 'utf16be' ? bytes.swap16() : bytes;
      expect((await read(given)).records[0]?.path).toBe('/C:/Users/ann/naïve.txt');
    },
  );
});

describe('a bad line of Process Monitor', () => {
  const refusal = (text: string): Promise<unknown> =>
    read(text).then(
      () => 'taken',
      (error: Error) => error.message,
    );

  test.each<[string, string]>([
    ['', 'x.csv: expected a header, and there is nothing'],
    [
      '"Time of Day","PID","Operation"\n',
      'x.csv: line 1: expected a header with the column Path and Detail',
    ],
    ['PID,Operation,Path,Detail\n', 'x.csv: line 1: expected a header with the column Time of Day'],
    [`${HEADER}\n"1","2"\n`, 'x.csv: line 2: expected 7 columns'],
    [
      `${HEADER}\n${row('CloseFile', 'C:\\a')}\n${quoted('noon', 'a', '1', 'CloseFile', 'C:\\a', 'SUCCESS', '')}`,
      'x.csv: line 3: expected a time such as 18:40:23.1038915',
    ],
    [
      `${HEADER}\n${quoted('18:40:23.1', 'a', 'x', 'CloseFile', 'C:\\a', 'SUCCESS', '')}`,
      'x.csv: line 2: expected the number of a process (PID)',
    ],
    [
      `${HEADER}\n${row('ReadFile', 'C:\\a', 'Length: 5')}`,
      'x.csv: line 2: expected Offset and Length in Detail',
    ],
    [
      `${HEADER}\n${row('SetEndOfFileInformationFile', 'C:\\a')}`,
      'x.csv: line 2: expected a size (EndOfFile) in Detail',
    ],
    [`${HEADER}\n"18:40:23.1","a`, 'x.csv: line 2: expected a row of CSV whose quotes are closed'],
  ])('is reported: %j', async (text, message) => {
    expect(await refusal(text)).toBe(message);
  });

  it('is left out and counted on request', async () => {
    const bad = new BadLines('x.csv', true);
    const text = [
      HEADER,
      row('CloseFile', 'C:\\a'),
      'x',
      row('ReadFile', 'C:\\a'),
      row('CloseFile', 'C:\\b'),
    ];
    const { records } = await read(text.join('\n'), true, bad);
    expect(records.map(({ path }) => path)).toEqual(['/C:/a', '/C:/b']);
    expect([bad.count, bad.first]).toEqual([
      2,
      [
        { line: 3, expected: 'expected 7 columns' },
        { line: 4, expected: 'expected Offset and Length in Detail' },
      ],
    ]);
  });
});

describe('a published trace', () => {
  const folder = join(import.meta.dirname, '..', '..', '..', '..', '..', 'shared', 'traces');
  const all = [
    [
      'procmon-visual-studio-reads.csv',
      { records: 11_798, processes: 3, files: 2894, bytesRead: 14_088_389, bytesWritten: 0 },
    ],
    [
      'procmon-editor-writes.csv',
      { records: 2300, processes: 1, files: 105, bytesRead: 1_918_884, bytesWritten: 1_938_375 },
    ],
  ] as const;
  for (const [name, expected] of all) {
    const file = join(folder, name);
    // They are data of others, and lie beside the project where somebody has put them.
    const there = existsSync(file);
    test(there ? name : `${name} (not looked at: it is not beside the project)`, async () => {
      if (!there) return expect(existsSync(folder)).toBe(false);
      const trace = await openTrace(file, {
        maxFileBytes: 4 * 1024 * 1024,
        skipBad: false,
        cwd: '/',
      });
      const statistics = new StatisticsCollector(trace.account.bad);
      for await (const record of trace.records()) statistics.add(record);
      expect(statistics.result()).toMatchObject(expected);
    });
  }
});
