/** `godwit bench ingest` with sizes too small to measure anything: its output, and that it leaves nothing behind, however it ends. */
import { readdirSync, watch } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bench, outputOf, textOf, type Run } from '../support/bench.ts';

let bench: Bench;
let env: { TMPDIR: string };
beforeAll(() => {
  bench = new Bench();
  env = { TMPDIR: bench.root };
});
afterAll(() => bench.close());

const ingest = (...args: string[]) => bench.godwit(['bench', 'ingest', ...args], { env });

/** The folders of the bench, and the processes that work in them. */
function left(): string[] {
  const folders = readdirSync(bench.root).filter((name) => /^godwit-(ingest|plain)/.test(name));
  const processes = readdirSync('/proc').filter((name) =>
    textOf(`/proc/${name}/cmdline`)?.includes(`${bench.root}/godwit-ingest`),
  );
  return [...folders, ...processes];
}

function expectObject({ code, stdout, stderr }: Run): void {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { figures, settings, machine } = JSON.parse(stdout) as Record<string, unknown>;
  const figure = (name: string, unit: string, target: number | null, wanted: string) =>
    expect.objectContaining({ name, unit, target, wanted });
  expect(figures).toEqual([
    figure('files', 'files/s', 1000, 'least'),
    figure('idle', '%', 0.5, 'most'),
    figure('memory', 'MB', 200, 'most'),
    figure('large', 'MB/s', 250, 'least'),
    figure('largeClosed', 'MB/s', null, 'most'),
    figure('plainFiles', 'files/s', null, 'most'),
    figure('plainLarge', 'MB/s', null, 'most'),
  ]);
  const value: unknown = expect.any(Number);
  expect(settings).toEqual({ files: 30, size: 4096, large: 2 ** 20, known: 0, idleSeconds: 1 });
  expect(machine).toEqual({ cores: value, loadBefore: value });
}

function expectTable({ code, stdout, stderr }: Run): void {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [head, titles, ...rows] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^\d+ cores?, load before: /);
  expect(titles).toMatch(/^figure +measured +target$/);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatch(/^start with 20 known files, .* at most 5 s +(met|missed)$/);
  expect(rows[1]).toMatch(/^resident memory with 20 files .* at most 200 MB +(met|missed)$/);
}

describe('godwit bench ingest', () => {
  it('compares every figure with its target, as JSON and as text', async () => {
    const sizes = ['--files=30', '--large=1MiB', '--known=0', '--idle=1s'];
    const [told, shown] = await Promise.all([
      ingest(...sizes, '--json'),
      ingest('--files=0', '--large=0', '--known=20', '--idle=0'),
    ]);
    expectObject(told);
    expectTable(shown);
    expect(left()).toEqual([]);
  });

  it('ends on a signal and leaves nothing behind', async () => {
    const child = bench.start(['bench', 'ingest', '--known=0', '--idle=1h'], env);
    const ended = outputOf(child);
    const begun = new Promise<void>((resolve) => {
      const watcher = watch(bench.root, { recursive: true }, (_event, name) => {
        if (name?.endsWith('file 0') !== true) return;
        watcher.close();
        resolve();
      });
    });
    await begun;
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(5);
    expect(stderr).toMatch(/^godwit: bench: interrupted; .*\n$/);
    expect(left()).toEqual([]);
  });
});
