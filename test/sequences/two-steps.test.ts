/**
 * Sequences of two operations, with a crash at a step, have no findings.
 *
 * Here runs every eighth of them. The sequences of a pair of operations are an odd number, so eight pairs one after the other have each
 * kind of crash once. `npm run sequences` runs them all; those of one operation run in every-sequence.test.ts.
 */
import { describe, expect, it } from '@jest/globals';
import type { CheckerKind } from '../../app/lab/simulator/check/checker.ts';
import { runSequences } from '../../app/lab/simulator/run/run-sequences.ts';
import { ALPHABET, sequences } from '../../app/lab/simulator/workload/sequences.ts';
import type { Sequence } from '../../app/lab/simulator/workload/sequences.ts';

const [first] = sequences(1);
const two = [...sequences(2)];
const ONE_OF = 8;
const sample = two.filter((_, i) => i % ONE_OF === 0);

async function found(cases: readonly Sequence[], checkers?: readonly CheckerKind[]) {
  const { failures } = await runSequences(cases, checkers === undefined ? {} : { checkers });
  return failures.map(({ sequence, report }) => [sequence.name, report.findings]);
}

describe('sequences of two operations', () => {
  it.each(
    ALPHABET.map(({ name }) => {
      const cases = sample.filter((sequence) => sequence.name.startsWith(`A: ${name},`));
      return { name, count: cases.length, cases };
    }),
  )('cause no finding in $count cases that begin with "$name"', async ({ cases }) => {
    expect(cases.length).toBeGreaterThan(90);
    expect(await found(cases)).toEqual([]);
  });

  it('include here each pair of operations several times, and each kind of crash', () => {
    const counted = (cases: readonly Sequence[], part: (name: string) => string) => {
      const counts = new Map<string, number>();
      for (const { name } of cases) counts.set(part(name), (counts.get(part(name)) ?? 0) + 1);
      return counts;
    };
    const pair = (name: string): string => name.replace(/;.*/, '').replaceAll(/[AB]: /g, '');
    const crash = (name: string): string => `${name.replaceAll(/: [^,;]*/g, '')}`;
    for (const [part, least] of [
      [pair, 7],
      [crash, 21],
    ] as const) {
      const [some, all] = [counted(sample, part), counted(two, part)];
      expect([...some.keys()].sort()).toEqual([...all.keys()].sort());
      expect(Math.min(...some.values())).toBeGreaterThanOrEqual(least);
    }
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
    expect(await found(first === undefined ? [] : [first], [complains])).toEqual([
      [first?.name, [{ checker: 'complains', text: 'of everything' }]],
    ]);
  });
});
