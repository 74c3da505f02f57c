/** A store whose delta is against a version of another file (rule D2, M3). */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryMetaStore } from '../../../app/lab/simulator/store/memory-meta-store.ts';
import { makeFid, rootOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { DataVersion, Mtime } from '../../../shared/model/vnode.ts';
import { bodyOf, CoreServer, digestOf, TestDevice } from '../../../test/support/core-server.ts';
import { create, VOLUME } from '../../../test/support/core-updates.ts';
import type { Effect } from '../events.ts';

const OTHER = 2 as VolumeId;
const HIDDEN = digestOf('a');
const DELTA = digestOf('d');

let server: CoreServer;
let secret: Fid;
let effects: Effect[];

/** bob stores a file in the other volume. */
async function storeSecret(): Promise<Fid> {
  const bob = new TestDevice(server, 'b');
  const invitation = { id: 'b'.repeat(32), secret: '5'.repeat(32) };
  const expires = Number.MAX_SAFE_INTEGER as WallTime;
  server.meta.invite({ ...invitation, user: 'bob', volume: OTHER, rights: 'write', expires });
  await bob.hello({ invitation });
  const { blocks } = await bob.ask('AllocateVnodes', { volume: OTHER, blocks: 1 });
  const [block] = blocks;
  const fid = makeFid(OTHER, block?.first ?? 0, block?.uniquifier ?? 0);
  const about = { volume: OTHER, lowWater: 0 as never };
  const made = { ...create(fid, 'secret'), dir: rootOf(OTHER) };
  await bob.ask('Apply', { ...about, updates: [{ seq: bob.seq(), after: [], update: made }] });
  const stored = { fid, base: 0 as DataVersion, size: 100, digest: HIDDEN, mtime: '7' as Mtime };
  const update = { op: 'store', ...stored } as const;
  const call = bob.send('Store', { ...about, seq: bob.seq(), after: [], update }, 100);
  bob.sendContent(call, { digest: HIDDEN, length: 100 });
  await server.settle();
  expect(bodyOf<'Store'>(server.outcome(call)).result).toMatchObject({ ok: true });
  return fid;
}

beforeEach(async () => {
  const meta = new MemoryMetaStore();
  meta.beginWith(2);
  server = await CoreServer.start(meta);
  secret = await storeSecret();
  effects = [];
  server.watch = (what) => effects.push(what as Effect);
  server.rebuild = ({ call }) => ({
    ...{ kind: 'rebuilt', call, path: '/made', length: 100, digest: HIDDEN },
  });
});

const rebuilds = () => effects.filter(({ kind }) => kind === 'rebuild');

/** Somebody of the first volume makes a file with the contents of another one. */
async function sendFrom(
  ann: TestDevice,
  from: { fid: Fid; version: number },
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<ReturnType<CoreServer['outcome']>> {
  const fid = ann.fid(0);
  await ann.applyOne(create(fid, 'copy'));
  const named = { fid: from.fid, version: from.version as DataVersion };
  const stream = { digest: DELTA, length: 10, offset: 0, delta: true, from: named };
  const call = ann.sendStore(fid, 0, { digest: HIDDEN, length: 100, stream });
  await meanwhile();
  ann.sendContent(call, { digest: DELTA, length: 10 });
  await server.settle();
  return server.outcome(call);
}

const head = () => server.state.volumes.of(VOLUME).head;

/** The owner may not see the other volume any more, and the server knows. */
async function withdraw(): Promise<void> {
  server.meta.allow('owner', OTHER, null);
  server.lookAtRights();
  await server.settle();
}

/** The contents come whole, under the number of the store before. */
async function again(ann: TestDevice) {
  const options = { digest: HIDDEN, length: 100, seq: 2 };
  const call = ann.sendStore(ann.fid(0), 0, options);
  ann.sendContent(call, options);
  await server.settle();
  return bodyOf<'Store'>(server.outcome(call));
}

describe('a store with a base in another volume', () => {
  it('is made of it where the device may read that volume', async () => {
    server.meta.allow('owner', OTHER, 'read');
    const ann = await server.join();
    const outcome = await sendFrom(ann, { fid: secret, version: 1 });
    expect(bodyOf<'Store'>(outcome).result).toMatchObject({ ok: true });
    expect(rebuilds()).toMatchObject([{ base: { digest: HIDDEN, length: 100 } }]);
  });

  it('is answered where the device may not read it as for a version that is not there', async () => {
    const ann = await server.join();
    const hidden = await sendFrom(ann, { fid: secret, version: 1 });
    expect(hidden).toEqual({ code: 'unknown-base' });
    const asked = effects.flatMap((each) => (each.kind === 'load' ? each.keys : []));
    expect(asked.filter(({ kind }) => kind === 'version')).toEqual([]);
    expect(rebuilds()).toEqual([]);
    server.meta.allow('owner', OTHER, 'read');
    const eve = await server.join();
    expect(await sendFrom(eve, { fid: secret, version: 9 })).toEqual(hidden);
  });

  it('makes nothing where the right is taken while the delta is on its way', async () => {
    server.meta.allow('owner', OTHER, 'read');
    const ann = await server.join();
    await sendFrom(ann, { fid: secret, version: 1 }, withdraw);
    expect(rebuilds()).toEqual([]);
  });

  it('makes nothing where the right is taken while the base is looked up', async () => {
    server.meta.allow('owner', OTHER, 'read');
    const ann = await server.join();
    await sendFrom(ann, { fid: secret, version: 1 }, () => {
      server.hold.loads = true;
      return Promise.resolve();
    });
    await withdraw();
    await server.release('loads');
    expect(rebuilds()).toEqual([]);
    expect(head().staged).toBe(2);
  });

  it('is not committed where the right is taken after its contents are made', async () => {
    server.meta.allow('owner', OTHER, 'read');
    const ann = await server.join();
    const make = server.rebuild;
    server.rebuild = (effect) => {
      server.hold.loads = true;
      return make(effect);
    };
    await sendFrom(ann, { fid: secret, version: 1 });
    await withdraw();
    await server.release('loads');
    expect(rebuilds()).toHaveLength(1);
    expect(head().staged).toBe(2);
    await ann.hello();
    expect(await again(ann)).toMatchObject({ result: { ok: true } });
  });

  it('is refused where contents that are no delta name a base', async () => {
    const ann = await server.join();
    const fid = ann.fid(0);
    await ann.applyOne(create(fid, 'copy'));
    const from = { fid: secret, version: 1 as DataVersion };
    const stream = { digest: HIDDEN, length: 100, offset: 0, delta: false, from };
    const call = ann.sendStore(fid, 0, { digest: HIDDEN, length: 100, stream });
    await server.settle();
    expect(server.outcome(call)).toEqual({ code: 'bad-message' });
  });
});
