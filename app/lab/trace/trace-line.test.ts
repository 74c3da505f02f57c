import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { makeFid } from '../../../shared/model/fid.ts';
import { BadLines } from './bad-lines.ts';
import { readTrace } from './read-trace.ts';
import { flagsOf, TRACE_FLAGS, type TraceRecord } from './record.ts';
import { formatHeader, formatRecord, parseHeader, parseRecord, recordFault } from './trace-line.ts';
import { traceText } from './write-trace.ts';

const RECORD: TraceRecord = {
  ...{ at: 5, pid: 7, program: 'cc', op: 'read', path: '/a b/ü', offset: 3, length: 4, size: 9 },
  flags: ['paging'],
};

async function read(text: string, skip = false) {
  const bad = new BadLines('x.trace', skip);
  const records: TraceRecord[] = [];
  for await (const record of readTrace([Buffer.from(text)], bad)) records.push(record);
  return { records, bad };
}

async function written(records: readonly TraceRecord[]): Promise<string> {
  let text = '';
  for await (const piece of traceText(() => ({ source: 'test', groups: [] }), records))
    text += piece;
  return text;
}

describe('a record of a trace', () => {
  it('is one line with its fields in a fixed order', () => {
    const { flags, ...rest } = RECORD;
    expect(formatRecord({ flags, ...rest })).toBe(
      '{"at":5,"pid":7,"program":"cc","op":"read","path":"/a b/ü","offset":3,"length":4,"size":9,"flags":["paging"]}',
    );
    expect(parseRecord(formatRecord(RECORD))).toEqual(RECORD);
  });

  it('has the machine before the process, and that of its user where it migrated', () => {
    const record = { ...RECORD, client: 'ada', home: 'bob' };
    expect(formatRecord(record)).toMatch(/^\{"at":5,"client":"ada","home":"bob","pid":7,/);
    expect(parseRecord(formatRecord(record))).toEqual(record);
  });

  it('may have a vnode, a name in a directory, or both', () => {
    const dir = makeFid(1, 1, 1);
    const plain = { at: 0, pid: 0, op: 'getattr' } as const;
    expect(recordFault({ ...plain, fid: dir })).toBeNull();
    expect(recordFault({ ...plain, dir, path: 'a' })).toBeNull();
    expect(recordFault({ ...plain, dir, path: 'a', fid: makeFid(1, 2, 3) })).toBeNull();
    expect(recordFault({ ...plain, op: 'rename', dir, path: 'a', toDir: dir, to: 'b' })).toBeNull();
  });

  test.each<[Record<string, unknown>, string]>([
    [{ client: '' }, 'a record of a trace (client)'],
    [{ client: 7 }, 'a record of a trace (client)'],
    [{ client: '\ud800' }, 'a record of a trace (client)'],
    [{ client: 'x'.repeat(256) }, 'a record of a trace (client)'],
    [{ client: 'ada', home: '' }, 'a record of a trace (home)'],
    [{ home: 'ada' }, 'a client where home is'],
    [{ at: 1.5 }, 'a record of a trace (at)'],
    [{ at: -1 }, 'a record of a trace (at)'],
    [{ op: 'peek' }, 'a record of a trace (op)'],
    [{ more: 1 }, 'a record of a trace'],
    [{ flags: ['loud'] }, 'a record of a trace (flags.0)'],
    [{ flags: ['end', 'paging'] }, 'flags in their order, each once'],
    [{ flags: ['paging', 'paging'] }, 'flags in their order, each once'],
    [{ length: undefined }, 'the length of a read'],
    [{ offset: undefined }, 'the offset of a read'],
    [{ path: undefined }, 'a path or a fid'],
    [{ path: 'a' }, 'a path from the root, or one name in the directory dir'],
    [{ path: '/a/../b' }, 'a path from the root, or one name in the directory dir'],
    [{ path: '/a//b' }, 'a path from the root, or one name in the directory dir'],
    [{ path: '/a\0' }, 'a path from the root, or one name in the directory dir'],
    [{ path: '/\ud800' }, 'a path from the root, or one name in the directory dir'],
    [{ path: 'a/b', dir: '1.1.1' }, 'a path from the root, or one name in the directory dir'],
    [{ dir: '1.1' }, 'a record of a trace (dir)'],
    [{ to: '/b' }, 'a new name with a rename, link or symlink, and with nothing else'],
    [{ op: 'rename' }, 'a new name with a rename, link or symlink, and with nothing else'],
    [{ op: 'rename', to: 'b' }, 'a new name like a path'],
    [{ op: 'symlink', to: 'b\0' }, 'a new name like a path'],
    [{ toDir: '1.1.1' }, 'a new name in the directory toDir'],
    [{ op: 'gap', length: 0 }, 'a gap of at least one operation'],
  ])('is invalid with %j', (change, expected) => {
    expect(parseRecord(JSON.stringify({ ...RECORD, ...change }))).toBe(`expected ${expected}`);
  });

  test.each(['', '{', 'null', '7', '[]'])('is invalid when it is %j', (text) => {
    expect(parseRecord(text)).toMatch(/^expected (?:a JSON object|a record)/);
  });
});

describe('a trace file', () => {
  it('is read back as it was written', async () => {
    const name = fc.string({ minLength: 1, maxLength: 20, unit: 'binary' });
    const path = fc
      .array(name, { minLength: 1, maxLength: 3 })
      .map((names) => `/${names.map((each) => each.replace(/[/\0]/g, '_')).join('/')}`)
      .filter((given) => recordFault({ at: 0, pid: 0, op: 'close', path: given }) === null);
    const flags = fc.subarray([...TRACE_FLAGS]).map((some) => flagsOf(...some));
    const machine = fc.string({ minLength: 1, maxLength: 5, unit: 'binary' });
    const where = fc.oneof(
      fc.constant({}),
      fc.record({ client: machine }),
      fc.record({ client: machine, home: machine }),
    );
    const what = fc.record({ pid: fc.nat(), path, flags, size: fc.maxSafeNat() });
    const record = fc.tuple(where, what).map(([at, told]) => ({ ...at, ...told }));
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 20 }), async (some) => {
        const records = some.map((each, index) => ({ at: index, op: 'getattr' as const, ...each }));
        const text = await written(records);
        expect((await read(text)).records).toEqual(
          records.map((each) => JSON.parse(JSON.stringify(each)) as unknown),
        );
        expect(await written((await read(text)).records)).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it('is read as before where it is of version 1, and written as version 2', async () => {
    const old = `{"godwit-trace":1,"source":"test"}\n${formatRecord(RECORD)}\n`;
    const { records } = await read(old);
    expect(records).toEqual([RECORD]);
    expect(await written(records)).toBe(old.replace('"godwit-trace":1', '"godwit-trace":2'));
  });

  it('keeps file groups in its header', () => {
    const members = ['/a', '/b'];
    const groups = [
      { name: 'g', members },
      { name: 'h', members, sizes: [0, 9] },
    ];
    const header = { source: 'x', groups };
    expect(parseHeader(formatHeader(header))).toEqual(header);
  });

  test.each<[string, string]>([
    ['', 'x.trace: expected the header of a trace, and there is nothing'],
    ['{}\n', 'x.trace: line 1: expected the header of a trace'],
    [
      '{"godwit-trace":3,"source":"x"}',
      'x.trace: line 1: expected version 1 or 2 of a trace, and not 3',
    ],
    ['{"godwit-trace":1,"source":"x","more":1}', 'x.trace: line 1: expected the header of a trace'],
    [
      `${formatHeader({ source: 'x', groups: [] })}\n${formatRecord(RECORD)}\nx`,
      'x.trace: line 3: expected a JSON object',
    ],
    [
      `${formatHeader({ source: 'x', groups: [] })}\n${formatRecord(RECORD)}\n${formatRecord({ ...RECORD, at: 4 })}`,
      'x.trace: line 3: expected a time from 5 on',
    ],
  ])('is invalid when it is %j', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'bad-trace', message });
  });

  it('is not kept in memory when a line is too long', async () => {
    const header = formatHeader({ source: 'x', groups: [] });
    const long = `{"at":0,"more":"${'x'.repeat(2_000_000)}"}`;
    const { records, bad } = await read([header, long, formatRecord(RECORD)].join('\n'), true);
    expect([records, bad.first]).toEqual([
      [RECORD],
      [{ line: 2, expected: 'expected lines of 1048576 bytes at most' }],
    ]);
  });
});
