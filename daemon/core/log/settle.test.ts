import { expect, it } from '@jest/globals';
import { commitNumber, dataVersion, type Mtime } from '../../../shared/model/vnode.ts';
import { ClientBench, ROOT } from '../../../test/support/client-bench.ts';

/** A laptop whose promises are over, with a file in its cache. */
async function outOfTouch() {
  const bench = await ClientBench.start();
  const a = await bench.join();
  const { fid } = await a.write(ROOT, 'f', 'one');
  await bench.pass(100);
  a.cutOff();
  await bench.pass(60_000);
  return { bench, a, fid };
}

it('a later own change is not put below an earlier one that must stay above it', async () => {
  const { bench, a, fid } = await outOfTouch();
  await a.do({ op: 'setattr', fid, change: { mode: 0o600, mtime: '5' as Mtime } });
  const stored = await a.store(fid, 'later');
  expect(stored.mtime).not.toBe('5');
  // Committed without a promise: no version would show that the change of attributes is in.
  a.online = true;
  await bench.pass(10_000);
  expect(a.status().queues).toMatchObject({ metadata: { updates: 0 }, data: { updates: 0 } });
  a.cutOff();
  await bench.pass(60_000);
  const { mode, size, mtime } = await a.do({ op: 'getattr', fid });
  expect({ mode, size, mtime }).toEqual({ mode: 0o600, size: 5, mtime: stored.mtime });
});

it('a file is known by its last name although its first one was removed unanswered', async () => {
  const { bench, a, fid } = await outOfTouch();
  await a.do({ op: 'link', fid, place: { dir: ROOT, name: 'g' }, options: {} });
  await a.do({ op: 'remove', place: { dir: ROOT, name: 'f' }, options: {} });
  // Committed without a promise: no version would show that the new name is in.
  a.online = true;
  await bench.pass(10_000);
  expect(a.status().queues).toMatchObject({ metadata: { updates: 0 } });
  a.cutOff();
  await bench.pass(60_000);
  expect(await a.do({ op: 'getattr', fid })).toMatchObject({ links: 1, size: 3 });
  expect(await a.do({ op: 'lookup', dir: ROOT, name: 'g' })).toMatchObject({ fid });
});

it('an answer from before the last own save does not replace it', async () => {
  const { bench, a, fid } = await outOfTouch();
  const {
    names: { attributes },
  } = a.client.inside;
  const first = attributes.get(fid);
  if (first === undefined) throw new Error('it is known');
  await a.do({ op: 'link', fid, place: { dir: ROOT, name: 'g' }, options: {} });
  await a.store(fid, 'second');
  await a.do({ op: 'remove', place: { dir: ROOT, name: 'g' }, options: {} });
  await a.store(fid, 'third');
  // Committed without a promise: the link stays over what is known, so the removal can not be put there.
  a.online = true;
  await bench.pass(10_000);
  expect(a.status().queues).toMatchObject({ metadata: { updates: 0 }, data: { updates: 0 } });
  expect(attributes.get(fid)).toBeUndefined();
  const b = await bench.join();
  const present = await b.do({ op: 'getattr', fid });
  const before = { ...first, version: dataVersion(2), commit: commitNumber(present.commit - 1) };
  expect(attributes.learn(before)).toBe(false);
  expect(await a.do({ op: 'getattr', fid })).toMatchObject({ version: 3, size: 5 });
});

it('an own save is not replaced by an older state after a restart, and its contents stay', async () => {
  const { bench, a, fid } = await outOfTouch();
  const b = await bench.join();
  const how = { mode: 'write', truncate: true } as const;
  const opened = await a.do<{ handle: number; content: string }>({ op: 'open', fid, how });
  a.online = true;
  await bench.pass(10_000);
  await b.do({ op: 'setattr', fid, change: { mode: 0o600 } });
  await bench.pass(100);
  // Committed without a promise: the status does not carry the number of that commit, and the change of mode is still to be heard.
  a.disk.set(opened.content, 'later');
  await a.do({ op: 'close', handle: opened.handle, changed: {} });
  expect(a.status().queues).toMatchObject({ data: { updates: 0 } });
  expect(a.client.inside.names.attributes.get(fid)).toMatchObject({ version: 2, mode: 0o644 });
  a.crash();
  a.begin();
  await bench.pass(100);
  const { mode, size, cached } = await a.do({ op: 'getattr', fid });
  expect({ mode, size, cached }).toEqual({ mode: 0o600, size: 5, cached: true });
});

it('a folder has the time of its last commit, which need not be the last change', async () => {
  const bench = await ClientBench.start();
  const a = await bench.join();
  const { fid: dir } = await a.do({ op: 'mkdir', dir: ROOT, name: 'd', options: { mode: 0o755 } });
  await a.write(dir, 'f', 'one');
  await bench.pass(100);
  a.cutOff();
  await bench.pass(60_000);
  // Committed without a promise this stays over what is known of the folder, and so does all that comes after it.
  await a.do({ op: 'setattr', fid: dir, change: { mode: 0o700 } });
  await a.write(dir, 't', 'two');
  const over = { from: { dir, name: 't' }, to: { dir, name: 'f' } };
  await a.do({ op: 'rename', ...over, options: {} });
  await bench.pass(100);
  // It need not wait for contents, as what came before it does.
  await a.do({ op: 'create', dir, name: 'i', options: { mode: 0o644 } });
  a.online = true;
  await bench.pass(10_000);
  a.cutOff();
  await bench.pass(60_000);
  const b = await bench.join();
  const { mtime } = await b.do({ op: 'getattr', fid: dir });
  expect(await a.do({ op: 'getattr', fid: dir })).toMatchObject({ mode: 0o700, mtime });
});

it('a folder keeps the time it was given last while an earlier change in it waits', async () => {
  const bench = await ClientBench.start();
  const a = await bench.join();
  const { fid: dir } = await a.do({ op: 'mkdir', dir: ROOT, name: 'd', options: { mode: 0o755 } });
  a.cutOff();
  const { fid } = await a.write(ROOT, 'f', 'one');
  await a.do({ op: 'link', fid, place: { dir, name: 'g' }, options: {} });
  await a.do({ op: 'setattr', fid: dir, change: { mtime: '5' as Mtime } });
  a.online = true;
  await bench.pass(10_000);
  const b = await bench.join();
  expect(await b.list(dir)).toEqual(['g']);
  expect(await b.do({ op: 'getattr', fid: dir })).toMatchObject({ mtime: '5' });
});
