/** Two volumes on one server: each keeps what is its own, and limits count both. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import { makeFid, rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { instant } from '../../shared/model/time.ts';
import type { MetadataUpdate, UpdateSeq } from '../../shared/model/update.ts';
import { present } from '../../shared/util/assert.ts';
import { bodyOf, CoreServer, type TestDevice } from '../../test/support/core-server.ts';
import { chmod, create, VOLUME } from '../../test/support/core-updates.ts';
import type { VolumeState } from './volume-state.ts';

const OTHER = 2 as VolumeId;

let server: CoreServer;
let a: TestDevice;
let b: TestDevice;
/** A vnode of the other volume that a may make. */
let foreign: Fid;

beforeEach(async () => {
  const meta = new MemoryMetaStore();
  meta.beginWith(2);
  server = await CoreServer.start(meta);
  [a, b] = [await server.join(), await server.join()];
  meta.allow('owner', OTHER, 'write');
  for (const device of [a, b]) await device.hello({ announces: true });
  const { blocks } = await a.ask('AllocateVnodes', { volume: OTHER, blocks: 1 });
  const { first, uniquifier } = present(blocks[0], 'a block');
  foreign = makeFid(OTHER, first, uniquifier);
});

const state = (volume: VolumeId): VolumeState => server.state.volumes.of(volume);
const send = (volume: VolumeId, update: MetadataUpdate): number =>
  a.send('Apply', {
    ...{ volume, lowWater: 0 as UpdateSeq },
    updates: [{ seq: a.seq(), after: [], update }],
  });
const heads = (): Array<[number, number]> =>
  [VOLUME, OTHER].map((volume) => [state(volume).head.staged, state(volume).head.committed]);
const promise = async (...fids: Fid[]): Promise<Array<number | null>> =>
  (await b.ask('FetchStatus', { fids })).items.map(({ grant }) => grant);

describe('commits of two volumes', () => {
  it('are counted by volume, and become durable in one group', async () => {
    server.hold.commits = true;
    const calls = [send(VOLUME, create(a.fid(0), 'x'))];
    await server.settle();
    calls.push(send(VOLUME, create(a.fid(1), 'y')));
    calls.push(send(OTHER, create(foreign, 'x', rootOf(OTHER))));
    await server.settle();
    expect(heads()).toEqual([
      [3, 1],
      [2, 1],
    ]);
    expect([VOLUME, OTHER].map((volume) => state(volume).rows.size > 0)).toEqual([true, true]);
    const { commits } = server.meta;
    await server.release('commits');
    expect(server.meta.commits - commits).toBe(1);
    expect(heads()).toEqual([
      [3, 3],
      [2, 2],
    ]);
    expect(server.stagedRows).toBe(0);
    for (const call of calls)
      expect(bodyOf<'Apply'>(server.outcome(call)).results[0]?.ok).toBe(true);
  });

  it('are all taken back with a group that fails', async () => {
    server.hold.commits = true;
    server.meta.failNextCommit('server-full');
    const calls = [
      send(VOLUME, create(a.fid(0), 'x')),
      send(OTHER, create(foreign, 'x', rootOf(OTHER))),
    ];
    await server.settle();
    await server.release('commits');
    expect(calls.map((call) => server.outcome(call))).toEqual([
      { code: 'server-full' },
      { code: 'server-full' },
    ]);
    expect(heads()).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(server.stagedRows).toBe(0);
  });

  it('end the promises for that volume alone', async () => {
    await promise(rootOf(VOLUME), rootOf(OTHER));
    expect(server.state.volumes.promisesOf(b.id)).toEqual([rootOf(VOLUME), rootOf(OTHER)]);
    send(OTHER, create(foreign, 'x', rootOf(OTHER)));
    await server.settle();
    expect(server.state.volumes.promisesOf(b.id)).toEqual([rootOf(VOLUME)]);
    expect(server.state.volumes.limits.promises.total(b.id)).toBe(1);
  });
});

it('a device does not learn who uses the files of a volume that it may not see', async () => {
  const stranger = await server.join('write', 'eve');
  await stranger.hello({ announces: true, takesUnshared: true });
  send(OTHER, create(foreign, 'x', rootOf(OTHER)));
  await server.settle();
  b.send('Apply', {
    ...{ volume: OTHER, lowWater: 0 as UpdateSeq },
    updates: [{ seq: b.seq(), after: [], update: chmod(foreign, 0o600) }],
  });
  await server.settle();
  const now = instant(server.now);
  expect(state(OTHER).monitor.isShared(foreign, now)).toBe(true);
  const call = stranger.sendStore(foreign, 0);
  await server.settle();
  const body = bodyOf<'Store'>(server.outcome(call));
  expect(body.result).toMatchObject({ ok: false, refusal: 'no-such-vnode' });
  expect(body.shared).toBeUndefined();
});

describe('marks of a device in two volumes', () => {
  const mark = async (): Promise<void> => {
    send(VOLUME, create(a.fid(0), 'x'));
    send(OTHER, create(foreign, 'x', rootOf(OTHER)));
    await server.settle();
    const marks = [foreign, a.fid(0)].map((fid) => ({ fid, seq: 90 as UpdateSeq }));
    await a.ask('ForwardInvalidate', { number: 1, marks, ends: [], complete: true });
  };

  it('prevent promises in each volume, and count together', async () => {
    await mark();
    const { volumes } = server.state;
    expect(volumes.marksOf(a.id).map(({ fid }) => fid)).toEqual([foreign, a.fid(0)]);
    expect(volumes.limits.marks.total(a.id)).toBe(2);
    expect([VOLUME, OTHER].map((volume) => state(volume).marks.isVolumeDirtyFor(b.id))).toEqual([
      true,
      true,
    ]);
    expect(await promise(a.fid(0), foreign)).toEqual([null, null]);
  });

  it('stay after a restart, and end one by one', async () => {
    await mark();
    const again = await CoreServer.start(server.meta);
    expect(again.state.volumes.limits.marks.total(a.id)).toBe(2);
    await a.ask('ForwardInvalidate', { number: 2, marks: [], ends: [foreign], complete: true });
    expect(server.state.volumes.limits.marks.placesOf(a.id)).toEqual([VOLUME]);
    expect(await promise(foreign)).not.toEqual([null]);
  });

  it('end with the device', async () => {
    await mark();
    const devices = [{ device: a.id, revoked: true, access: [] }];
    server.feed({ kind: 'access', devices });
    await server.settle();
    expect(server.state.volumes.limits.marks.owners()).toEqual([]);
    expect([VOLUME, OTHER].map((volume) => state(volume).marks.ofDevice(a.id))).toEqual([[], []]);
  });
});

it('updates of two volumes that come in the grace are begun at its end, of each in order', async () => {
  const again = await CoreServer.start(server.meta);
  a.server = again;
  server = again;
  await a.hello();
  expect(again.state.leases.awaited).toHaveLength(1);
  const calls = [
    send(OTHER, create(foreign, 'x', rootOf(OTHER))),
    send(VOLUME, create(a.fid(0), 'x')),
    send(VOLUME, create(a.fid(1), 'y')),
  ];
  await again.settle();
  expect([VOLUME, OTHER].map((volume) => state(volume).held.length)).toEqual([2, 1]);
  b.server = again;
  await b.hello();
  await again.settle();
  expect(again.state.waitingUpdates).toBe(0);
  for (const call of calls) expect(bodyOf<'Apply'>(again.outcome(call)).results[0]?.ok).toBe(true);
  expect(heads()).toEqual([
    [3, 3],
    [2, 2],
  ]);
});
