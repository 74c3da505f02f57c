/** What every MetaStore does when it was put back from a backup (rule I1). */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { epochStart, LOST_UNIQUIFIERS } from '../../shared/model/epoch.ts';
import { wallTime } from '../../shared/model/time.ts';
import { updateSeq } from '../../shared/model/update.ts';
import { commitNumber } from '../../shared/model/vnode.ts';
import { DEVICE, FIRST, ROOT, VOLUME } from './meta-script.ts';
import { rowOf, type MetaHarness } from './meta-store-harness.ts';

const FINGERPRINT = 'f'.repeat(64);
const NOW = wallTime(FIRST.when + 5000);
const START = epochStart(commitNumber(1), NOW);

export function metaEpochSuite(name: string, make: () => MetaHarness): void {
  let harness: MetaHarness;
  beforeEach(() => {
    harness = make();
  });
  afterEach(() => harness.end());

  describe(`a new epoch in a MetaStore (${name})`, () => {
    it('continues after all lost commits and waits for all leases', async () => {
      await harness.store.open(FIRST);
      await harness.store.commit([
        {
          kind: 'device',
          ...{ id: DEVICE, fingerprint: FINGERPRINT, name: 'laptop', user: 1, when: FIRST.when },
          ...{ incarnation: '1'.repeat(32), previousIncarnation: null },
        },
        {
          kind: 'block',
          volume: VOLUME,
          first: 65536,
          count: 65536,
          uniquifier: 7,
          device: DEVICE,
        },
      ]);
      harness.beginEpoch(NOW);
      const store = harness.restart();
      const state = await store.open(FIRST);
      expect(state.epoch).not.toBe(FIRST.epoch);
      const lost = { lostFrom: 8, lostTo: 7 + LOST_UNIQUIFIERS };
      expect(state.cuts).toEqual([
        { epoch: FIRST.epoch, volume: VOLUME, last: 1, first: START, ...lost },
      ]);
      expect(state.volumes).toEqual([
        {
          ...{ id: VOLUME, name: 'home', head: START, lastUniquifier: lost.lostTo },
          ...{ limit: null, used: 0 },
        },
      ]);
      expect(state.leases).toEqual([
        { device: 0, run: '' },
        { device: DEVICE, run: '' },
      ]);
      const device = await rowOf(store, { kind: 'device', fingerprint: FINGERPRINT });
      expect(device?.incarnation).toBeNull();
    });

    it('records an empty commit at its start and later commits after that', async () => {
      await harness.store.open(FIRST);
      harness.beginEpoch(NOW);
      const store = harness.restart();
      await store.open(FIRST);
      const commit = commitNumber(START + 1);
      const by = { device: DEVICE, seq: updateSeq(3), when: NOW };
      await store.commit([{ kind: 'log', volume: VOLUME, commit, ...by }]);
      const changes = async (since: number, limit: number) => {
        const key = { kind: 'changes', volume: VOLUME, since: commitNumber(since), limit } as const;
        const { commits, upTo } = await rowOf(store, key);
        return { commits: commits.map((set) => set.commit), upTo };
      };
      expect(await changes(1, 9)).toEqual({ commits: [START, START + 1], upTo: START + 1 });
      expect(await changes(1, 1)).toEqual({ commits: [START], upTo: START });
      expect(await changes(START, 9)).toEqual({ commits: [START + 1], upTo: START + 1 });
      const before = await rowOf(store, {
        kind: 'snapshot',
        ...{ volume: VOLUME, at: commitNumber(1), after: null, limit: 9 },
      });
      expect(before.vnodes.map(({ status }) => status.fid)).toEqual([ROOT]);
    });

    it('can begin again from the same backup or a later one', async () => {
      await harness.store.open(FIRST);
      harness.beginEpoch(NOW);
      harness.beginEpoch(wallTime(NOW + 2000));
      const { cuts } = await harness.restart().open(FIRST);
      expect(cuts.map(({ last }) => last)).toEqual([1, START]);
      expect(cuts[1]?.first).toBeGreaterThan(START);
    });
  });
}
