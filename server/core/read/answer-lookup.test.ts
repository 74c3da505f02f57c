/** Lookup: the way down a path in one question (rule N1). */
import { beforeEach, expect, it } from '@jest/globals';
import { CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import { chmod, create, mkdir, ROOT, symlink, VOLUME } from '../../../test/support/core-updates.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { PAGE_BYTES } from '../../limits.ts';

let server: CoreServer;
let writer: TestDevice;
let reader: TestDevice;
let dirs: Fid[];
let file: Fid;

const NAMES = Array.from({ length: 9 }, (_, nth) => `d${nth}`);

beforeEach(async () => {
  server = await CoreServer.start();
  [writer, reader] = [await server.join(), await server.join()];
  dirs = NAMES.map((_, nth) => writer.fid(nth));
  for (const [nth, name] of NAMES.entries()) {
    await writer.apply(mkdir(dirs[nth] as Fid, name, nth === 0 ? ROOT : dirs[nth - 1]));
  }
  file = writer.fid(20);
  await writer.apply(create(file, 'file', dirs.at(-1)));
});

const lookup = (names: readonly string[], fid = ROOT) =>
  reader.ask('Lookup', { fid, names: [...names] });
const isPromised = (fid: Fid): boolean =>
  server.state.volumes.of(VOLUME).promises.has(fid, reader.id);

it('a way of ten names is answered with all their statuses, under one grant', async () => {
  const { items, missing } = await lookup([...NAMES, 'file']);
  expect(items.map(({ status }) => status.fid)).toEqual([ROOT, ...dirs, file]);
  expect(new Set(items.map(({ grant }) => grant)).size).toBe(1);
  expect(items[0]?.grant).not.toBeNull();
  expect(missing).toBe(false);
  for (const { status } of items) expect(isPromised(status.fid)).toBe(true);
});

it('a name that is free ends the way, and the directory that lacks it is promised', async () => {
  const { items, missing } = await lookup(['d0', 'none', 'x']);
  expect(items.map(({ status }) => status.fid)).toEqual([ROOT, dirs[0]]);
  expect(missing).toBe(true);
  expect(isPromised(dirs[0] as Fid)).toBe(true);
});

it('a symlink ends the way, for the client follows it', async () => {
  const link = writer.fid(21);
  await writer.apply(symlink(link, 'link'));
  const { items, missing } = await lookup(['link', 'd1']);
  expect(items.map(({ status }) => status.kind)).toEqual(['directory', 'symlink']);
  expect(missing).toBe(false);
});

it('a folder on the way that somebody is about to change comes without a promise, and takes none from the rest', async () => {
  const middle = dirs[4] as Fid;
  await writer.hello({ announces: true });
  const mark = { fid: middle, seq: 90 as UpdateSeq };
  await writer.ask('ForwardInvalidate', { number: 1, marks: [mark], ends: [], complete: false });
  const { items } = await lookup(NAMES);
  const without = items.filter(({ grant }) => grant === null).map(({ status }) => status.fid);
  expect(without).toEqual([middle]);
});

it('a change that is not durable yet is answered when it is', async () => {
  server.hold.commits = true;
  writer.sendUpdates([{ update: chmod(dirs[2] as Fid, 0o700) }]);
  await server.settle();
  const call = reader.send('Lookup', { fid: ROOT, names: NAMES });
  await server.settle();
  expect(server.outcome(call)).toBeUndefined();
  await server.release('commits');
  expect(server.outcome(call)).toBeDefined();
});

it('a start that is gone, or no directory, is refused', async () => {
  await expect(lookup(['x'], writer.fid(99))).rejects.toThrow('no-such-vnode');
  await expect(lookup(['x'], file)).rejects.toThrow('not-a-directory');
  await expect(lookup(['x'], '9.1.1' as Fid)).rejects.toThrow('no-such-volume');
});

it('statuses that do not fit a message are left for another question', async () => {
  const value = 'A'.repeat(4096);
  const xattrs = Array.from({ length: 40 }, (_, nth) => ({ name: `n${nth}`, value }));
  for (const fid of dirs) {
    await writer.apply({ op: 'setattr', fid, mode: null, mtime: null, xattrs });
  }
  const { items, missing } = await lookup([...NAMES, 'none']);
  expect(items.length).toBeGreaterThan(1);
  expect(items.length * 40 * 4096).toBeLessThan(2 * PAGE_BYTES);
  expect(missing).toBe(false);
});
