import { expect, it } from '@jest/globals';
import { ClientBench, ROOT, VOLUME } from '../../../test/support/client-bench.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { SnapshotPage } from '../../../shared/ports/feed.ts';
import { MAX_XATTR_VALUE_BYTES, MAX_XATTRS } from '../../../shared/wire/limits.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import type { Event } from '../events.ts';

it('a client does not combine its later commit with an older answer that was not accepted', async () => {
  const bench = await ClientBench.start();
  const [a, b] = [await bench.join(), await bench.join()];
  const { fid } = await a.write(ROOT, 'f', 'one');
  const opened = await a.do<{ handle: number; content: string }>({
    op: 'open',
    fid,
    how: { mode: 'write', truncate: true },
  });
  a.disk.set(opened.content, 'two');
  await b.read(fid);
  await b.do({ op: 'setattr', fid, change: { mode: 0o600 } });
  // The answer has b's change, and is overtaken by the one to the store.
  const late: Event[] = [];
  const feed = a.feed.bind(a);
  a.feed = (event) => void late.push(event);
  feed({ kind: 'call', call: 1_000, what: { op: 'getattr', fid } });
  await bench.settle();
  expect(late).toMatchObject([{ kind: 'reply', reply: { body: { items: [{ current: false }] } } }]);
  a.feed = feed;
  await a.do({ op: 'close', handle: opened.handle, changed: {} });
  late.forEach(feed);
  await bench.settle();
  expect(a.answers.get(1_000)).toMatchObject({ value: { mode: 0o600, size: 3, version: 2 } });
  expect(await a.do({ op: 'getattr', fid })).toMatchObject({ mode: 0o600 });
});

it('a client does not show a removed file again when an earlier answer comes late', async () => {
  const bench = await ClientBench.start();
  const [a, b] = [await bench.join(), await bench.join()];
  const { fid } = await a.write(ROOT, 'f', 'one');
  await b.list();
  const late: Event[] = [];
  const feed = b.feed.bind(b);
  b.feed = (event) => void late.push(event);
  feed({ kind: 'call', call: 1_000, what: { op: 'open', fid, how: { mode: 'read' } } });
  await bench.settle();
  expect(late).toMatchObject([{ kind: 'reply', reply: { body: { status: { fid } } } }]);
  b.feed = feed;
  await b.do({ op: 'remove', place: { dir: ROOT, name: 'f' }, options: {} });
  late.forEach(feed);
  await bench.settle();
  expect(await b.try({ op: 'getattr', fid })).toMatchObject({ ok: false, code: 'not-found' });
});

it('a client uses no promise that comes after its lease, as after sleep (rule P1)', async () => {
  const bench = await ClientBench.start();
  const [a, b] = [await bench.join(), await bench.join()];
  const { fid } = await a.write(ROOT, 'f', 'one');
  await b.list();
  await a.do({ op: 'setattr', fid, change: { mode: 0o600 } });
  const late: Event[] = [];
  const [feed, tick] = [b.feed.bind(b), b.tick.bind(b)];
  b.feed = (event) => void late.push(event);
  b.tick = () => undefined;
  feed({ kind: 'call', call: 1_000, what: { op: 'getattr', fid } });
  await bench.settle();
  expect(late).toMatchObject([{ kind: 'reply', reply: { body: { items: [{ fid }] } } }]);
  // Nobody waits for a laptop that has been asleep for longer than a lease.
  bench.advance(40_000);
  await a.store(fid, 'three');
  expect(a.status()).toMatchObject({ state: 'idle' });
  // A program asks as soon as it is awake, and what had come before is taken only then.
  Object.assign(b, { feed, tick });
  b.feed({ kind: 'call', call: 1_001, what: { op: 'getattr', fid } });
  late.splice(0).forEach(feed);
  await bench.settle();
  expect(b.answers.get(1_001)).toMatchObject({ value: { size: 5, version: 2 } });
  await a.store(fid, 'four');
  expect(await b.do({ op: 'getattr', fid })).toMatchObject({ size: 4, version: 3 });
});

it('a client does not show a file again that is gone when its contents come late', async () => {
  const bench = await ClientBench.start();
  const [a, b] = [await bench.join(), await bench.join()];
  const { fid } = await a.write(ROOT, 'f', 'one');
  await b.list();
  // Contents that are told in part are put together first: their answer is taken long after it came.
  const late: Event[] = [];
  const feed = b.feed.bind(b);
  b.feed = (event) => {
    const isContents = event.kind === 'reply' && event.content !== null;
    if (isContents) late.push(event);
    else feed(event);
  };
  feed({ kind: 'call', call: 1_000, what: { op: 'open', fid, how: { mode: 'read' } } });
  await bench.settle();
  expect(late).toHaveLength(1);
  b.feed = feed;
  await a.do({ op: 'remove', place: { dir: ROOT, name: 'f' }, options: {} });
  expect(await b.try({ op: 'getattr', fid })).toMatchObject({ ok: false, code: 'not-found' });
  late.forEach(feed);
  await bench.settle();
  expect(b.answers.get(1_000)).toMatchObject({ ok: false, code: 'not-found' });
});

it('a client shows nothing older of a vanished file when the feed reaches it', async () => {
  const bench = await ClientBench.start();
  const [a, b] = [await bench.join(), await bench.join({ frontEnd: 'folder' })];
  const { at } = await b.do<SnapshotPage>({ op: 'snapshot', volume: VOLUME, position: null });
  const { fid } = await a.write(ROOT, 'f', 'one');
  await bench.settle();
  const late: Event[] = [];
  const feed = b.feed.bind(b);
  b.feed = (event) => void late.push(event);
  feed({ kind: 'call', call: 1_000, what: { op: 'changes', volume: VOLUME, since: at } });
  await bench.settle();
  expect(late).toMatchObject([{ kind: 'reply', reply: { body: { commits: [{}, {}] } } }]);
  b.feed = feed;
  await a.store(fid, 'two');
  await bench.settle();
  expect(await b.do({ op: 'getattr', fid })).toMatchObject({ version: 2, sync: 'committed' });
  await a.do({ op: 'remove', place: { dir: ROOT, name: 'f' }, options: {} });
  expect(await b.try({ op: 'getattr', fid })).toMatchObject({ ok: false, code: 'not-found' });
  late.forEach(feed);
  b.cutOff();
  await bench.pass(2_000);
  const shown = b.call({ op: 'getattr', fid });
  await bench.pass(10_000);
  expect(b.answers.get(shown)).toMatchObject({ ok: false, code: 'not-connected' });
});

it('a client does not show a file again that others removed while its create is unanswered', async () => {
  const bench = await ClientBench.start();
  const [a, b] = [await bench.join(), await bench.join()];
  const { fid: dir } = await a.do({ op: 'mkdir', dir: ROOT, name: 'd', options: { mode: 0o755 } });
  await a.list(dir);
  // What a has cached of the folder is behind: his own entry in it stays over that.
  await b.do({ op: 'mkdir', dir, name: 'y', options: { mode: 0o755 } });
  const made = { mode: 0o755, observed: true };
  const { fid } = await a.do({ op: 'mkdir', dir, name: 'x', options: made });
  expect(await b.list(dir)).toEqual(['x', 'y']);
  await b.do({ op: 'rmdir', place: { dir, name: 'x' }, options: {} });
  expect(await a.try({ op: 'getattr', fid })).toMatchObject({ ok: false, code: 'not-found' });
});

it('a client does not take a later page of a folder for the answer to a later request', async () => {
  const bench = await ClientBench.start();
  const [a, b] = [await bench.join(), await bench.join()];
  const fids: Fid[] = [];
  for (const name of ['f', 'g']) {
    const { fid } = await a.write(ROOT, name, 'one');
    fids.push(fid);
    // So much that each is on a page of its own.
    const xattrs = Array.from({ length: MAX_XATTRS }, (_, n) => {
      return { name: `user.${n}`, value: 'Q'.repeat(MAX_XATTR_VALUE_BYTES) };
    });
    await a.do({ op: 'setattr', fid, change: { xattrs } });
  }
  const [, g] = fids as [Fid, Fid];
  const late: Event[] = [];
  const feed = b.feed.bind(b);
  b.feed = (event) => void late.push(event);
  feed({ kind: 'call', call: 1_000, what: { op: 'readdir', dir: ROOT } });
  await bench.settle();
  expect(late).toMatchObject([{ kind: 'reply', reply: { body: { more: true } } }]);
  await a.write(ROOT, 'g', 'another');
  feed({ kind: 'call', call: 1_001, what: { op: 'lookup', dir: ROOT, name: 'g' } });
  b.feed = feed;
  late.forEach(feed);
  await bench.settle();
  expect(b.answers.get(1_001)).toMatchObject({ ok: true, value: { fid: g, size: 7 } });
});

it('a client accepts no promise for listed files while another client has newer ones', async () => {
  const bench = await ClientBench.start();
  const [a, b] = [await bench.join(), await bench.join()];
  const { fid: f } = await a.write(ROOT, 'f', 'one');
  const { fid: g } = await a.write(ROOT, 'g', 'one');
  const feed = b.feed.bind(b);
  // The promise is for both, and broken at once for one of them. The break comes later.
  b.feed = (event) => {
    if (event.kind !== 'reply' || !event.reply.ok) return feed(event);
    const page = event.reply.body as ReplyOf<'FetchDir'>;
    const isPage = 'entries' in page;
    if (isPage) expect(page.grant).not.toBeNull();
    const body = isPage ? { ...page, behind: [f] } : page;
    feed({ ...event, reply: { ...event.reply, body } });
  };
  await b.list();
  expect(b.client.inside.isPromised(f)).toBe(false);
  expect(b.client.inside.isPromised(g)).toBe(true);
});
