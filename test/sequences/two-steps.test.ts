/** Every sequence of up to two operations, with every crash at every step, has no findings. */
import { describe, expect, it } from '@jest/globals';
import type { CheckerKind } from '../../app/lab/simulator/check/checker.ts';
import { runSequences } from '../../app/lab/simulator/run/run-sequences.ts';
import { ALPHABET, sequences } from '../../app/lab/simulator/workload/sequences.ts';
import type { Sequence } from '../../app/lab/simulator/workload/sequences.ts';

const one = [...sequences(1)];
const two = [...sequences(2)];

async function found(cases: readonly Sequence[], checkers?: readonly CheckerKind[]) {
  const { failures } = await runSequences(cases, checkers === undefined ? {} : { checkers });
  return failures.map(({ sequence, report }) => [sequence.name, report.findings]);
}

describe('sequences of one operation', () => {
  it(`cause no finding in ${one.length} cases`, async () => {
    expect(await found(one)).toEqual([]);
  });
});

describe('sequences of two operations', () => {
  it.each(
    ALPHABET.map(({ name }) => {
      const cases = two.filter((sequence) => sequence.name.startsWith(`A: ${name},`));
      return { name, count: cases.length, cases };
    }),
  )('cause no finding in $count cases that begin with "$name"', async ({ cases }) => {
    expect(cases.length).toBeGreaterThan(500);
    expect(await found(cases)).toEqual([]);
  });

  it('have names that are all different', () => {
    expect(new Set(two.map(({ name }) => name)).size).toBe(two.length);
  });

  it('crash at the step in their name', async () => {
    const crashed = new Set<string>();
    const some = two.filter(({ name }) => name.startsWith('A: write a, B: write b;'));
    for (const sequence of some) {
      const watcher: CheckerKind = {
        name: 'watcher',
        make: () => ({
          hear: ({ kind }) => {
            if (kind === 'ended') crashed.add(sequence.name);
          },
        }),
      };
      expect(await found([sequence], [watcher])).toEqual([]);
    }
    const quiet = some.filter(({ name }) => !crashed.has(name)).map(({ name }) => name);
    expect(quiet).toEqual(some.map(({ name }) => name).filter((name) => name.endsWith('no crash')));
  });

  it('report what a checker finds', async () => {
    const complains: CheckerKind = {
      name: 'complains',
      make: (report) => ({ atRest: () => report('of everything') }),
    };
    expect(await found(one.slice(0, 1), [complains])).toEqual([
      [one[0]?.name, [{ checker: 'complains', text: 'of everything' }]],
    ]);
  });
});
