/** `godwit bench delay` with times too short to measure anything: its output for each network. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, watch } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tbfUnavailable } from '../../app/lab/bench/link/tbf-line.ts';
import { Bench, outputOf } from '../support/bench.ts';

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.close());

const ONE = ['bench', 'delay', '--rates=1MB/s', '--queues=100ms', '--rtts=10ms', '--time=0.5s'];

describe('godwit bench delay', () => {
  it('reports both directions of a link, and changing links', async () => {
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

  it('prints a table, also for a link without priorities', async () => {
    const { code, stdout } = await bench.godwit([...ONE, '--uniform']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /single runs\nKB\/s +queue +RTT .*\n1000 +100 ms +10 ms +up .* (met|missed)\n$/,
    );
  });
});

describe('godwit bench delay --rival', () => {
  const why = tbfUnavailable();
  const RIVAL = ['bench', 'delay', '--rival', '--rates=1MB/s', '--queues=100ms'];
  const inFolder = (...args: string[]) => {
    const TMPDIR = bench.path('rival');
    mkdirSync(TMPDIR, { recursive: true });
    const child = bench.start([...RIVAL, ...args], { TMPDIR });
    const left = (): string[] => {
      const spaces = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' }).stdout;
      const ours = spaces.split('\n').filter((name) => name.startsWith(`godwit-${child.pid}-`));
      return [...ours, ...readdirSync(TMPDIR)];
    };
    return { child, left, ended: outputOf(child), folder: TMPDIR };
  };

  it('measures a link shared with TCP in both directions, or explains why it cannot', async () => {
    const { ended, left } = inFolder('--bulk=both', '--time=0.5s', '--json');
    const { code, stdout } = await ended;
    if (why !== null) {
      expect(code).toBe(2);
      expect(stdout).toContain(`--rival: ${why}; leave it out`);
      return;
    }
    const number: unknown = expect.any(Number);
    const delays = { p50Ms: number, p95Ms: number, mostMs: number, unanswered: number };
    const alone = { tcp: number, bulk: null };
    const both = { tcp: number, bulk: number };
    const { figures, settings } = JSON.parse(stdout) as Record<string, unknown>;
    expect(figures).toEqual([
      expect.objectContaining({
        direction: 'both',
        queueBytes: 100_000,
        idleMs: number,
        besideTcp: expect.objectContaining({ ...delays, up: alone, down: alone }) as unknown,
        besideBoth: expect.objectContaining({ ...delays, up: both, down: both }) as unknown,
      }),
    ]);
    const [{ besideTcp }] = figures as [{ besideTcp: Record<'up' | 'down', { tcp: number }> }];
    expect(besideTcp.up.tcp).toBeGreaterThan(0);
    expect(besideTcp.down.tcp).toBeGreaterThan(0);
    expect(settings).toMatchObject({ rival: 'cubic', scheduling: 'priorities', ms: 500 });
    expect(left()).toEqual([]);
  });

  it('ends on a signal and leaves nothing behind', async () => {
    if (why !== null) return expect(why).toMatch(/Linux|root|iproute2/);
    const { child, ended, left, folder } = inFolder();
    const begun = new Promise<void>((resolve) => {
      const watcher = watch(folder, { recursive: true }, (_event, name) => {
        if (name?.endsWith('call') !== true) return;
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
