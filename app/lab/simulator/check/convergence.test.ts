import { describe, expect, it } from '@jest/globals';
import { rootOf, type Fid, type VolumeId } from '../../../../shared/model/fid.ts';
import type { Update } from '../../../../shared/model/update.ts';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import { foundBy } from '../../../../test/support/observations.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { compare, convergence } from './convergence.ts';
import type { Shown } from './convergence.ts';
import { Ledgers } from './ledgers.ts';

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

/** Two laptops; the second one may only read, and its blocked changes are dropped while somebody looks. */
async function foundWhileLooking(
  shown: Record<string, VnodeStatus>,
  changes: readonly Partial<Update>[],
): Promise<string[]> {
  const log = [...changes];
  const laptop = (name: string, rights: string, tree: Record<string, VnodeStatus>) => ({
    ...{ name, rights, volume: 1, frontEnd: 'none', tree: new Map(Object.entries(tree)) },
    daemon: {
      inside: { log: { all: () => log.map((update) => ({ update })), index: noChanges } },
      feed: { pendingVnode: () => false },
    },
  });
  const cluster = {
    clients: [laptop('ada', 'write', {}), laptop('bob', 'read', shown)],
    at: ({ name, tree }: ReturnType<typeof laptop>) => {
      if (name === 'bob') log.length = 0;
      return Promise.resolve(tree);
    },
  } as unknown as Cluster;
  const found: string[] = [];
  await convergence.make((text) => found.push(text), new Ledgers()).atRest?.(cluster);
  return found;
}

const noChanges = { directoryChange: () => null };
const making = {
  op: 'mkdir',
  fid: '1.4.1' as Fid,
  dir: rootOf(1 as VolumeId),
  name: 'd',
} as Partial<Update>;

describe('a change of a reader that is dropped while somebody looks', () => {
  it('still says that its name is his own affair, and what is below it', async () => {
    expect(await foundWhileLooking({ '/d/a': status('1.2.1') }, [making])).toEqual([]);
  });

  it('says nothing of other names', async () => {
    const [found] = await foundWhileLooking({ '/d/a': status('1.2.1') }, [
      { ...making, name: 'e' },
    ]);
    expect(found).toMatch(/^\/d\/a: ada's file system has nothing/);
  });
});

it('the checker finds a convergence that takes too long', async () => {
  const settled = { kind: 'settled', boundMs: 90_000 } as const;
  expect(await foundBy(convergence, [{ ...settled, tookMs: 90_000 }])).toEqual([]);
  expect(await foundBy(convergence, [{ ...settled, tookMs: 90_001 }])).toHaveLength(1);
});
