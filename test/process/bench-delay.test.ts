/** `godwit bench delay` with times that measure little: what it says of each line. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bench } from '../support/bench.ts';

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.close());

const ONE = ['bench', 'delay', '--rates=1MB/s', '--queues=100ms', '--rtts=10ms', '--time=0.5s'];

describe('godwit bench delay', () => {
  it('tells of both ways of a line, and of those that change', async () => {
    const told = await bench.json([...ONE, '--bulk=both', '--changing']);
    const number: unknown = expect.any(Number);
    const figures = told['figures'] as Array<Record<string, unknown>>;
    expect(figures.map(({ name }) => name)).toEqual(['', 'falls to a 16th', 'loses 1 %']);
    const [plain] = figures;
    expect(plain).toMatchObject({
      direction: 'both',
      roundTripMs: 10,
      idleMs: number,
      p95Ms: number,
    });
    expect(plain?.['idleMs']).toBeGreaterThanOrEqual(10);
    expect(plain?.['up']).toBeGreaterThan(0);
    expect(plain?.['down']).toBeGreaterThan(0);
    expect(told['settings']).toMatchObject({ scheduling: 'priorities', ms: 500 });
  });

  it('is a table for people, also of a link without priorities', async () => {
    const { code, stdout } = await bench.godwit([...ONE, '--uniform']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /single runs\nKB\/s +queue +RTT .*\n1000 +100 ms +10 ms +up .* (met|missed)\n$/,
    );
  });
});
