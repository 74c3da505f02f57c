import { describe, expect, it } from '@jest/globals';
import { ClientBench, ROOT } from '../../../test/support/client-bench.ts';
import { instant, milliseconds, wallTime } from '../../../shared/model/time.ts';
import { makeFid, rootOf, type VolumeId } from '../../../shared/model/fid.ts';
import { commitNumber, dataVersion, type Digest } from '../../../shared/model/vnode.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import { ClientState, type ClientConfig } from '../state.ts';
import { keepWhatIsLeft, partings, rememberEpochs } from './epochs-before.ts';

type Hello = ReplyOf<'Hello'>;
type Cut = readonly [volume: number, last: number, first: number];

const HOME = 1 as VolumeId;
const SHARED = 2 as VolumeId;

/** The epochs that ended, the newest first, each with where it was cut. */
function hello(
  epoch: string,
  seen: readonly number[],
  ended: Readonly<Record<string, readonly Cut[]>> = {},
): Hello {
  const volumes = seen.map((number) => {
    const id = number as VolumeId;
    const head = commitNumber(1);
    return { id, name: `volume ${number}`, root: rootOf(id), rights: 'write', head } as const;
  });
  return {
    ...{ protocol: 1, software: 'test', boot: 'b', device: 1, user: 'owner', leaseMs: 30_000 },
    ...{ epoch, volumes },
    ended: Object.entries(ended).map(([of, cuts]) => ({
      epoch: of,
      volumes: cuts.map(([volume, last, first]) => {
        return { volume: volume as VolumeId, last: commitNumber(last), first: commitNumber(first) };
      }),
    })),
  };
}

/** A device that has heard these answers, one after the other, and knows both volumes. */
function deviceThatHeard(...answers: readonly Hello[]): ClientState {
  const config: ClientConfig = {
    frontEnd: 'none',
    invitation: null,
    ...{ deviceName: 'laptop', software: 'test' },
    ...{ notConnectedWait: milliseconds(0), cacheBytes: 0, localCopies: false },
  };
  const state = new ClientState(config, { at: instant(0), wall: wallTime(0) });
  for (const id of [HOME, SHARED])
    state.names.volumes.add({ info: { id } } as never, commitNumber(0), []);
  for (const answer of answers) rememberEpochs(state, answer);
  return state;
}

describe('the point where the histories of device and server parted', () => {
  const [first, firstCut] = [hello('a', [1, 2]), { a: [[1, 5, 100] as Cut, [2, 7, 100] as Cut] }];

  it('does not exist within one epoch', () => {
    expect(partings(deviceThatHeard(first), first)).toEqual([]);
  });

  it("is the end of the device's epoch, for each volume", () => {
    expect(partings(deviceThatHeard(first), hello('b', [1, 2], firstCut))).toEqual([
      { volume: 1, last: 5, first: 100 },
      { volume: 2, last: 7, first: 100 },
    ]);
  });

  it('is in the newest common epoch when the server does not know the one between', () => {
    const device = deviceThatHeard(first, hello('b', [1], firstCut));
    const again = { a: [[1, 3, 200] as Cut] };
    expect(partings(device, hello('c', [1], again))).toEqual([{ volume: 1, last: 3, first: 200 }]);
  });

  it('is unknown without a common epoch', () => {
    expect(partings(deviceThatHeard(first), hello('b', [1, 2]))).toBeNull();
  });

  it('is where a volume was left that was not seen meanwhile', () => {
    const device = deviceThatHeard(first, hello('b', [1], firstCut));
    expect(partings(device, hello('b', [1]))).toEqual([]);
    const seenAgain = hello('b', [1, 2], firstCut);
    expect(partings(device, seenAgain)).toEqual([{ volume: 2, last: 7, first: 100 }]);
    rememberEpochs(device, seenAgain);
    expect(partings(device, seenAgain)).toEqual([]);
  });

  it('is unknown when a volume was left in an epoch that the server does not mention', () => {
    const device = deviceThatHeard(first, hello('b', [1], { a: [[1, 5, 100]] }));
    // Another volume with that number, made since.
    expect(partings(device, hello('b', [1, 2], { a: [[1, 5, 100]] }))).toBeNull();
  });
});

it('a session is refused when it would send an update from an unknown epoch', async () => {
  const bench = await ClientBench.start();
  const [ada, bob] = [await bench.join(), await bench.join()];
  await ada.write(ROOT, 'doc', 'of the unknown epoch');
  await bench.pass(1_000);
  const { inside } = ada.client;
  const epoch = String(inside.meta.get('epoch'));
  ada.cutOff();
  await ada.write(ROOT, 'queued', 'likewise');
  inside.meta.set('epoch', 'f'.repeat(32));
  rememberEpochs(inside, hello(epoch, []));
  ada.online = true;
  await bench.pass(120_000);
  expect(ada.status()).toMatchObject({ connected: false, errors: [{ code: 'epoch-changed' }] });
  expect(ada.status().queues).toMatchObject({ metadata: { updates: 1 }, data: { updates: 1 } });
  expect(await bob.list()).toEqual(['doc']);
});

it('contents of a volume that is left in an older epoch make no room until it is seen again', () => {
  const cut = { a: [[1, 5, 100] as Cut, [2, 7, 100] as Cut] };
  const state = deviceThatHeard(hello('a', [1, 2]), hello('b', [1], cut));
  for (const volume of [HOME, SHARED]) {
    const fid = makeFid(volume, 65_536, 2);
    const content = { name: `of ${volume}`, fid, version: dataVersion(1), digest: 'd' as Digest };
    state.cache.files.add({ ...content, size: 100 });
  }
  state.cache.files.spareNothing();
  const goes = (): string[] => {
    keepWhatIsLeft(state);
    return state.cache.files.evictable(0, () => false);
  };
  expect(goes()).toEqual(['of 1']);
  rememberEpochs(state, hello('b', [1, 2], cut));
  expect(goes()).toEqual(['of 1', 'of 2']);
});
