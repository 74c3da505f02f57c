import { beforeEach, describe, expect, it } from '@jest/globals';
import { CoreServer, digestOf, type TestDevice } from '../../../test/support/core-server.ts';
import { create, remove, ROOT, VOLUME } from '../../../test/support/core-updates.ts';
import { makeFid, type Fid } from '../../../shared/model/fid.ts';
import { wallTime } from '../../../shared/model/time.ts';
import { commitNumber, type DataVersion } from '../../../shared/model/vnode.ts';
import { MAX_PAGE_COMMITS } from '../../../shared/wire/limits.ts';
import { PAGE_BYTES } from '../../limits.ts';

let server: CoreServer;
let a: TestDevice;
let b: TestDevice;
let x: Fid;

beforeEach(async () => {
  server = await CoreServer.start();
  [a, b] = [await server.join(), await server.join('read', 'guest')];
  x = a.fid(0);
  await a.apply(create(x, 'x'));
  await a.store(x, 0);
  await a.store(x, 1, { digest: digestOf('d') });
  await a.apply(remove(x, 'x', 2));
});

const versions = { before: null, limit: 10 } as const;
const names = { dir: ROOT, name: null, after: null, limit: 10 } as const;
const past = { at: commitNumber(1), after: null, limit: 10 } as const;
const own = { volume: VOLUME, before: null, limit: 10 } as const;

describe('a device with the right to read a volume', () => {
  it('sees its history, whoever made the changes', async () => {
    const past = await b.ask('PastVersions', { fid: x, ...versions });
    expect(past.versions.map(({ status, kept }) => [status.version, kept])).toEqual([
      [2, true],
      [1, true],
    ]);
    expect(past.versions[0]?.since).toMatchObject({ commit: 4, device: a.id });
    const found = await b.ask('PastNames', names);
    expect(found.names).toMatchObject([{ name: 'x', fid: x, ended: true, until: { commit: 5 } }]);
  });

  it('gets old contents of a removed file by fid and version', async () => {
    const call = b.send('Fetch', { fid: x, version: 1 as DataVersion });
    await server.settle();
    expect(server.outcome(call)).toMatchObject({ digest: digestOf('c') });
  });

  it('sees its own commits and not those of others', async () => {
    const told = await a.ask('OwnCommits', own);
    expect(told.commits.map(({ commit }) => commit)).toEqual([5, 4, 3, 2]);
    expect(told.commits[0]?.names).toEqual([{ dir: ROOT, name: 'x', was: x, now: null }]);
    expect(await b.ask('OwnCommits', own)).toEqual({ commits: [], more: false });
  });
});

describe('a snapshot of a volume', () => {
  it('is listed and shows a folder as it was, also to a device that may only read', async () => {
    const y = a.fid(1);
    await a.apply(create(y, 'y'));
    const made = server.meta.makeSnapshot(VOLUME, 'yesterday', wallTime(5));
    await a.apply(remove(y, 'y', 0));
    expect(await b.ask('NamedSnapshots', { volume: VOLUME })).toEqual({ snapshots: [made] });
    const shown = await b.ask('PastDir', { fid: ROOT, at: made.at, after: null, limit: 10 });
    expect(shown.entries.map(({ name }) => name)).toEqual(['y']);
    expect(await b.ask('FetchDir', { fid: ROOT, at: null, after: null, limit: 10 })).toMatchObject({
      entries: [],
    });
  });

  it('is refused with a reason when its commit is not here, or when it had no such folder', async () => {
    const past = { fid: ROOT, after: null, limit: 10 };
    const later = commitNumber(99);
    expect(await a.try('PastDir', { ...past, at: later })).toMatchObject({ code: 'history-gone' });
    const at = commitNumber(4);
    expect(await a.try('PastDir', { ...past, fid: x, at })).toMatchObject({
      code: 'not-a-directory',
    });
    expect(await a.try('PastDir', { ...past, fid: a.fid(9), at })).toMatchObject({
      code: 'no-such-vnode',
    });
  });
});

describe('a device without the right to read a volume', () => {
  const other = makeFid(2, 1, 1);
  it('gets the answer that there is no such volume', async () => {
    const refused = { code: 'no-such-volume' };
    expect(await a.try('PastVersions', { fid: other, ...versions })).toEqual(refused);
    expect(await a.try('PastNames', { ...names, dir: other })).toEqual(refused);
    expect(await a.try('OwnCommits', { ...own, volume: 2 as never })).toEqual(refused);
    expect(await a.try('NamedSnapshots', { volume: 2 as never })).toEqual(refused);
    expect(await a.try('PastDir', { ...past, fid: other })).toEqual(refused);
  });

  it('learns nothing when its right ends while the rows are read', async () => {
    server.hold.loads = true;
    const calls = [
      b.send('PastVersions', { fid: x, ...versions }),
      b.send('PastNames', names),
      b.send('OwnCommits', own),
      b.send('NamedSnapshots', { volume: VOLUME }),
      b.send('PastDir', { ...past, fid: ROOT }),
    ];
    await server.settle();
    server.feed({ kind: 'access', devices: [{ device: b.id, revoked: false, access: [] }] });
    await server.release('loads');
    expect(calls.map((call) => server.outcome(call))).toEqual(calls.map(() => undefined));
  });
});

it('a page of history ends before a message grows too long, and the next one continues there', async () => {
  const xattrs = Array.from({ length: 60 }, (_, index) => ({
    name: `user.${index}`,
    value: Buffer.alloc(3000).toString('base64'),
  }));
  for (let n = 1; n <= 4; n++) {
    await a.apply({ ...create(a.fid(n), `f${n}`), xattrs });
    await a.store(a.fid(n), 0);
  }
  const found: string[] = [];
  let pages = 0;
  for (let more = true; more; pages++) {
    const last = found.at(-1);
    const after = last === undefined ? null : { name: last, commit: 99 as never };
    const page = await a.ask('PastNames', { ...names, after, limit: MAX_PAGE_COMMITS });
    found.push(...page.names.map(({ name }) => name));
    more = page.more;
  }
  expect(PAGE_BYTES).toBeLessThan(4 * 60 * 4000);
  expect(pages).toBeGreaterThan(1);
  expect(found).toEqual(['f1', 'f2', 'f3', 'f4', 'x']);
});
