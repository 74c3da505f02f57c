import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  bodyOf,
  CoreServer,
  digestOf,
  type TestDevice,
} from '../../../test/support/core-server.ts';
import { chmod, create, mkdir, remove, ROOT, VOLUME } from '../../../test/support/core-updates.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { CommitNumber, DataVersion } from '../../../shared/model/vnode.ts';
import { FETCH_WAIT, LEASE, POLL_WAIT } from '../../limits.ts';

let server: CoreServer;
let a: TestDevice;
let b: TestDevice;
let x: Fid;

beforeEach(async () => {
  server = await CoreServer.start();
  [a, b] = [await server.join(), await server.join()];
  x = a.fid(0);
  await a.apply(create(x, 'x'));
});

const fetch = (version: number | null = null) =>
  b.send('Fetch', { fid: x, version: version as DataVersion | null });
const poll = (
  since: number,
  change: { wait?: boolean; limit?: number; promise?: boolean } = {},
) => ({
  volume: VOLUME,
  since: since as CommitNumber,
  limit: 100,
  wait: false,
  promise: false,
  ...change,
});
const dir = (after: string | null, at: number | null, limit = 2) =>
  b.ask('FetchDir', { fid: ROOT, at: at as CommitNumber | null, after, limit });

describe('the RPC Fetch', () => {
  it('returns contents and a promise', async () => {
    await a.store(x, 0);
    const call = fetch();
    await server.settle();
    expect(server.outcome(call)).toMatchObject({
      body: { status: { version: 1, digest: digestOf('c') }, behind: false, grant: 1 },
      digest: digestOf('c'),
    });
  });

  it('waits for the first store of a file without contents (rule W2)', async () => {
    const call = fetch();
    await server.settle();
    expect(server.outcome(call)).toBeUndefined();
    await a.store(x, 0);
    expect(server.outcome(call)).toMatchObject({ body: { status: { version: 1 }, behind: false } });
  });

  it('returns no-contents when the first store takes too long', async () => {
    const call = fetch();
    await server.pass(FETCH_WAIT);
    expect(server.outcome(call)).toEqual({ code: 'no-contents' });
  });

  it('waits for the store of a dirty file, or reports the version as behind', async () => {
    await a.store(x, 0);
    const store = a.sendStore(x, 1, { digest: digestOf('d') });
    const [first, second] = [fetch(), fetch()];
    await server.pass(FETCH_WAIT - 1);
    expect(server.outcome(first)).toBeUndefined();
    await server.pass(1);
    expect(server.outcome(first)).toMatchObject({
      body: { status: { version: 1 }, behind: true, grant: null },
    });
    expect(server.outcome(second)).toBeDefined();
    const third = fetch();
    a.sendContent(store, { digest: digestOf('d') });
    await server.settle();
    expect(server.outcome(third)).toMatchObject({ body: { status: { version: 2 }, grant: 1 } });
  });

  it("does not wait for an absent writer (rule S4), nor for the reader's own update", async () => {
    await a.store(x, 0);
    a.sendStore(x, 1, { digest: digestOf('d') });
    a.disconnect();
    await server.pass(LEASE);
    const call = fetch();
    await server.settle();
    expect(server.outcome(call)).toMatchObject({ body: { behind: true } });
    await a.hello();
    expect(await a.ask('Fetch', { fid: x, version: null })).toMatchObject({ behind: false });
  });

  it('does not wait for a writer that was silent for a lease although its connection is open', async () => {
    await a.store(x, 0);
    const store = a.sendStore(x, 1, { digest: digestOf('d') });
    await server.pass(LEASE);
    const call = fetch();
    await server.settle();
    expect(server.outcome(call)).toMatchObject({ body: { behind: true } });
    a.sendContent(store, { digest: digestOf('d') });
    await server.settle();
    expect(await b.ask('Fetch', { fid: x, version: null })).toMatchObject({ behind: false });
  });

  it('stops waiting when the store is refused', async () => {
    await a.store(x, 0);
    const store = a.sendStore(x, 0, { digest: digestOf('d') });
    const call = fetch();
    a.sendContent(store, { digest: digestOf('d') });
    await server.settle();
    expect(server.outcome(call)).toMatchObject({ body: { status: { version: 1 }, behind: false } });
  });

  it.each([
    [1, { body: { status: { version: 1, digest: digestOf('c') }, grant: null } }],
    [0, { code: 'no-contents' }],
    [3, { code: 'version-gone' }],
  ])('returns version %i unchanged', async (version, outcome) => {
    await a.store(x, 0);
    await a.store(x, 1, { digest: digestOf('d') });
    await a.apply(remove(x, 'x', 2));
    const call = fetch(version);
    await server.settle();
    expect(server.outcome(call)).toMatchObject(outcome);
  });

  it('returns no-such-vnode for an unknown vnode', async () => {
    expect(await b.try('Fetch', { fid: a.fid(5), version: null })).toEqual({
      code: 'no-such-vnode',
    });
  });
});

describe('the RPC Validate', () => {
  it('reports what is current, changed and gone, with promises', async () => {
    await a.apply(create(a.fid(1), 'y'), create(a.fid(2), 'z'), chmod(x, 0), remove(a.fid(2), 'z'));
    const items = [
      { fid: a.fid(1), commit: 3 as CommitNumber },
      { fid: x, commit: 2 as CommitNumber },
      { fid: a.fid(2), commit: 4 as CommitNumber },
    ];
    expect((await b.ask('Validate', { items })).items).toMatchObject([
      { current: true, status: null, grant: 1 },
      { current: false, status: { mode: 0, commit: 5 }, grant: 1 },
      { current: false, status: null, grant: null },
    ]);
  });
});

describe('the RPC FetchDir', () => {
  it('lists the pages of one commit while changes go on', async () => {
    await a.apply(...['c', 'a', 'b'].map((name, n) => create(a.fid(n + 1), name)));
    const first = await dir(null, null);
    expect(first).toMatchObject({ at: 5, more: true, grant: 1 });
    await a.apply(create(a.fid(7), 'bb'), remove(x, 'x'));
    const second = await dir('b', 5);
    expect(second).toMatchObject({ at: 5, more: false, grant: null, status: { version: 4 } });
    const names = [...first.entries, ...second.entries].map(({ name }) => name);
    expect(names).toEqual(['a', 'b', 'c', 'x']);
  });

  it('is repeated when a change is under way, and gets a promise', async () => {
    server.hold.commits = true;
    a.sendUpdates([{ update: create(a.fid(1), 'y') }]);
    await server.settle();
    const call = b.send('FetchDir', { fid: ROOT, at: null, after: null, limit: 9 });
    await server.settle();
    expect(server.outcome(call)).toBeUndefined();
    await server.release('commits');
    const page = bodyOf<'FetchDir'>(server.outcome(call));
    expect(page.entries.map(({ name }) => name)).toEqual(['x', 'y']);
    expect(page.grant).toBe(1);
  });

  it.each([
    ['for a file', () => x, null, 'not-a-directory'],
    ['for an unknown vnode', () => a.fid(9), null, 'no-such-vnode'],
    ['for a future commit', () => ROOT, 99, 'history-gone'],
  ])('is refused %s', async (_, fid, at, code) => {
    const body = { fid: fid(), at: at as CommitNumber | null, after: null, limit: 1 };
    expect(await b.try('FetchDir', body)).toEqual({ code });
  });

  it('fits into a message, however much its entries carry', async () => {
    const xattrs = [{ name: 'big', value: Buffer.alloc(4000).toString('base64') }];
    for (let n = 0; n < 4; n++) {
      const many = Array.from({ length: 50 }, (_, i) => a.fid(10 + n * 50 + i));
      await a.apply(...many.map((fid) => ({ ...create(fid, fid), xattrs })));
    }
    const sizes: number[] = [];
    for (let after: string | null = null, at: number | null = null; ;) {
      const page = await dir(after, at, 1000);
      sizes.push(page.entries.length);
      if (!page.more) break;
      [after, at] = [page.entries.at(-1)?.name ?? null, page.at];
    }
    expect(sizes).toEqual([90, 90, 21]);
  });
});

describe('the RPC Changes', () => {
  it('returns pages with each commit once', async () => {
    await a.apply(mkdir(a.fid(1), 'd'), create(a.fid(2), 'y', a.fid(1)));
    const first = await b.ask('Changes', poll(0, { limit: 3, promise: true }));
    expect(first).toMatchObject({ upTo: 3, head: 4, grant: null });
    const second = await b.ask('Changes', poll(3, { limit: 3, promise: true }));
    expect(second).toMatchObject({ upTo: 4, head: 4, grant: 1 });
    expect(second.commits).toMatchObject([
      {
        commit: 4,
        device: a.id,
        seq: 3,
        vnodes: [{ fid: a.fid(2) }, { fid: a.fid(1), version: 1 }],
        entries: [{ dir: a.fid(1), name: 'y', fid: a.fid(2) }],
      },
    ]);
  });

  it('answers a waiting call at the next commit or at the end of the wait', async () => {
    const [first, second] = [1, 2].map(() => b.send('Changes', poll(2, { wait: true })));
    await server.settle();
    expect(server.outcome(first as number)).toBeUndefined();
    await a.apply(chmod(x, 0));
    expect(bodyOf<'Changes'>(server.outcome(first as number)).commits).toHaveLength(1);
    expect(server.outcome(second as number)).toBeDefined();
    const third = b.send('Changes', poll(3, { wait: true }));
    await server.pass(POLL_WAIT);
    expect(bodyOf<'Changes'>(server.outcome(third))).toMatchObject({
      commits: [],
      upTo: 3,
      head: 3,
    });
  });

  it('refuses a commit in the future', async () => {
    expect(await b.try('Changes', poll(9))).toEqual({ code: 'history-gone' });
  });

  it('returns no commit that is stored and not yet announced, so that nobody may continue from it', async () => {
    await a.apply(chmod(x, 0));
    server.hold.commits = true;
    const updated = a.sendUpdates([{ update: chmod(x, 1) }]);
    await server.settle();
    const told = await b.ask('Changes', poll(2));
    expect(told).toMatchObject({ commits: [{ commit: 3 }], upTo: 3, head: 3 });
    const next = b.send('Changes', poll(3, { wait: true }));
    await server.settle();
    await server.release('commits');
    expect(server.outcome(updated)).toBeDefined();
    expect(bodyOf<'Changes'>(server.outcome(next))).toMatchObject({ commits: [{ commit: 4 }] });
  });

  it('gives a promise once no change is under way', async () => {
    await a.store(x, 0);
    const store = a.sendStore(x, 1, { digest: digestOf('d') });
    const call = b.send('Changes', poll(3, { wait: true, promise: true }));
    await server.settle();
    expect(server.outcome(call)).toBeUndefined();
    server.feed({ kind: 'aborted', call: store, withdrawn: true });
    await server.settle();
    expect(bodyOf<'Changes'>(server.outcome(call))).toMatchObject({ commits: [], grant: 1 });
  });
});

it('the RPC Snapshot returns all vnodes of one commit, and the feed continues there', async () => {
  await a.apply(mkdir(a.fid(1), 'd'), create(a.fid(2), 'y', a.fid(1)));
  const ask = (at: number | null, after: Fid | null) =>
    b.ask('Snapshot', { volume: VOLUME, at: at as CommitNumber | null, after, limit: 2 });
  const first = await ask(null, null);
  expect(first).toMatchObject({ at: 4, more: true });
  await a.apply(remove(x, 'x'));
  const second = await ask(4, first.vnodes.at(-1)?.status.fid ?? null);
  const all = [...first.vnodes, ...second.vnodes];
  expect(all.map(({ status, names }) => [status.fid, names[0]?.name])).toEqual([
    [ROOT, undefined],
    [x, 'x'],
    [a.fid(1), 'd'],
    [a.fid(2), 'y'],
  ]);
  expect((await b.ask('Changes', poll(4))).commits).toHaveLength(1);
});

it('the RPC AllocateVnodes returns blocks that never overlap', async () => {
  const { blocks } = await a.ask('AllocateVnodes', { volume: VOLUME, blocks: 4 });
  expect(blocks.map(({ first, count, uniquifier }) => [first, count, uniquifier])).toEqual(
    [3, 4, 5, 6].map((n) => [n * 65_536, 65_536, n + 1]),
  );
});

describe('a file whose removal is not durable yet', () => {
  it('is reported gone when the removal is durable, and exists again when the commit fails', async () => {
    await a.store(x, 0);
    for (const isKept of [false, true]) {
      server.hold.commits = true;
      if (!isKept) server.meta.failNextCommit('server-full');
      const removal = a.sendUpdates([{ update: remove(x, 'x', 1) }]);
      await server.settle();
      const call = fetch();
      await server.settle();
      expect(server.outcome(call)).toBeUndefined();
      await server.release('commits');
      const ends = isKept ? { code: 'no-such-vnode' } : { code: 'server-full' };
      expect(server.outcome(call)).toMatchObject(ends);
      expect(server.outcome(removal)).toMatchObject(isKept ? { body: {} } : ends);
    }
  });
});
