/** A file of a group that is saved by a rename over it stays on the group's list (rule W3). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { GROUP_XATTR, formatGroup, groupValue } from '../../../shared/model/file-group.ts';
import { rootOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { RenameOptions } from '../../../shared/ports/file-system.ts';
import { listLog } from '../../../test/support/list-log.ts';
import { FakeVolume } from '../../../test/support/fake-volume.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { GroupLists } from './group-lists.ts';

const ROOT = rootOf(1 as VolumeId);
let dir: string;
let fs: FakeVolume;
let lists: GroupLists;
let logged: string[];
let group: Fid;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'godwit-groups-'));
  fs = new FakeVolume(dir);
  logged = [];
  lists = new GroupLists(fs, listLog(logged));
  group = await made('group');
  const [a, b] = [await made('a', group), await made('b', group)];
  const { handle, path } = await fs.open(group, { mode: 'write', truncate: true });
  writeFileSync(path, formatGroup({ kind: 'chosen', files: [a, b] }));
  await fs.close(handle, {});
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function made(name: string, of: Fid | null = null): Promise<Fid> {
  const { fid } = await fs.create(ROOT, name, { mode: 0o644 });
  if (of !== null) {
    await fs.setattr(fid, { xattrs: [{ name: GROUP_XATTR, value: groupValue(of) }] });
  }
  return fid;
}

async function listed(): Promise<string[]> {
  await lists.idle();
  const { handle, path } = await fs.open(group, { mode: 'read' });
  const text = readFileSync(path, 'utf8');
  await fs.close(handle, null);
  return text.split('\n').slice(1, -1);
}

const rename = (from: string, to: string, options?: RenameOptions) => {
  const places = { from: { dir: ROOT, name: from }, to: { dir: ROOT, name: to }, options };
  return lists.around(places, () => fs.rename(places.from, places.to));
};
const fidOf = async (name: string): Promise<Fid> => (await fs.lookup(ROOT, name)).fid;

it('a file that replaces a member of a group takes its place in the list', async () => {
  const [temporary, b] = [await made('a.tmp'), await fidOf('b')];
  await rename('a.tmp', 'a');
  expect(await listed()).toEqual([temporary, b]);
  // As the daemon does.
  await fs.setattr(temporary, { xattrs: [{ name: GROUP_XATTR, value: groupValue(group) }] });
  const other = await made('b.tmp');
  const again = await made('a.tmp');
  await Promise.all([rename('b.tmp', 'b'), rename('a.tmp', 'a')]);
  expect(await listed()).toEqual([again, other]);
});

it.each([
  ['a free name', 'c', undefined],
  ['a file of no group', 'apart', undefined],
  ['a place that a folder reports', 'a', { observed: null }],
])('the list of a group is unchanged after a rename to %s', async (_what, to, options) => {
  const before = await listed();
  await made('apart');
  await made('x');
  await rename('x', to, options);
  expect(await listed()).toEqual(before);
});

it('the list of a group is unchanged when the rename fails or the new file has its own group', async () => {
  const before = await listed();
  await made('x');
  const failing = lists.around(
    { from: { dir: ROOT, name: 'x' }, to: { dir: ROOT, name: 'a' } },
    () => Promise.reject(new GodwitError('no-right')),
  );
  await expect(failing).rejects.toMatchObject({ code: 'no-right' });
  expect(await listed()).toEqual(before);
  await made('y', await made('another'));
  await rename('y', 'b');
  expect(await listed()).toEqual(before);
});

it("a failed change of a group's list is logged, and the rename stands", async () => {
  await made('x');
  const open = fs.open.bind(fs);
  fs.open = () => Promise.reject(new GodwitError('not-connected'));
  await rename('x', 'a');
  await lists.idle();
  fs.open = open;
  expect(logged.join()).toContain('the list of a file group is not right any more');
});
