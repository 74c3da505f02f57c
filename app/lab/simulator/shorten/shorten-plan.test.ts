import { describe, expect, it } from '@jest/globals';
import type { Finding } from '../check/finding.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { Plan, PlanEntry } from '../plan/plan.ts';
import { kindOf, shortenPlan } from './shorten-plan.ts';
import type { ShortenOptions } from './shorten-plan.ts';

const CHECKER = 'all is well';
const PLENTY: ShortenOptions = { mostRuns: 2_000 };

const entry = (number: number, laptop: number, operation: FileOperation): PlanEntry => ({
  at: 137 * number,
  kind: 'operation',
  number,
  laptop,
  operation,
});

const laptop = { volume: 1, rights: 'write', frontEnd: 'folder' } as const;

const PLAN: Plan = {
  seed: 3,
  settings: {
    laptops: [laptop, { ...laptop, joinsAtMs: 5, user: 'u' }, laptop],
    diskMs: 20,
    network: { delayMs: 80, bytesPerSecond: 50_000 },
  },
  entries: [
    ...Array.from({ length: 30 }, (_, i) =>
      entry(i, i % 2, { do: 'safe-save', path: `/${i}`, bytes: 2_000 }),
    ),
    { at: 5_000, kind: 'fault', fault: { family: 'cut', laptop: 2, way: 'up', lastsMs: 40_000 } },
    entry(40, 2, { do: 'read', path: '/a' }),
  ],
};

const finding = (text: string, checker = CHECKER): Finding => ({ checker, text });

/** Fails where laptop 2 or what is left of it is cut off for a second and reads. */
const cutReader = ({ entries }: Plan): Promise<Finding[]> => {
  const cut = entries.some(({ ...one }) => one.kind === 'fault' && one.fault.lastsMs >= 1_000);
  const read = entries.some((one) => one.kind === 'operation' && one.operation.do === 'read');
  return Promise.resolve(cut && read ? [finding('late')] : [finding('other', 'something else')]);
};

describe('the shortening of a plan', () => {
  it('leaves what is needed in the plainest world', async () => {
    const { plan, done } = await shortenPlan(PLAN, CHECKER, cutReader, PLENTY);
    expect(done).toBe(true);
    expect(plan).toEqual({
      seed: 3,
      settings: { laptops: [laptop], diskMs: 0, network: { delayMs: 1, bytesPerSecond: null } },
      entries: [
        {
          at: 0,
          kind: 'fault',
          fault: { family: 'cut', laptop: 0, way: 'up', lastsMs: expect.any(Number) },
        },
        { ...entry(40, 0, { do: 'read', path: '/a' }), at: 0 },
      ],
    });
    const [cut] = plan.entries;
    expect(cut?.kind === 'fault' && cut.fault.lastsMs).toBeLessThan(2_000);
  });

  it('simplifies operations that may be simpler', async () => {
    const saves = ({ entries }: Plan): Promise<Finding[]> => {
      const found = entries.some((one) => one.kind === 'operation' && one.laptop === 1);
      return Promise.resolve(found ? [finding('x')] : []);
    };
    const { plan } = await shortenPlan(PLAN, CHECKER, saves, PLENTY);
    expect(plan.settings.laptops).toHaveLength(2);
    expect(plan.settings.laptops[1]).toEqual(laptop);
    expect(plan.entries).toMatchObject([{ at: 0, operation: { do: 'write', bytes: 0 } }]);
  });

  it('ends after a number of runs and reports that', async () => {
    let runs = 0;
    const counted = (plan: Plan): Promise<Finding[]> => {
      runs += 1;
      return cutReader(plan);
    };
    const shortened = await shortenPlan(PLAN, CHECKER, counted, { mostRuns: 7 });
    expect(shortened).toMatchObject({ runs: 7, done: false });
    expect(runs).toBe(7);
  });

  it('ends when its user has waited enough, and makes no run when none is wanted', async () => {
    let left = 3;
    const enough = (): boolean => left-- === 0;
    const impatient = await shortenPlan(PLAN, CHECKER, cutReader, { ...PLENTY, enough });
    expect(impatient).toMatchObject({ runs: 3, done: false });
    const none = await shortenPlan(PLAN, CHECKER, cutReader, { mostRuns: 0 });
    expect(none).toEqual({ plan: PLAN, runs: 0, done: false });
  });

  it('never mistakes another failure for its own', async () => {
    const { plan } = await shortenPlan(PLAN, CHECKER, cutReader, PLENTY);
    expect(await cutReader(plan)).toEqual([finding('late')]);
  });
});

describe('the kind of a finding', () => {
  it('is its checker, whatever its text', () => {
    expect(kindOf(finding('ada lost /x'))).toBe(kindOf(finding('bob lost /y')));
  });

  it('includes what broke when a program did', () => {
    const [one, same, other] = [
      'Error: a 12\n at x',
      'Error: a 7\n at y',
      'Error: b 12\n at x',
    ].map((text) => kindOf(finding(text)));
    expect(one).toBe(same);
    expect(one).not.toBe(other);
  });
});
