import { describe, expect, it } from '@jest/globals';
import type { Finding } from '../check/finding.ts';
import type { Report } from '../run/run-plan.ts';
import type { Failure } from '../shorten/failure.ts';
import { planOf } from '../simulation.ts';
import { CrewMember, WorkerLost } from './crew.ts';
import type { ShortenedFolder } from './folder-world.ts';
import { Hunt } from './hunt.ts';
import type { Worker, HuntOptions } from './hunt.ts';
import type { Answer, Request } from './worker-messages.ts';

const MAKING = { steps: 20, faults: [] };
const LOST: Finding = { checker: 'nothing is lost', text: 'a byte' };
const BROKE: Finding = { checker: 'the end', text: 'Error: no\n  at once' };

function reportOf(seed: number, findings: readonly Finding[]): Report {
  return { seed, digest: `d${seed}`, findings, steps: 10, operations: 20, events: 1, virtualMs: 1 };
}

/** Workers that find what a table says; they note what they are asked. */
function hands(found: Readonly<Record<number, Finding | 'dies'>>) {
  const asked: Array<Exclude<Request, { do: 'sequences' }>> = [];
  const hand: Worker = {
    ask: (request): Promise<Answer> => {
      if (request.do === 'sequences') return Promise.reject(new WorkerLost('not of a hunt'));
      asked.push(request);
      const { seed } = request;
      const what = found[seed];
      if (what === 'dies') return Promise.reject(new WorkerLost('out of memory'));
      const report = reportOf(seed, what === undefined ? [] : [what]);
      if (request.do === 'run') return Promise.resolve({ did: 'run', report });
      const shortened = { plan: planOf({ seed, steps: 1 }), runs: 3, done: true };
      const failure = { findings: report.findings, shortened, report, entries: 9 };
      return Promise.resolve({ did: 'examine', failure });
    },
    end: () => Promise.resolve(),
  };
  return { asked, hire: () => hand };
}

interface Found {
  readonly seed: number;
  readonly failure: Failure | ShortenedFolder | null;
}

function huntOf(options: Partial<HuntOptions>): { readonly hunt: Hunt; readonly found: Found[] } {
  const found: Found[] = [];
  const hunt = new Hunt({
    making: MAKING,
    workers: 2,
    minutes: null,
    range: { from: 1, count: 10 },
    shortenRuns: 5,
    signal: new AbortController().signal,
    failed: ({ seed }, failure) => found.push({ seed, failure }),
    ...options,
  });
  return { hunt, found };
}

describe('a hunt over seeds', () => {
  it('runs each seed of its range once', async () => {
    const { asked, hire } = hands({});
    const { hunt } = huntOf({ hire });
    await hunt.run();
    const seeds = asked.map(({ seed }) => seed).sort((a, b) => a - b);
    expect(seeds).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(hunt.totals).toEqual({
      seeds: 10,
      steps: 100,
      operations: 200,
      failing: [],
      failures: 0,
    });
  });

  it('shortens the first failure of each kind and reports all of them', async () => {
    const { asked, hire } = hands({ 2: LOST, 3: LOST, 7: BROKE });
    const { hunt, found } = huntOf({ hire, workers: 1 });
    await hunt.run();
    const shortened = found.map(({ seed, failure }) => [seed, failure !== null]);
    expect(shortened).toEqual([
      [2, true],
      [3, false],
      [7, true],
    ]);
    expect(asked.filter((one) => one.do === 'examine')).toMatchObject([
      { seed: 2, mostRuns: 5, until: null },
      { seed: 7 },
    ]);
    expect(hunt.totals).toMatchObject({ seeds: 10, failures: 3 });
  });

  it('counts a worker that died as a finding of its seed and continues', async () => {
    const { hire } = hands({ 4: 'dies' });
    const { hunt, found } = huntOf({ hire });
    await hunt.run();
    expect(found).toEqual([{ seed: 4, failure: null }]);
    expect(hunt.totals.seeds).toBe(10);
    expect(hunt.totals.failing[0]?.findings[0]?.text).toBe('out of memory');
  });

  it('ends after its time, with random seeds', async () => {
    const { asked, hire } = hands({});
    const { hunt } = huntOf({ hire, range: null, minutes: 0.001 });
    await hunt.run();
    expect(asked.length).toBeGreaterThan(1);
    expect(hunt.seconds).toBeLessThan(30);
  });

  it('ends with the totals so far when it is interrupted', async () => {
    const controller = new AbortController();
    const { hire } = hands({ 3: LOST });
    const failed = (): void => controller.abort();
    const { hunt } = huntOf({ hire, workers: 1, signal: controller.signal, failed });
    await hunt.run();
    expect(hunt.totals).toMatchObject({ seeds: 3, failures: 1 });
  });

  it('ends at once for threads in the middle of a run', async () => {
    const controller = new AbortController();
    const making = { steps: 50_000, faults: [] };
    const { hunt } = huntOf({ making, signal: controller.signal });
    const running = hunt.run();
    controller.abort();
    await running;
    expect(hunt.totals.seeds).toBe(0);
  });
});

describe('a worker of a hunt', () => {
  it('is given up when it does not answer, and can work again', async () => {
    const patience = { run: 1, examine: 60_000, sequences: 0 };
    const member = new CrewMember({ steps: 5, faults: [] }, patience);
    await expect(member.ask({ do: 'run', seed: 1 })).rejects.toThrow(WorkerLost);
    patience.run = 60_000;
    expect(await member.ask({ do: 'run', seed: 1 })).toMatchObject({ did: 'run' });
    await member.end();
  });
});
