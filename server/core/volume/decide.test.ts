import { describe, expect, it } from '@jest/globals';
import { CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import {
  chmod,
  create,
  link,
  mkdir,
  remove,
  rename,
  rmdir,
  ROOT,
  symlink,
} from '../../../test/support/core-updates.ts';
import { makeFid, type Fid } from '../../../shared/model/fid.ts';
import type { MetadataUpdate } from '../../../shared/model/update.ts';
import { EMPTY_DIGEST } from '../../../shared/model/vnode.ts';

/** f file, g stored file (version 1), s symlink, d directory with e inside it, x: not made. */
interface World {
  readonly f: Fid;
  readonly g: Fid;
  readonly s: Fid;
  readonly d: Fid;
  readonly e: Fid;
  readonly x: Fid;
}

async function world(): Promise<{ device: TestDevice; fids: World }> {
  const device = await (await CoreServer.start()).join();
  const [f, g, s, d, e, x] = [0, 1, 2, 3, 4, 5].map((n) => device.fid(n)) as [
    Fid,
    Fid,
    Fid,
    Fid,
    Fid,
    Fid,
  ];
  await device.apply(
    create(f, 'f'),
    create(g, 'g'),
    symlink(s, 's'),
    mkdir(d, 'd'),
    mkdir(e, 'e', d),
  );
  await device.store(g, 0);
  return { device, fids: { f, g, s, d, e, x } };
}

type Row = [
  what: string,
  update: (w: World) => MetadataUpdate,
  outcome: string,
  existing?: keyof World,
];

const ACCEPTED: Row[] = [
  ['create', ({ x }) => create(x, 'x'), 'ok'],
  ['create in a directory', ({ x, d }) => create(x, 'x', d), 'ok'],
  ['link of a file', ({ f }) => link(f, 'f2'), 'ok'],
  ['link of a symlink', ({ s }) => link(s, 's2'), 'ok'],
  ['remove of a file', ({ g }) => remove(g, 'g', 1), 'ok'],
  ['remove of a symlink, whatever the base', ({ s }) => remove(s, 's', 7), 'ok'],
  ['rmdir', ({ e, d }) => rmdir(e, 'e', d), 'ok'],
  ['rename', ({ f }) => rename(f, 'f', 'x'), 'ok'],
  ['rename over a file', ({ f, g }) => rename(f, 'f', 'g', { over: g, base: 1 }), 'ok'],
  ['rename over a symlink', ({ f, s }) => rename(f, 'f', 's', { over: s }), 'ok'],
  ['rename of a directory', ({ e, d }) => rename(e, 'e', 'x', { fromDir: d }), 'ok'],
  ['rename to the same place', ({ f }) => rename(f, 'f', 'f'), 'ok'],
  ['setattr', ({ d }) => chmod(d, 0), 'ok'],
];

const REFUSED: Row[] = [
  ['create of a name in use', ({ x }) => create(x, 'g'), 'name-taken', 'g'],
  ['create in a file', ({ x, f }) => create(x, 'x', f), 'wrong-kind', 'f'],
  ['create in nothing', ({ x }) => create(x, 'y', x), 'no-such-vnode'],
  ['create of a fid in use', ({ f }) => create(f, 'x'), 'fid-in-use', 'f'],
  ['create outside of its blocks', () => create(makeFid(1, 77, 1), 'x'), 'fid-in-use'],
  ['create past the end of its block', () => create(makeFid(1, 131_072, 2), 'x'), 'fid-in-use'],
  ['create in another volume', () => create(makeFid(2, 65_600, 2), 'x'), 'fid-in-use'],
  [
    'create in a directory of another volume',
    ({ x }) => create(x, 'x', makeFid(2, 1, 1)),
    'no-such-vnode',
  ],
  ['mkdir of a name in use', ({ x }) => mkdir(x, 'd'), 'name-taken', 'd'],
  ['symlink of a name in use', ({ x }) => symlink(x, 's'), 'name-taken', 's'],
  ['link of nothing', ({ x }) => link(x, 'y'), 'no-such-vnode'],
  ['link of a directory', ({ d }) => link(d, 'y'), 'wrong-kind', 'd'],
  ['link to a name in use', ({ f }) => link(f, 's'), 'name-taken', 's'],
  ['remove of a free name', ({ f }) => remove(f, 'y'), 'no-such-entry', 'f'],
  ['remove of another vnode', ({ f }) => remove(f, 'g'), 'no-such-entry', 'f'],
  ['remove of a file that was stored since', ({ g }) => remove(g, 'g', 0), 'stale-base', 'g'],
  ['remove of a directory', ({ d }) => remove(d, 'd'), 'wrong-kind', 'd'],
  ['rmdir of a file', ({ f }) => rmdir(f, 'f'), 'wrong-kind', 'f'],
  ['rmdir with something in it', ({ d }) => rmdir(d, 'd'), 'not-empty', 'd'],
  ['rename of a free name', ({ f }) => rename(f, 'y', 'x'), 'no-such-entry', 'f'],
  ['rename of another vnode', ({ f }) => rename(f, 'g', 'x'), 'no-such-entry', 'f'],
  ['rename to a name in use', ({ f }) => rename(f, 'f', 'g'), 'name-taken', 'g'],
  [
    'rename over another than there',
    ({ f, s }) => rename(f, 'f', 'g', { over: s }),
    'name-taken',
    'g',
  ],
  [
    'rename over what is gone',
    ({ f, g }) => rename(f, 'f', 'y', { over: g, base: 1 }),
    'no-such-entry',
  ],
  [
    'rename over a file that was stored since',
    ({ f, g }) => rename(f, 'f', 'g', { over: g }),
    'stale-base',
    'g',
  ],
  ['rename over a directory', ({ f, d }) => rename(f, 'f', 'd', { over: d }), 'wrong-kind', 'd'],
  [
    'rename of a directory over a file',
    ({ d, f }) => rename(d, 'd', 'f', { over: f }),
    'wrong-kind',
    'f',
  ],
  ['rename into itself', ({ d }) => rename(d, 'd', 'x', { toDir: d }), 'cycle'],
  ['rename into its subtree', ({ d, e }) => rename(d, 'd', 'x', { toDir: e }), 'cycle'],
  ['rename to nowhere', ({ f, x }) => rename(f, 'f', 'y', { toDir: x }), 'no-such-vnode'],
  ['setattr of nothing', ({ x }) => chmod(x, 0), 'no-such-vnode'],
];

describe('the decision about an update', () => {
  it.each([...ACCEPTED, ...REFUSED])('is taken for %s: %s', async (...row) => {
    const [, update, outcome, existing] = row;
    const { device, fids } = await world();
    const result = await device.applyOne(update(fids));
    expect(result.ok ? 'ok' : result.refusal).toBe(outcome);
    const found = result.ok ? null : (result.existing?.fid ?? null);
    expect(found).toBe(existing === undefined ? null : fids[existing]);
  });

  it.each([
    ['of nothing', 5, 0, 'no-such-vnode'],
    ['of a directory', 3, 0, 'wrong-kind'],
    ['of a symlink', 2, 0, 'wrong-kind'],
    ['over another version', 1, 0, 'stale-base'],
    ['over the version that it knew', 1, 1, 'ok'],
  ])('is taken for a store %s: %s', async (_, n, base, outcome) => {
    const { device } = await world();
    const result = await device.store(device.fid(n), base);
    expect(result.ok ? 'ok' : result.refusal).toBe(outcome);
  });

  it('accepts a store of empty contents without a transfer', async () => {
    const { device, fids } = await world();
    const call = device.sendStore(fids.f, 0, { digest: EMPTY_DIGEST, length: 0 });
    await device.server.settle();
    expect(device.server.outcome(call)).toMatchObject({ body: { result: { ok: true } } });
  });
});

describe('the effects of an update', () => {
  const status = async (device: TestDevice, fid: Fid) =>
    (await device.ask('FetchStatus', { fids: [fid] })).items[0]?.status;

  it('count changes in directories and set their time to that of the last', async () => {
    const { device, fids } = await world();
    expect(await status(device, ROOT)).toMatchObject({ version: 4, mtime: '1', commit: 5 });
    await device.apply({ ...rename(fids.f, 'f', 'f3'), at: '9' as never });
    expect(await status(device, ROOT)).toMatchObject({ version: 5, mtime: '9', commit: 8 });
  });

  it('end a vnode and its fid with its last name', async () => {
    const { device, fids } = await world();
    await device.apply(link(fids.f, 'f2'), remove(fids.f, 'f'));
    expect(await status(device, fids.f)).toMatchObject({ links: 1 });
    await device.apply(remove(fids.f, 'f2'));
    expect(await status(device, fids.f)).toBeNull();
    expect(await device.applyOne(create(fids.f, 'f'))).toMatchObject({ refusal: 'fid-in-use' });
  });

  it('remove the old name in a rename over another name of the same vnode', async () => {
    const { device, fids } = await world();
    await device.apply(link(fids.f, 'f2'), rename(fids.f, 'f', 'f2', { over: fids.f }));
    expect(await status(device, fids.f)).toMatchObject({ links: 1 });
    const page = await device.ask('FetchDir', { fid: ROOT, at: null, after: null, limit: 9 });
    expect(page.entries.map(({ name }) => name)).toEqual(['d', 'f2', 'g', 's']);
  });

  it('include the versions before and after, in the order of mention', async () => {
    const { device, fids } = await world();
    expect(await device.applyOne(rename(fids.f, 'f', 'g', { over: fids.g, base: 1 }))).toEqual({
      seq: 7,
      ok: true,
      commit: 8,
      touched: [
        { fid: ROOT, before: 4, after: 5 },
        { fid: fids.g, before: 1, after: 1 },
      ],
    });
  });

  it('build on the earlier updates of the same batch', async () => {
    const { device, fids } = await world();
    const results = await device.apply(
      rmdir(fids.e, 'e', fids.d),
      rename(fids.d, 'd', 'd2'),
      mkdir(fids.x, 'in', fids.d),
      rename(fids.d, 'd2', 'x', { toDir: fids.x }),
      rename(fids.x, 'in', 'out', { fromDir: fids.d }),
      rename(fids.d, 'd2', 'now', { toDir: fids.x }),
      rename(fids.x, 'out', 'y', { toDir: fids.d }),
    );
    expect(results.map((each) => (each.ok ? 'ok' : each.refusal))).toEqual([
      ...['ok', 'ok', 'ok', 'cycle', 'ok', 'ok', 'cycle'],
    ]);
  });
});
