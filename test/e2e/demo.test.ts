/** The demo with the tree that it makes, which people run to see whether everything works. */
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bench, outputOf } from '../support/bench.ts';

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.close());

const left = (): string[] =>
  readdirSync(bench.root).filter((name) => name.startsWith('godwit-demo'));

describe('godwit demo', () => {
  it('holds in every comparison and leaves nothing behind', async () => {
    const env = { TMPDIR: bench.root };
    const { code, stdout } = await bench.godwit(['demo', '--away', '2', '--json'], { env });
    const { ok, steps } = JSON.parse(stdout) as {
      ok: boolean;
      steps: Array<{ title: string; items: number; faults: string[] }>;
    };
    expect(steps.flatMap(({ faults }) => faults)).toEqual([]);
    expect(steps.length).toBeGreaterThanOrEqual(7);
    expect(steps.every(({ items }) => items > 500)).toBe(true);
    expect({ ok, code }).toEqual({ ok: true, code: 0 });
    expect(left()).toEqual([]);
  });

  it('ends on a signal and leaves nothing behind', async () => {
    expect(tmpdir()).not.toBe(bench.root);
    const child = bench.start(['demo'], { TMPDIR: bench.root });
    const ended = outputOf(child);
    await new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()));
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(5);
    expect(stderr).toMatch(/interrupted/);
    expect(left()).toEqual([]);
  });
});
