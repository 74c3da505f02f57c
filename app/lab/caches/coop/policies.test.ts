import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { ALGORITHMS, makePolicy, PAPER_SETTINGS, type AlgorithmSettings } from './algorithms.ts';
import { independentReads, lruHits, zipf } from './che.ts';
import { LEVELS, PAPER_COSTS, timeAt, type Level } from './costs.ts';
import type { Access, CoopPolicy, Room } from './policy.ts';
import { countOf, run, sumOf, type LevelCounts } from './run.ts';

const CLIENTS = 3;
const accessesOf = (writes: boolean): fc.Arbitrary<Access[]> =>
  fc.array(
    fc.record({
      client: fc.nat(CLIENTS - 1),
      block: fc.nat(20),
      isWrite: writes ? fc.boolean() : fc.constant(false),
    }),
    { maxLength: 300 },
  );
const room = fc.record({
  clients: fc.constant(CLIENTS),
  client: fc.integer({ min: 1, max: 6 }),
  server: fc.nat(8),
});

function make(
  name: (typeof ALGORITHMS)[number],
  of: Room,
  settings: Partial<AlgorithmSettings> = {},
): CoopPolicy {
  return makePolicy(name, of, PAPER_COSTS, { ...PAPER_SETTINGS, ...settings });
}

function levelsOf(policy: CoopPolicy, accesses: readonly Access[]): Array<Level | 'written'> {
  return accesses.map(({ client, block, isWrite }) => {
    if (!isWrite) return policy.read(client, block);
    policy.write(client, block);
    return 'written';
  });
}

const total = (policy: CoopPolicy, accesses: readonly Access[]): LevelCounts =>
  sumOf(
    run({
      accesses,
      warmUp: 0,
      clients: CLIENTS,
      policies: new Map([['it', policy]]),
    })[0]?.reads ?? [],
  );

describe('algorithms of cooperative caching', () => {
  it('N-Chance without a chance is greedy forwarding', () => {
    fc.assert(
      fc.property(room, accessesOf(true), (of, accesses) => {
        const greedy = levelsOf(make('greedy', of), accesses);
        expect(levelsOf(make('n-chance', of, { n: 0 }), accesses)).toEqual(greedy);
      }),
    );
  });

  it('without a share for all, central coordination and moved memory are the base case', () => {
    fc.assert(
      fc.property(room, accessesOf(true), (of, accesses) => {
        const base = levelsOf(make('base', of), accesses);
        for (const name of ['central', 'server-memory'] as const) {
          expect(levelsOf(make(name, of, { centralShare: 0 }), accesses)).toEqual(base);
        }
        expect(levelsOf(make('direct', of, { remote: 0 }), accesses)).toEqual(base);
      }),
    );
  });

  it('a cache of its own elsewhere is an LRU cache of both sizes', () => {
    fc.assert(
      fc.property(room, accessesOf(false), (of, accesses) => {
        const direct = total(make('direct', of), accesses);
        const twice = total(make('base', { ...of, client: 2 * of.client }), accesses);
        expect(direct.local + direct.remote).toBe(twice.local);
      }),
    );
  });

  it('greedy forwarding, direct cooperation and the best case hit at the client as the base case does', () => {
    fc.assert(
      fc.property(room, accessesOf(true), (of, accesses) => {
        const local = levelsOf(make('base', of), accesses).map((level) => level === 'local');
        for (const name of ['greedy', 'direct', 'best'] as const) {
          const found = levelsOf(make(name, of), accesses);
          expect(found.map((level) => level === 'local')).toEqual(local);
        }
      }),
    );
  });

  it.each(ALGORITHMS)(
    'the disk answers what nobody has had, and a memory what fits: %s',
    (name) => {
      const of = { clients: CLIENTS, client: 50, server: 100 };
      const all = Array.from({ length: 20 }, (_, block) => ({
        client: block % CLIENTS,
        block,
        isWrite: false,
      }));
      const policy = make(name, of);
      expect(levelsOf(policy, all)).toEqual(all.map(() => 'disk'));
      const others = all.map(({ client, block }) => ({
        client: (client + 1) % CLIENTS,
        block,
        isWrite: false,
      }));
      expect(levelsOf(policy, others)).not.toContain('disk');
      expect(policy.load.total).toBeGreaterThan(0);
    },
  );

  it.each(ALGORITHMS)('a copy that a write of another client ended answers nobody: %s', (name) => {
    fc.assert(
      fc.property(room, accessesOf(true), (of, accesses) => {
        const policy = make(name, of);
        /** Who may have the block's last contents in its own cache: who read or wrote it since the last write. */
        const fresh = new Map<number, Set<number>>();
        for (const { client, block, isWrite } of accesses) {
          const those = fresh.get(block) ?? new Set();
          if (isWrite) {
            policy.write(client, block);
            fresh.set(block, new Set([client]));
            continue;
          }
          const level = policy.read(client, block);
          // A copy that came over from another is one of the last contents too; in other algorithms only who asked has one.
          const moves = name === 'n-chance' || name === 'weighted-lru';
          if (level === 'local' && !moves) expect(those.has(client)).toBe(true);
          if (level === 'local' || level === 'remote') expect(fresh.has(block)).toBe(true);
          fresh.set(block, those.add(client));
        }
      }),
    );
  });

  it('a block that nobody else has survives its eviction, n times, and the one that others have goes', () => {
    const of = { clients: 2, client: 2, server: 0 };
    const read = (client: number, ...blocks: number[]): Access[] =>
      blocks.map((block) => ({ client, block, isWrite: false }));
    const policy = make('n-chance', of, { n: 1 });
    // The second client is idle: what the first one has no room for goes there.
    levelsOf(policy, read(0, 1, 2, 3, 4));
    expect(levelsOf(policy, read(0, 1, 2))).toEqual(['remote', 'remote']);
    const greedy = make('greedy', of);
    levelsOf(greedy, read(0, 1, 2, 3, 4));
    expect(levelsOf(greedy, read(0, 1, 2))).toEqual(['disk', 'disk']);
  });

  it('weighted LRU gives up what others have too before what nobody else has', () => {
    const policy = make('weighted-lru', { clients: 2, client: 2, server: 0 });
    const read = (client: number, block: number): Level => policy.read(client, block);
    read(0, 1);
    read(0, 2);
    read(1, 1);
    read(1, 3);
    // The copy of 1 at one of them makes room; 2 and 3 stay somewhere.
    read(0, 4);
    expect([read(0, 2), read(1, 3)]).not.toContain('disk');
  });

  it('an LRU cache hits as often as the theory of independent reads says', () => {
    const chances = zipf(3000, 0.8);
    const size = 300;
    const policy = make('base', { clients: 2, client: size, server: 0 });
    const [outcome] = run({
      accesses: independentReads(chances, 2, 120_000, new SeededRandom(7)),
      warmUp: 40_000,
      clients: 2,
      policies: new Map([['base', policy]]),
    });
    const reads = sumOf(outcome?.reads ?? []);
    expect(reads.local / countOf(reads)).toBeCloseTo(lruHits(chances, size), 2);
  });
});

describe('costs of an access', () => {
  it('are those of figure 3 of the paper', () => {
    const at = (hops: { remote: number; server: number }): number[] =>
      LEVELS.map((level) => timeAt(level, hops, PAPER_COSTS));
    expect(at({ remote: 3, server: 2 })).toEqual([250, 1250, 1050, 15_850]);
    expect(at({ remote: 2, server: 2 })).toEqual([250, 1050, 1050, 15_850]);
  });
});
