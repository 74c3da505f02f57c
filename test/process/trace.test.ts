/** `godwit trace` with real processes: what a daemon records of its folder and of programs, and what strace writes here. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { spawnDaemon } from '../../app/cli/children.ts';
import { waitForHello } from '../../app/cli/up/wait-for-hello.ts';
import { Bench, outputOf } from '../support/bench.ts';

/** The limit for a first answer: a server on this machine answers at once, but a busy machine takes longer. */
const HELLO_MS = 60_000;

let bench: Bench;
let laptop: { data: string; folder: string };

beforeAll(async () => {
  bench = new Bench();
  laptop = await bench.laptop('ann', await bench.invite(await bench.server()));
});
afterAll(() => bench.close());

interface Line {
  readonly pid: number;
  readonly program?: string;
  readonly op: string;
  readonly path?: string;
  readonly length?: number;
  readonly flags?: readonly string[];
}

function linesOf(file: string): Line[] {
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Starts a recording that lasts until it is interrupted. */
async function record(out: string): Promise<ChildProcess> {
  const child = bench.start(['trace', 'record', out, '--data', laptop.data]);
  // It reports that it has begun.
  await once(child.stderr as NodeJS.ReadableStream, 'data');
  return child;
}

async function end(child: ChildProcess): Promise<string> {
  const output = outputOf(child);
  child.kill('SIGINT');
  const { code, stdout } = await output;
  expect(code).toBe(0);
  return stdout;
}

describe('godwit trace record', () => {
  it('records what was seen in the folder and what programs did, without contents', async () => {
    const out = bench.path('trace');
    const child = await record(out);
    mkdirSync(join(laptop.folder, 'd'));
    writeFileSync(join(laptop.folder, 'd', 'seen.txt'), 'a secret');
    await bench.flush(laptop);
    rmSync(join(laptop.folder, 'd', 'seen.txt'));
    await bench.flush(laptop);
    await bench.godwit(['put', '-', '/put.txt', '--data', laptop.data], {
      stdin: 'another secret',
    });
    expect(await end(child)).toMatch(/trace: \d+ records\n$/);
    const lines = linesOf(out);
    const seen = lines.filter(({ program }) => program === 'folder');
    const ofProgram = lines.filter(({ pid }) => pid !== 0);
    const observed = (op: string, path: string) =>
      expect.objectContaining({ op, path, flags: ['observed'] });
    expect(seen).toEqual(
      expect.arrayContaining([
        observed('mkdir', 'd'),
        observed('create', 'seen.txt'),
        expect.objectContaining({ op: 'write', length: 8 }),
        observed('remove', 'seen.txt'),
      ]),
    );
    expect(ofProgram).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ op: 'create', path: 'put.txt' }),
        expect.objectContaining({ op: 'write', length: 14 }),
      ]),
    );
    expect(readFileSync(out, 'utf8')).not.toContain('secret');
    const told = await bench.json(['trace', 'info', out]);
    expect(told).toMatchObject({ records: lines.length, lost: 0, format: 'godwit' });
  });

  it('ends by itself after the given time', async () => {
    const told = await bench.json([
      ...['trace', 'record', bench.path('short'), '--for', '0.2s', '--data', laptop.data],
    ]);
    expect(told).toMatchObject({ lost: 0 });
  });

  it('keeps its records when the daemon ends', async () => {
    const out = bench.path('cut');
    const child = await record(out);
    const output = outputOf(child);
    await bench.godwit(['put', '-', '/last.txt', '--data', laptop.data], { stdin: 'x' });
    await bench.json(['down', '--data', laptop.data]);
    const { code, stderr } = await output;
    expect(code).toBe(5);
    expect(stderr).toMatch(/cut has the \d+ records until then/);
    expect(linesOf(out)).toEqual(
      expect.arrayContaining([expect.objectContaining({ op: 'create', path: 'last.txt' })]),
    );
  });
});

describe('a daemon without the laboratory', () => {
  it('refuses to record a trace with the reason', async () => {
    const started = spawnDaemon(laptop.data, { endsWithUs: true });
    await waitForHello(laptop.data, started, HELLO_MS);
    const out = bench.path('never');
    const { code, stderr } = await bench.godwit(['trace', 'record', out, '--data', laptop.data]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^godwit: [^\n]*without the laboratory[^\n]*`godwit up`\n$/),
    });
    expect(existsSync(out)).toBe(false);
    await bench.json(['down', '--data', laptop.data]);
    await started.ended;
  });
});

describe('a trace of strace', () => {
  const isThere = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
  const title = 'follows a shell with pipes, a subshell and redirections';
  test(isThere ? title : `${title} (not looked at: strace can not run here)`, async () => {
    if (!isThere) return expect(isThere).toBe(false);
    const [folder, log] = [bench.path('traced'), bench.path('log')];
    mkdirSync(folder);
    const script = [
      ...['echo hello > a; cat a a > b; (cd sub && cp ../b c); mv b d; rm a'],
      ...['head -c 100000 /dev/zero > big; cat big | tail -c 1 > /dev/null; mkdir e; rmdir e'],
    ];
    mkdirSync(join(folder, 'sub'));
    const args = ['-f', '-ttt', '-e', 'trace=file,desc', '-o', log, 'sh', '-c', script.join('\n')];
    expect(spawnSync('strace', args, { cwd: folder }).status).toBe(0);
    const out = bench.path('converted');
    await bench.json(['trace', 'convert', log, out, '--cwd', folder]);
    const inFolder = linesOf(out).filter(({ path = '' }) => path.startsWith(`${folder}/`));
    const bytes = (op: string, name: string): number =>
      inFolder
        .filter((line) => line.op === op && line.path === join(folder, name))
        .reduce((sum, { length = 0 }) => sum + length, 0);
    expect([bytes('write', 'a'), bytes('read', 'a')]).toEqual([6, 12]);
    expect([bytes('write', 'b'), bytes('read', 'b'), bytes('write', 'sub/c')]).toEqual([
      12, 12, 12,
    ]);
    expect([bytes('write', 'big'), bytes('read', 'big')]).toEqual([100_000, 100_000]);
    const done = (op: string, name: string, to?: string): boolean =>
      inFolder.some(
        (line) =>
          line.op === op &&
          line.path === join(folder, name) &&
          (to === undefined || (line as { to?: string }).to === join(folder, to)),
      );
    expect([
      done('rename', 'b', 'd'),
      done('remove', 'a'),
      done('mkdir', 'e'),
      done('rmdir', 'e'),
    ]).toEqual([true, true, true, true]);
    expect(existsSync(join(folder, 'd'))).toBe(true);
  });
});
