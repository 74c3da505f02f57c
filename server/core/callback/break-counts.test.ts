import { beforeEach, expect, it } from '@jest/globals';
import { CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import { chmod, create, ROOT, VOLUME } from '../../../test/support/core-updates.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';

let server: CoreServer;
let a: TestDevice;
let b: TestDevice;
let c: TestDevice;
let x: Fid;

/** a has made x, and nobody knows of it. */
beforeEach(async () => {
  server = await CoreServer.start();
  [a, b, c] = [await server.join(), await server.join(), await server.join()];
  x = a.fid(0);
  await a.apply(create(x, 'x'));
  before = new Map();
  counted();
});

let before = new Map<string, number>();

/** What was counted since the last time. */
function counted(): Record<string, number> {
  const now = new Map(
    server.state.breakCounts
      .all()
      .map(({ change, promise, devices, count }) => [`${change} ${promise} ${devices}`, count]),
  );
  const since = [...now].map(([what, count]) => [what, count - (before.get(what) ?? 0)] as const);
  before = now;
  return Object.fromEntries(since.filter(([, count]) => count > 0));
}

const look = (device: TestDevice, fid = x) => device.ask('FetchStatus', { fids: [fid] });
const follow = (device: TestDevice) =>
  device.ask('Changes', {
    volume: VOLUME,
    since: server.state.volumes.find(VOLUME)?.head.committed ?? (0 as CommitNumber),
    limit: 9,
    wait: false,
    promise: true,
  });

it('a change that nobody was promised to hear of counts as one that reaches none', async () => {
  await a.apply(chmod(x, 0o600));
  expect(counted()).toEqual({ 'attributes vnode 0': 1, 'attributes volume 0': 1 });
});

it('a change counts by how many devices had a promise for the file', async () => {
  await look(b);
  await a.apply(chmod(x, 0o600));
  expect(counted()).toMatchObject({ 'attributes vnode 1': 1 });
  await look(b);
  await look(c);
  await a.apply(chmod(x, 0o644));
  expect(counted()).toMatchObject({ 'attributes vnode 2+': 1, 'attributes volume 0': 1 });
});

it('a device that follows the volume counts apart from one that looked at the file', async () => {
  await follow(b);
  await look(c);
  await a.apply(chmod(x, 0o600));
  expect(counted()).toEqual({ 'attributes vnode 1': 1, 'attributes volume 1': 1 });
});

it('a device counts once for a change, whatever it had promises for', async () => {
  await look(b, ROOT);
  await look(b);
  await a.apply({ op: 'remove', fid: x, dir: ROOT, name: 'x', base: 0 as never, at: '1' as never });
  expect(counted()).toMatchObject({ 'names vnode 1': 1 });
});
