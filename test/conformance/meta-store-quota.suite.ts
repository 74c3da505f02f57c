/** What every MetaStore stores of the quotas of volumes. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RowWrite } from '../../shared/model/stored.ts';
import { wallTime } from '../../shared/model/time.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { fidOf, FIRST, MetaScript, ROOT, VOLUME } from './meta-script.ts';
import type { MetaHarness } from './meta-store-harness.ts';

const used = (bytes: number, previous: number): RowWrite => ({
  kind: 'used',
  volume: VOLUME,
  used: bytes,
  previous,
});

export function metaQuotaSuite(name: string, make: () => MetaHarness): void {
  let harness: MetaHarness;
  let store: MetaStore;

  beforeEach(async () => {
    harness = make();
    store = harness.store;
    await store.open(FIRST);
  });
  afterEach(() => harness.end());

  /** Opens the store in another process and returns its volumes. */
  const volumes = async () => {
    store = harness.restart();
    return (await store.open(FIRST)).volumes;
  };

  describe(`the quotas of a MetaStore (${name})`, () => {
    it('can be set and lifted by an administrator, and each change is noticed once', async () => {
      expect((await store.volumes()).volumes).toMatchObject([{ id: VOLUME, limit: null }]);
      harness.limit(10_000_000_000);
      expect(await store.changedOutside()).toBe(true);
      expect((await store.volumes()).volumes).toMatchObject([{ limit: 10_000_000_000 }]);
      expect(await volumes()).toMatchObject([{ limit: 10_000_000_000, used: 0 }]);
      harness.limit(null);
      expect((await store.volumes()).volumes).toMatchObject([{ limit: null }]);
    });

    it('keep the used bytes over a restart and a new epoch', async () => {
      const script = await MetaScript.on(store);
      await script.create(fidOf(2), ROOT, 'a').store(fidOf(2), 30).flush();
      await script.link(fidOf(2), ROOT, 'b').store(fidOf(2), 20).flush();
      harness.limit(25);
      expect(await volumes()).toMatchObject([{ limit: 25, used: 20 }]);
      harness.beginEpoch(wallTime(FIRST.when + 1000));
      expect(await volumes()).toMatchObject([{ limit: 25, used: 20 }]);
    });

    it('refuse a commit whose used bytes do not match the previous ones', async () => {
      await store.commit([used(5, 0)]);
      await expect(store.commit([used(8, 5), used(9, 5)])).rejects.toThrow();
      expect(await volumes()).toMatchObject([{ used: 5 }]);
      await store.commit([used(8, 5), used(7, 8)]);
      expect(await volumes()).toMatchObject([{ used: 7 }]);
    });
  });
}
