import { expect, it } from '@jest/globals';
import { digest, FILE, foundBy, statusOf } from '../../../test/support/observations.ts';
import { compare, convergence } from './convergence.ts';
import type { Shown } from './convergence.ts';

const shown = (by: string, letter: string): Shown => ({
  by,
  tree: new Map([['/doc', statusOf({ fid: FILE, digest: digest(letter) })]]),
});

function found(...all: Shown[]): string[] {
  const texts: string[] = [];
  compare(all, (text) => texts.push(text));
  return texts;
}

it('finds what two laptops do not show alike', () => {
  expect(found(shown('ada', 'a'), shown('bob', 'a'))).toEqual([]);
  expect(found(shown('ada', 'a'), shown('bob', 'b'))).toEqual([
    expect.stringContaining('/doc: ada'),
  ]);
  expect(found(shown('ada', 'a'), { by: 'bob', tree: new Map() })).toHaveLength(1);
});

it('finds that it takes too long', async () => {
  const settled = { kind: 'settled', boundMs: 90_000 } as const;
  expect(await foundBy(convergence, [{ ...settled, tookMs: 90_000 }])).toEqual([]);
  expect(await foundBy(convergence, [{ ...settled, tookMs: 90_001 }])).toHaveLength(1);
});
