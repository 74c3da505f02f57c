/** `godwit trace`, on files of its own. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { ControlClient } from '../../../../shared/control/client.ts';
import { FakeControl } from '../../../../test/support/fake-control.ts';
import { godwit, godwitUntil } from '../../../../test/support/run-cli.ts';
import { Interruption } from '../../../cli/interruption.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-trace-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(name: string, ...lines: string[]): string {
  const file = join(folder, name);
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return file;
}

const CSV = [
  '"Time of Day","Process Name","PID","Operation","Path","Result","Detail"',
  '"1:00:00.5","ED.EXE","7","CreateFile","C:\\a","SUCCESS","Desired Access: Generic Read, Disposition: Open"',
  '"1:00:00.6","ED.EXE","7","ReadFile","C:\\a","SUCCESS","Offset: 0, Length: 1,000"',
  '"1:00:00.6","ED.EXE","7","RegOpenKey","HKLM\\x","SUCCESS",""',
  '"1:00:00.7","ED.EXE","8","WriteFile","C:\\b","SUCCESS","Offset: 5,000,000, Length: 1"',
  '"1:00:02.0","ED.EXE","7","CloseFile","C:\\a","SUCCESS",""',
];
const STRACE = ['7 1.5 openat(AT_FDCWD, "x", O_RDONLY) = 3', '7 1.75 read(3, "x", 9) = 9'];

describe('godwit trace info', () => {
  it('prints the contents of a trace without files that are too large', async () => {
    const { code, stdout } = await godwit(['trace', 'info', put('t.csv', ...CSV), '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        ...{ records: 3, seconds: 1.5, processes: 1, clients: 0, files: 1 },
        ...{ missing: 0, fileBytes: 1000 },
        ...{ bytesRead: 1000, bytesWritten: 0, lost: 0, groups: 0 },
        ...{ dropped: 1, noFiles: 1, skipped: 0, format: 'procmon' },
      },
    ]);
  });

  it('accepts another limit or none', async () => {
    const file = put('t.csv', ...CSV);
    const all = await godwit(['trace', 'info', file, '--json', '--max-file', 'none']);
    expect(JSON.parse(all.stdout)).toMatchObject({ records: 4, dropped: 0, bytesWritten: 1 });
    const few = await godwit(['trace', 'info', file, '--json', '--max-file', '999']);
    expect(JSON.parse(few.stdout)).toMatchObject({ records: 0, dropped: 4 });
  });

  it('prints a text for people', async () => {
    const { stdout } = await godwit(['trace', 'info', put('t.csv', ...CSV)]);
    expect(stdout).toBe(
      [
        'CSV of Process Monitor: 3 operations in 1.500 s',
        'by 1 process on 1 file',
        'read 1.0 KB, written 0 B; sizes of what was there before: 1.0 KB',
        '1 operation on larger files dropped; --max-file none takes all',
        '1 row of something else left out\n',
      ].join('\n'),
    );
  });

  it('leaves out bad lines only on request', async () => {
    const file = put('t.csv', ...CSV, 'x,y');
    const refused = await godwit(['trace', 'info', file]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^godwit: .*t\.csv: line 7: expected 7 columns; mend .*\n$/);
    const told = await godwit(['trace', 'info', file, '--skip-bad']);
    expect(told.code).toBe(0);
    expect(told.stdout).toMatch(
      /\n1 bad line left out, such as\n {2}line 7: expected 7 columns\n$/,
    );
  });

  test.each<[string, string[], string]>([
    ['of something else', ['hello'], 'expected a trace of Godwit, a CSV of Process Monitor, or'],
    ['with nothing in it', [], 'expected a trace of Godwit, a CSV of Process Monitor, or'],
    [
      'of the registry alone',
      [CSV[0] ?? '', CSV[3] ?? ''],
      'nothing to replay: all 1 rows are of something else',
    ],
    ['without rows', [CSV[0] ?? ''], 'nothing to replay: it is empty'],
  ])('refuses a file %s', async (_name, lines, message) => {
    const { code, stderr } = await godwit(['trace', 'info', put('t', ...lines)]);
    expect([code, stderr.split('\n').length]).toEqual([1, 2]);
    expect(stderr).toContain(message);
  });

  it('refuses a missing path and a folder', async () => {
    const gone = await godwit(['trace', 'info', join(folder, 'gone')]);
    expect(gone.code).toBe(3);
    expect(gone.stderr).toContain('gone: there is no such file');
    expect((await godwit(['trace', 'info', folder])).stderr).toContain('expected a file');
    expect((await godwit(['trace'])).code).toBe(2);
  });
});

describe('godwit trace convert', () => {
  it('writes a trace with the same contents', async () => {
    const out = join(folder, 'out');
    const file = put('t.txt', ...STRACE);
    expect((await godwit(['trace', 'convert', file, out, '--cwd', '/w'])).stdout).toBe(
      `${out}: 3 records\n`,
    );
    expect(readFileSync(out, 'utf8')).toBe(
      [
        '{"godwit-trace":2,"source":"strace"}',
        '{"at":0,"pid":7,"op":"open","path":"/w/x","flags":["read"]}',
        '{"at":250000,"pid":7,"op":"read","path":"/w/x","offset":0,"length":9}',
        '{"at":250000,"pid":7,"op":"close","path":"/w/x"}\n',
      ].join('\n'),
    );
    const info = async (name: string): Promise<object> =>
      JSON.parse((await godwit(['trace', 'info', name, '--json'])).stdout) as object;
    expect(await info(out)).toEqual({ ...(await info(file)), format: 'godwit' });
  });

  it('names the machine of records that name none, and of no others', async () => {
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    await godwit(['trace', 'convert', put('t.txt', ...STRACE), one, '--machine', 'ada']);
    expect(readFileSync(one, 'utf8')).toContain('{"at":0,"client":"ada","pid":7,"op":"open"');
    await godwit(['trace', 'convert', one, two, '--machine', 'bob']);
    expect(readFileSync(two, 'utf8')).toBe(readFileSync(one, 'utf8'));
    const info = await godwit(['trace', 'info', two]);
    expect(info.stdout).toContain('by 1 process of 1 machine on 1 file');
    const refused = await godwit(['trace', 'info', two, '--machine', '']);
    expect([refused.code, refused.stderr.split('\n').length]).toEqual([2, 2]);
  });

  it('replaces nothing unless it is asked to, and leaves no half file', async () => {
    const out = put('out', 'mine');
    const file = put('t.txt', ...STRACE);
    const refused = await godwit(['trace', 'convert', file, out]);
    expect([refused.code, readFileSync(out, 'utf8')]).toEqual([1, 'mine\n']);
    expect(refused.stderr).toContain('out: there is a file or folder of that name already');
    const bad = put('bad.txt', ...STRACE, 'x');
    expect((await godwit(['trace', 'convert', bad, join(folder, 'new')])).code).toBe(1);
    expect(existsSync(join(folder, 'new'))).toBe(false);
    expect((await godwit(['trace', 'convert', file, out, '--replace'])).code).toBe(0);
    expect((await godwit(['trace', 'convert', out, out, '--replace'])).code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['bad.txt', 'out', 't.txt']);
  });
});

describe('godwit trace generate', () => {
  const generate = (out: string, ...more: string[]) =>
    godwit(['trace', 'generate', 'mostly-reads', join(folder, out), ...more]);

  it('makes the same bytes from the same seed and others from another', async () => {
    expect((await generate('a', '--seed', '5')).code).toBe(0);
    await generate('b', '--seed', '5');
    await generate('c', '--seed', '6');
    const [a, b, c] = ['a', 'b', 'c'].map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(b).toBe(a);
    expect(c).not.toBe(a);
  });

  it('makes a trace that `info` counts as in table 3', async () => {
    await generate('a');
    const { stdout } = await godwit(['trace', 'info', join(folder, 'a'), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ seconds: 101, processes: 25, files: 2952, dropped: 0, groups: 0 },
      ...{ bytesRead: Math.round(10.82 * 1024 ** 2), bytesWritten: Math.round(3.44 * 1024 ** 2) },
    });
  });

  it('keeps file groups, also through a conversion', async () => {
    const [made, copy] = [join(folder, 'a'), join(folder, 'b')];
    await godwit(['trace', 'generate', 'bad-groups', made]);
    await godwit(['trace', 'convert', made, copy]);
    expect(readFileSync(copy, 'utf8')).toBe(readFileSync(made, 'utf8'));
    await godwit(['trace', 'convert', made, copy, '--replace', '--max-file', 'none']);
    expect(readFileSync(copy, 'utf8')).toBe(readFileSync(made, 'utf8'));
    const { stdout } = await godwit(['trace', 'info', made, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ files: 32, groups: 16 });
  });

  it('makes lookups of many machines, some by processes that migrated', async () => {
    const out = join(folder, 'a');
    await godwit(['trace', 'generate', 'lookups', out]);
    const { stdout } = await godwit(['trace', 'info', out, '--json']);
    const { clients } = JSON.parse(stdout) as { clients: number };
    expect(clients).toBeGreaterThan(30);
    expect(readFileSync(out, 'utf8')).toMatch(/"client":"machine-\d\d","home":"machine-\d\d"/);
  });

  it('lists the existing workloads', async () => {
    const { code, stderr } = await godwit(['trace', 'generate', 'mostly', join(folder, 'a')]);
    expect([code, existsSync(join(folder, 'a'))]).toEqual([2, false]);
    expect(stderr).toMatch(
      /^godwit: mostly: no workload; there are mostly-reads, .*consistency, consistency-many, lookups; /,
    );
  });
});

describe('godwit trace record', () => {
  let control: FakeControl;
  beforeEach(async () => {
    control = new FakeControl();
    await control.start();
  });
  afterEach(() => control.close());

  /** Begins one, and gives what it comes to when it is interrupted. */
  async function recording(out: string, ...more: string[]) {
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const { recorder } = control;
    const begin = recorder.begin.bind(recorder);
    recorder.begin = () => {
      resolve();
      return begin();
    };
    const interruption = new Interruption();
    const args = ['trace', 'record', out, '--data', control.data, ...more];
    const run = godwitUntil(args, interruption, new PassThrough());
    await begun;
    return {
      end: () => {
        interruption.interrupt();
        return run;
      },
      run,
    };
  }

  async function useVolume(): Promise<void> {
    const client = ControlClient.of(control.data);
    const [volume] = await client.fileSystem.volumes();
    if (volume === undefined) throw new Error('no volume');
    const { fid } = await client.fileSystem.create(volume.root, 'a', { mode: 0o644 });
    const file = await client.fileSystem.open(fid, { mode: 'write', truncate: true });
    await client.fileSystem.close(file.handle, {});
    client.close();
  }

  it('writes what programs do until it is interrupted', async () => {
    const out = join(folder, 'out');
    const { end } = await recording(out, '--json');
    await useVolume();
    const { code, stdout } = await end();
    expect([code, JSON.parse(stdout)]).toEqual([0, { file: out, records: 5, lost: 0 }]);
    const info = await godwit(['trace', 'info', out, '--json']);
    expect(JSON.parse(info.stdout)).toMatchObject({ records: 5, processes: 1, files: 1 });
    expect(control.recorder.isOn).toBe(false);
  });

  it('keeps its records when the daemon ends', async () => {
    const out = join(folder, 'out');
    const { run } = await recording(out);
    await useVolume();
    control.recorder.close();
    const { code, stderr } = await run;
    expect(code).toBe(5);
    expect(stderr).toMatch(/the daemon ends; .*out has the 5 records until then/);
    expect(readFileSync(out, 'utf8').split('\n')).toHaveLength(7);
  });

  it('reports what the daemon had to leave out', async () => {
    const out = join(folder, 'out');
    const { end } = await recording(out);
    for (let count = 0; count < 20_005; count++) {
      control.recorder.note({ pid: 1 }, { op: 'getattr', path: '/a' });
    }
    const { stdout } = await end();
    const [, records, lost] =
      /: (\d+) records, (\d+) operations missed\n$/.exec(stdout.replaceAll(/(\d),(\d)/g, '$1$2')) ??
      [];
    expect(Number(lost)).toBeGreaterThan(0);
    expect(Number(records) + Number(lost)).toBe(20_005);
    const info = await godwit(['trace', 'info', out, '--json']);
    expect(JSON.parse(info.stdout)).toMatchObject({ records: Number(records), lost: Number(lost) });
  });

  it('starts nothing when the file exists or no daemon runs', async () => {
    const out = put('out', 'mine');
    const there = await godwit(['trace', 'record', out, '--data', control.data]);
    expect([there.code, control.recorder.isOn]).toEqual([1, false]);
    const none = await godwit(['trace', 'record', join(folder, 'new'), '--data', folder]);
    expect([none.code, existsSync(join(folder, 'new'))]).toEqual([5, false]);
  });
});
