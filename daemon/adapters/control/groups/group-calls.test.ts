/** Folders and file groups as the control socket tells of them, on a file system in memory. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ControlClient } from '../../../../shared/control/client.ts';
import { rootOf, type Fid, type VolumeId } from '../../../../shared/model/fid.ts';
import { FakeControl } from '../../../../test/support/fake-control.ts';

const ROOT = rootOf(1 as VolumeId);

let control: FakeControl;
let client: ControlClient;
let folder: Fid;
const files = new Map<string, Fid>();

beforeEach(async () => {
  control = new FakeControl();
  await control.start();
  client = ControlClient.of(control.data);
  const { fileSystem: fs } = control.daemon;
  ({ fid: folder } = await fs.mkdir(ROOT, 'src', { mode: 0o755 }));
  for (const name of ['a', 'b', 'c']) {
    files.set(name, (await fs.create(folder, name, { mode: 0o644 })).fid);
  }
});
afterEach(async () => {
  client.close();
  await control.close();
});

const fidOf = (name: string): Fid => files.get(name) as Fid;
const order = async (act: 'create' | 'add' | 'remove' | 'end', name: string, of: Fid[]) =>
  await client.command('group-order', { act, volume: 'home', name, files: of });
const refusalOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: { code: string }) => error.code,
  );

describe('a folder in the calls for groups', () => {
  const part = (path: string[], from: number, most: number, volume = 'home') =>
    client.command('folder', { volume, path, from, most });

  it('is listed in parts in the order of names', async () => {
    const told = await part(['src'], 1, 1);
    expect(told).toMatchObject({ fid: folder, total: 3, from: 1 });
    expect(told.rows).toEqual([
      expect.objectContaining({ name: 'b', fid: fidOf('b'), kind: 'file', pinned: false }),
    ]);
    expect((await part(['src'], 3, 10)).rows).toEqual([]);
    expect((await part([], 0, 10)).rows).toMatchObject([{ name: 'src', kind: 'directory' }]);
  });

  it('is refused when it is none', async () => {
    expect(await refusalOf(part(['none'], 0, 1))).toBe('not-found');
    expect(await refusalOf(part(['src', 'a'], 0, 1))).toBe('not-a-directory');
    expect(await refusalOf(part([], 0, 1, 'none'))).toBe('no-such-volume');
    expect(await refusalOf(part(['..'], 0, 1))).toBe('bad-name');
    expect(await refusalOf(part([], 0, 20_001))).toBe('bad-message');
  });
});

describe('orders for a group', () => {
  it('accept files and everything in folders, each file once', async () => {
    const made = await order('create', 'build', [fidOf('c'), folder]);
    expect(made).toMatchObject({ kind: 'chosen', files: ['c', 'a', 'b'].map(fidOf) });
    const { groups } = await client.command('groups', { volume: 'home' });
    expect(groups).toEqual([made]);
    await control.daemon.fileSystem.remove({ dir: folder, name: 'b' });
    const told = await client.command('group', { volume: 'home', name: 'build' });
    expect(told.files.map(({ path }) => path)).toEqual(['/src/c', '/src/a', null]);
  });

  it('are carried out one after the other when they come at once', async () => {
    await order('create', 'build', [fidOf('a')]);
    await Promise.all([order('add', 'build', [fidOf('b')]), order('add', 'build', [fidOf('c')])]);
    const { groups } = await client.command('groups', { volume: 'home' });
    expect(groups[0]?.files).toEqual(['a', 'b', 'c'].map(fidOf));
  });

  it.each([
    ['create', 'a/b', 'bad-name'],
    ['create', '', 'bad-name'],
    ['add', 'none', 'not-found'],
    ['end', 'none', 'not-found'],
  ] as const)('include %s %j, which is refused: %s', async (act, name, code) => {
    expect(await refusalOf(order(act, name, [fidOf('a')]))).toBe(code);
  });

  it('are refused without a file and for a name that is taken', async () => {
    expect(await refusalOf(order('create', 'empty', []))).toBe('usage');
    await order('create', 'build', [fidOf('a')]);
    expect(await refusalOf(order('create', 'build', [fidOf('b')]))).toBe('exists');
    expect(await refusalOf(order('create', 'x', [`${fidOf('a')}0` as Fid]))).toBe('not-found');
  });
});
