import { describe, expect, it } from '@jest/globals';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import { foundBy } from '../../../../test/support/observations.ts';
import { compare, convergence } from './convergence.ts';
import type { Shown } from './convergence.ts';

const status = (fid: string, mode = 0o644): VnodeStatus =>
  ({ fid, kind: 'file', mode, size: 1, version: 1, links: 1 }) as unknown as VnodeStatus;

const shows = (by: string, files: Record<string, VnodeStatus>, own: string[] = []): Shown => ({
  by,
  tree: new Map(Object.entries(files)),
  own: new Set(own as Fid[]),
});

function differences(...all: Shown[]): string[] {
  const found: string[] = [];
  compare(all, (text) => found.push(text));
  return found;
}

describe('the trees that laptops show', () => {
  it('are equal when nothing differs', () => {
    const files = { '/a': status('1.2.1') };
    expect(differences(shows('ada', files), shows('bob', files))).toEqual([]);
  });

  it('are reported by path and laptop when they differ', () => {
    const ada = shows('ada', { '/a': status('1.2.1'), '/b': status('1.3.1') });
    const bob = shows('bob', { '/a': status('1.2.1', 0o600) });
    const [a, b] = differences(ada, bob);
    expect(a).toMatch(/^\/a: ada has .*1\.2\.1.*, bob has /);
    expect(b).toMatch(/^\/b: ada has .*, bob has nothing$/);
  });

  it('are not compared at files that a reader changed for himself', () => {
    const ada = shows('ada', { '/a': status('1.2.1'), '/b': status('1.3.1') });
    const bob = shows('bob', { '/a': status('1.2.1', 0o600) }, ['1.2.1']);
    expect(differences(ada, bob)).toHaveLength(1);
    expect(differences(bob, ada)[0]).toMatch(/^\/b: /);
  });

  it('are not compared below a folder that a reader moved away', () => {
    const ada = shows('ada', {
      '/d': status('1.4.1'),
      '/d/a': status('1.2.1'),
      '/e': status('1.3.1'),
    });
    const bob = { ...shows('bob', {}), moved: new Set(['1.4.1' as Fid]) };
    expect(differences(ada, bob)).toHaveLength(1);
    expect(differences(bob, ada)[0]).toMatch(/^\/e: /);
  });

  it('are not compared under a name that a reader removed or made, nor below it', () => {
    const ada = shows('ada', {
      '/d': status('1.4.1'),
      '/d/a': status('1.2.1'),
      '/da': status('1.3.1'),
    });
    const bob = { ...shows('bob', {}), names: new Set(['/d']) };
    expect(differences(ada, bob)).toHaveLength(1);
    expect(differences(bob, ada)[0]).toMatch(/^\/da: /);
  });
});

it('the checker finds a convergence that takes too long', async () => {
  const settled = { kind: 'settled', boundMs: 90_000 } as const;
  expect(await foundBy(convergence, [{ ...settled, tookMs: 90_000 }])).toEqual([]);
  expect(await foundBy(convergence, [{ ...settled, tookMs: 90_001 }])).toHaveLength(1);
});
