/** What the mount is told of a volume whose past is gone. */
import { expect, it } from '@jest/globals';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { commitNumber, type CommitNumber } from '../../../shared/model/vnode.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { AskedOfCore } from './asked-of-core.ts';
import { Follower, type FollowerParts } from './follower.ts';

const DIR = '1.1.1' as Fid;
const LATER = commitNumber(9);

/** A follower of a volume whose changes since the first commit are gone; it is away for so many questions. */
function follower(timesAway: number) {
  let left = timesAway;
  const listings: Array<readonly [string, number]> = [];
  const never = new Promise<never>(() => undefined);
  const unlessAway = <T>(value: T): Promise<T> =>
    left-- > 0 ? Promise.reject(new GodwitError('not-connected')) : Promise.resolve(value);
  const parts = {
    native: {
      mountListing: (_mount: number, dir: string, entries: readonly unknown[]) =>
        void listings.push([dir, entries.length]),
    },
    ...{ mount: 1, volume: 1 as VolumeId, log: { warn: () => undefined } },
    names: { list: () => unlessAway([]) },
    feed: {
      onWoken: () => () => undefined,
      changes: async (_volume: VolumeId, at: CommitNumber) => {
        if (at === LATER) return await never;
        throw new GodwitError('history-gone');
      },
      snapshot: () => unlessAway({ at: LATER }),
    },
    timers: {
      start: (_ms: number, then: () => void) => {
        then();
        return { cancel: () => undefined };
      },
    },
    asked: new AskedOfCore(() => 0),
  };
  const made = new Follower(parts as unknown as FollowerParts, commitNumber(1));
  made.listed(DIR);
  return { made, listings };
}

it.each([0, 1, 2])(
  'a directory is listed anew as a whole when no rows name what went, after %i failures',
  async (timesAway) => {
    const { made, listings } = follower(timesAway);
    await made.reached(LATER);
    expect(listings).toEqual([[DIR, 0]]);
    made.close();
  },
);

it('a name that an own change has touched is asked for again when that is answered', async () => {
  const place = { dir: DIR, name: 'removed' };
  const found = Promise.withResolvers<readonly [string, number]>();
  let wake = (): void => undefined;
  let isPending = true;
  const parts = {
    native: {
      mountKnows: () => true,
      mountName: (_mount: number, _dir: string, name: string, _status: unknown, seq: number) =>
        void found.resolve([name, seq]),
    },
    ...{ mount: 1, volume: 1 as VolumeId },
    fileSystem: { lookup: () => Promise.reject(new GodwitError('not-found')) },
    names: { gone: () => undefined },
    feed: {
      onWoken: (woken: () => void) => {
        wake = woken;
        return () => undefined;
      },
      changes: () => new Promise<never>(() => undefined),
      pendingEntry: () => isPending,
    },
    asked: new AskedOfCore(() => 7),
  };
  const made = new Follower(parts as unknown as FollowerParts, commitNumber(1));
  made.did([place], null);
  wake();
  await made.reached(commitNumber(1));
  isPending = false;
  wake();
  expect(await found.promise).toEqual(['removed', 7]);
  made.close();
});
