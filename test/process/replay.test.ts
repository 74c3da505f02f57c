/** `godwit replay` and an experiment of a paper, with traces too short to measure anything: their output, and that they leave nothing behind. */
import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bench, outputOf, textOf } from '../support/bench.ts';

let bench: Bench;
let env: { TMPDIR: string };
let trace: string;

const RECORDS = [
  { at: 0, pid: 1, op: 'open', path: '/d/there', size: 20_000, flags: ['read'] },
  { at: 1, pid: 1, op: 'read', path: '/d/there', offset: 0, length: 20_000 },
  { at: 2, pid: 1, op: 'close', path: '/d/there' },
  { at: 3, pid: 2, op: 'mkdir', path: '/made' },
  { at: 4, pid: 2, op: 'create', path: '/made/new' },
  { at: 5, pid: 2, op: 'write', path: '/made/new', offset: 0, length: 10_000 },
  { at: 6, pid: 2, op: 'close', path: '/made/new' },
  // The other laptop has sent it long before: the traced process thinks for three seconds.
  { at: 3_000_000, pid: 1, op: 'open', path: '/made/new', flags: ['read'] },
  { at: 3_000_001, pid: 1, op: 'close', path: '/made/new' },
];

beforeAll(() => {
  bench = new Bench();
  env = { TMPDIR: bench.root };
  trace = bench.path('small.trace');
  const lines = [{ 'godwit-trace': 1, source: 'test' }, ...RECORDS];
  writeFileSync(trace, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
});
afterAll(() => bench.close());

interface ReplayOutput {
  readonly result: Readonly<Record<string, unknown>>;
}

const run = (...args: string[]) => bench.godwit(args, { env });

async function replayed(...args: string[]): Promise<ReplayOutput['result']> {
  const { code, stdout, stderr } = await run('replay', trace, ...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as ReplayOutput).result;
}

/** The folders of a run, and the processes that work in them. */
function left(): string[] {
  const folders = readdirSync(bench.root).filter((name) => name.startsWith('godwit-replay'));
  const processes = readdirSync('/proc').filter((name) =>
    textOf(`/proc/${name}/cmdline`)?.includes(`${bench.root}/godwit-replay`),
  );
  return [...folders, ...processes];
}

describe('godwit replay', () => {
  // Real and simulated runs have the same results, except for times.
  const AS_TRACED = {
    ...{ steps: 9, unlike: 0, skipped: 0, staleReads: 0, cacheHits: 0, cacheMisses: 2 },
    ...{ readBytes: 20_000, writtenBytes: 10_000 },
  };

  it.each([
    ['with real processes', []],
    ['simulated', ['--simulate']],
  ])('repeats a trace on two laptops, %s', async (_, how) => {
    const result = await replayed('--link=1MiB/s', '--clients=2', ...how);
    expect(result).toMatchObject({ ...AS_TRACED, byLaptop: [{}, {}] });
    const { FETCH } = result['classes'] as Record<string, { downBytes: number }>;
    expect(FETCH?.downBytes).toBeGreaterThan(30_000);
    // Only a real machine has these, and only a relay counts them.
    const isReal = how.length === 0;
    expect(result['machine'] === null).toBe(!isReal);
    const [first] = result['byLaptop'] as [{ crossed: { packets: unknown } }];
    const counts = { crossed: expect.any(Number), dropped: expect.any(Number) };
    expect(first.crossed.packets).toEqual(isReal ? { up: counts, down: counts } : null);
    expect(left()).toEqual([]);
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const started = new Promise<void>((resolve) => {
      const watcher = watch(bench.root, (_, name) => {
        if (name?.startsWith('godwit-replay') !== true) return;
        watcher.close();
        resolve();
      });
    });
    const child = bench.start(['replay', trace, '--link=1KiB/s'], env);
    await started;
    child.kill('SIGINT');
    const { code, stderr } = await outputOf(child);
    expect(code).toBe(5);
    expect(stderr).toMatch(/^godwit: replay: interrupted; .*\n$/);
    expect(left()).toEqual([]);
  });

  it('writes a page that needs no network', async () => {
    const page = bench.path('report.html');
    const { code, stdout } = await run('replay', trace, '--simulate', '--html', page);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^.*small\.trace: 9 operations by 2 processes, simulated, seed 1\n/);
    expect(stdout).toMatch(/^over the line of laptop-1: up \d+\.\d KiB; down \d+\.\d KiB$/m);
    expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>/);
  });

  it.each<[string, number, string[], RegExp]>([
    ['no trace', 3, ['/nowhere'], /^godwit: \/nowhere: there is no such file/],
    ['a rate that is none', 2, ['read', '--link=fast'], /^godwit: link: fast: not a rate/],
    ['a rate of nothing', 2, ['read', '--link=0B/s'], /^godwit: link: at a rate of 0/],
    [
      'an unknown policy',
      2,
      ['read', '--policy=lazy'],
      /^godwit: --policy lazy: one of async, logging, sync/,
    ],
    ['too many laptops', 2, ['read', '--clients=65'], /^godwit: --clients 65: 64 at most/],
    ['no place for the page', 2, ['read', '--html=/nowhere/page'], /there is no folder \/nowhere/],
  ])('refuses %s in one line', async (_, exit, args, said) => {
    const { code, stdout, stderr } = await run('replay', ...args, '--simulate');
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({
      ...{ code: exit, stdout: '', lines: 2 },
    });
    expect(stderr).toMatch(said);
  });

  it('reports what was left out of a trace, also as JSON', async () => {
    const { code, stdout } = await run('replay', trace, '--max-file=9000', '--simulate', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      notes: [expect.stringMatching(/^\d+ operations on larger files dropped; --max-file none/)],
    });
  });

  it('reports where a trace is invalid, as `trace info` does', async () => {
    const bad = bench.path('bad.trace');
    writeFileSync(bad, '{"godwit-trace":1,"source":"test"}\n{"at":0,"pid":1,"op":"fly"}\n');
    const [info, replay] = [await run('trace', 'info', bad), await run('replay', bad)];
    expect(replay).toEqual(info);
    expect(replay.code).toBe(1);
  });
});

describe('an experiment of a paper', () => {
  it('prints its figures, says how many hold and names the misses', async () => {
    const json = bench.path('fig4.json');
    const args = ['fig4', '--simulate', '--bandwidth=1GiB/s', '--json', json];
    const { code, stdout } = await run('bench', ...args);
    expect(stdout).toMatch(/^\nFigure 4, grep\n +1048576 KB\/s, s\nas AFS +\d+\.\d\nours +\d/);
    const told = JSON.parse(readFileSync(json, 'utf8')) as {
      readonly checks: ReadonlyArray<{ readonly met: boolean; readonly what: string }>;
      readonly cells: readonly unknown[];
    };
    expect(told.cells).toHaveLength(2);
    const missed = told.checks.filter(({ met }) => !met).length;
    expect(code).toBe(missed === 0 ? 0 : 1);
    const [, met, of] = /(\d+) of (\d+) hold of what ours must show/.exec(stdout) ?? [];
    expect([Number(met), Number(of)]).toEqual([told.checks.length - missed, told.checks.length]);
    const named = told.checks.filter(({ what }) => stdout.includes(`\n  ${what}  `));
    expect(named).toEqual(told.checks.filter((check) => !check.met));
    expect(existsSync(json)).toBe(true);
  });

  it('runs a sample, and compares simulated with real runs at the costs of their machine', async () => {
    const [json, real] = [bench.path('sample.json'), bench.path('real.json')];
    const sample = ['fig4', '--simulate', '--bandwidth=64MiB/s', '--sample=1', '--json', json];
    const alone = await run('bench', ...sample);
    expect(alone).toMatchObject({ code: 0, stderr: '' });
    const told = JSON.parse(readFileSync(json, 'utf8')) as {
      readonly cells: ReadonlyArray<{ readonly cell: object; readonly runs: readonly object[] }>;
    };
    const [{ cell, runs } = { cell: {}, runs: [] }, ...others] = told.cells;
    expect([runs.length, others]).toEqual([1, []]);
    const against = async (machine: object | null): Promise<string> => {
      const measured = runs.map((each) => ({ ...each, machine }));
      const cells = [{ cell, runs: measured }];
      writeFileSync(real, JSON.stringify({ simulated: false, cells }));
      return (await run('bench', ...sample, '--against', real)).stdout;
    };
    expect(await against(null)).toMatch(/5 of 5 are within 10 %/);
    const slow = await against({ callMs: 20, syncMs: 0, writeMsPerMiB: 0 });
    expect(slow).toMatch(/[0-4] of 5 are within 10 %/);
    expect(slow).toMatch(/grep .* not to be quoted/);
  });

  it.each(['latency-under-load', 'roam'])('has no simulated form for %s', async (name) => {
    const { code, stdout, stderr } = await run('bench', name, '--simulate');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^godwit: bench [a-z-]+: it has no simulated form; leave out .*\n$/);
  });
});
