import { beforeEach, expect, it } from '@jest/globals';
import { CoreServer, digestOf, type TestDevice } from '../../test/support/core-server.ts';
import { create } from '../../test/support/core-updates.ts';
import type { Fid } from '../../shared/model/fid.ts';
import type { Digest } from '../../shared/model/vnode.ts';
import { contentsInUse } from './contents-in-use.ts';

const [OLD, NEW, DELTA] = [digestOf('a'), digestOf('b'), digestOf('d')];
const STREAM = { digest: DELTA, length: 10, offset: 0, delta: true };
const TOLD = { digest: NEW, length: 120, stream: STREAM };

let server: CoreServer;
let writer: TestDevice;
let file: Fid;

beforeEach(async () => {
  server = await CoreServer.start();
  writer = await server.join();
  file = writer.fid(0);
  await writer.applyOne(create(file, 'f'));
  await writer.store(file, 0, { digest: OLD, length: 100 });
});

const inUse = (): Digest[] => contentsInUse(server.state);

it('the contents in use include those of a store and the base of its delta until it was applied', async () => {
  const call = writer.sendStore(file, 1, TOLD);
  await server.settle();
  // Somebody else's version is the present one meanwhile.
  const other = await server.join();
  await other.store(file, 1, { digest: digestOf('e'), length: 7 });
  expect(inUse()).toEqual([NEW, OLD]);
  let used: Digest[] = [];
  server.rebuild = (effect) => {
    used = inUse();
    return { kind: 'rebuilt', call: effect.call, path: '/made', length: 120, digest: NEW };
  };
  writer.sendContent(call, { digest: DELTA, length: 10 });
  await server.settle();
  expect(used).toEqual([NEW, OLD]);
  expect(inUse()).toEqual([]);
});

it('the contents in use exclude a store whose connection ended', async () => {
  writer.sendStore(file, 1, TOLD);
  await server.settle();
  writer.disconnect();
  expect(inUse()).toEqual([]);
});

it('the contents in use include only the store itself when it has no base or comes whole', async () => {
  writer.sendStore(file, 7, TOLD);
  writer.sendStore(file, 1, { digest: NEW, length: 120 });
  await server.settle();
  expect(inUse()).toEqual([NEW, NEW]);
  expect(contentsInUse(null)).toEqual([]);
});
