/** `godwit bench link` with times too short to measure anything: its output, and that it leaves nothing behind. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TbfPath } from '../../app/lab/bench/link/tbf-line.ts';
import { Bench, outputOf } from '../support/bench.ts';

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.close());

const namespaces = (): string =>
  spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' }).stdout ?? '';

describe('godwit bench link', () => {
  it("compares measured with requested conditions, and with the kernel's where possible", async () => {
    const sizes = ['--rates=1MB/s', '--delays=5ms', '--time=0.3s'];
    const child = bench.start(['bench', 'link', ...sizes, '--tbf', '--json']);
    const told = JSON.parse((await outputOf(child)).stdout) as Record<string, unknown>;
    const number: unknown = expect.any(Number);
    const figure = { askedBytesPerSecond: 1e6, seenBytesPerSecond: number, tookMs: number };
    const rates = told['rates'] as Array<Record<string, unknown>>;
    expect(rates[0]).toMatchObject({ ...figure, shaper: 'relay', expectedMs: number });
    expect(rates[0]?.['seenBytesPerSecond']).toBeGreaterThan(0);
    if (told['skipped'] === null)
      expect(rates[1]).toMatchObject({ ...figure, shaper: 'tbf', met: null });
    else expect(told['skipped']).toMatch(/\S/);
    expect(told['delays']).toEqual([expect.objectContaining({ askedMs: 5, seenMs: number })]);
    expect(namespaces()).not.toContain(`godwit-${child.pid}-`);
  });

  it('prints a table for people', async () => {
    const args = ['bench', 'link', '--rates=1MB/s', '--delays=1ms', '--time=0.2s'];
    const { code, stdout } = await bench.godwit(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^shaper +B\/s asked .*\nrelay +1000000 .* (met|missed)\n\ndelay asked/);
  });
});

describe('a link that the kernel shapes', () => {
  it('exists or is explained as missing, and is gone after it is closed', () => {
    const line = TbfPath.open();
    if (typeof line === 'string') return expect(line).toMatch(/Linux|root|iproute2|\S/);
    const name = line.sender.at(-1) ?? '';
    expect(namespaces()).toContain(name);
    expect(line.shape(65_536, 3000, 6000)).toBeNull();
    expect(line.shape(65_536, 3000, -1)).not.toBeNull();
    line.close();
    expect(namespaces()).not.toContain(name);
  });
});
