import { beforeEach, describe, expect, it } from '@jest/globals';
import { formatGroup, GROUP_XATTR, groupValue } from '../../../shared/model/file-group.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Attributes, NamedAttributes } from '../../../shared/ports/file-system.ts';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';

/** Bytes of each file. */
const EACH = 1000;

let bench: ClientBench;
let ada: BenchClient;
let bob: BenchClient;
const fids = new Map<string, Fid>();

beforeEach(async () => {
  bench = await ClientBench.start();
  ada = await bench.join();
  bob = await bench.join();
  fids.clear();
});

const of = (name: string): Fid => fids.get(name) as Fid;
const text = (name: string, bytes = EACH): string => name.repeat(bytes).slice(0, bytes);

async function folder(name: string, dir = ROOT): Promise<Fid> {
  return (await ada.do({ op: 'mkdir', dir, name, options: { mode: 0o755 } })).fid;
}

/** Ada makes files in this order, and bob lists the folder. */
async function made(names: string, dir = ROOT, bytes = EACH): Promise<void> {
  for (const name of names.split(' ')) {
    fids.set(name, (await ada.write(dir, name, text(name, bytes))).fid);
  }
  await bench.pass(100);
  await bob.list(dir);
}

async function readAll(names: string): Promise<void> {
  for (const name of names.split(' ')) await bob.read(of(name));
}

/** What of it bob has here. */
async function here(dir = ROOT): Promise<string> {
  const listed = await bob.do<NamedAttributes[]>({ op: 'readdir', dir });
  const files = listed.filter(({ attributes }) => attributes.kind === 'file' && attributes.cached);
  return files.map(({ name }) => name).join(' ');
}

const inside = () => bob.client.inside;
const open = (name: string): number =>
  bob.call({ op: 'open', fid: of(name), how: { mode: 'read' } });
const fetchOf = (name: string) =>
  [...inside().cache.fetches.values()].find(({ fid }) => fid === of(name));

describe('the read-ahead of a folder', () => {
  it('fetches the next file from the third in a row on, and more with further opens', async () => {
    await made('a b c d e f g h');
    await readAll('a b');
    expect(await here()).toBe('a b');
    await bob.read(of('c'));
    expect(await here()).toBe('a b c d');
    await bob.read(of('d'));
    expect(await here()).toBe('a b c d e f');
    expect(inside().prefetch.fetching).toBeNull();
  });

  it('follows names in natural order and skips entries without contents', async () => {
    await made('p1 p10 p9 p2 p11 p8');
    await folder('p10a');
    await ada.do({ op: 'create', dir: ROOT, name: 'p10b', options: { mode: 0o644 } });
    await bench.pass(100);
    await bob.list();
    await readAll('p8 p9 p10');
    expect(await here()).toBe('p10 p11 p8 p9');
  });

  it('follows the order in which files were made', async () => {
    await made('x k z a m b');
    await readAll('x k z');
    expect(await here()).toBe('a k x z');
    await readAll('a');
    expect(await here()).toBe('a b k m x z');
  });

  it('runs while the present file is fetched, and a demand expedites it', async () => {
    await made('a b c d e');
    await readAll('a b');
    const fetched = bench.server.count('Fetch');
    open('c');
    expect(fetchOf('c')).toMatchObject({ ahead: false, priorityClass: 'FETCH', state: 'running' });
    expect(fetchOf('d')).toMatchObject({ ahead: true, priorityClass: 'PREFETCH' });
    expect(fetchOf('d')?.request).not.toBeNull();
    const call = open('d');
    expect(fetchOf('d')).toMatchObject({ ahead: false, priorityClass: 'FETCH' });
    await bench.settle();
    expect(bob.answers.get(call)).toMatchObject({ ok: true });
    // c and d once, and what lies ahead of d.
    expect(await here()).toBe('a b c d e');
    expect(bench.server.count('Fetch') - fetched).toBe(3);
    expect(bench.server.count('Raise')).toBe(1);
  });

  it('counts demands of a user, who gets the next file as a demand', async () => {
    await made('a b c d e');
    const demand = (name: string): number => bob.call({ op: 'demand', fid: of(name) });
    const [first, second] = [demand('a'), demand('b')];
    expect(fetchOf('a')).toMatchObject({ ahead: false, priorityClass: 'FETCH' });
    await bench.settle();
    expect([first, second].map((call) => bob.answers.get(call))).toEqual([
      expect.objectContaining({ ok: true }),
      expect.objectContaining({ ok: true }),
    ]);
    demand('c');
    await bench.settle();
    expect(await here()).toBe('a b c d');
    // Looked at by command alone, nothing lies ahead.
    await bob.do({ op: 'prefetch', fid: of('e') });
    expect(inside().prefetch.streaks.get(ROOT)?.last.name).toBe('c');
    demand('d');
    await bench.settle();
    expect(await here()).toBe('a b c d e');
  });

  it('has one unrequested fetch at a time', async () => {
    await made('a b c d e f g h i j k l');
    await readAll('a b c d e f');
    let most = 0;
    open('g');
    for (let more = true; more; more = await bench.one()) {
      const ahead = [...inside().cache.fetches.values()].filter((each) => each.ahead);
      most = Math.max(most, ahead.length);
    }
    expect(most).toBe(1);
    expect(await here()).toBe('a b c d e f g h i j');
  });

  it('ends with its streak and restarts later when it was wrong', async () => {
    await made('a b c d e f g h i j k l m n');
    await readAll('a b c');
    expect(await here()).toBe('a b c d');
    await readAll('g h i j k');
    expect(await here()).toBe('a b c d g h i j k');
    await readAll('l');
    expect(await here()).toBe('a b c d g h i j k l m n');
    const doubts = (): unknown => inside().prefetch.streaks.get(ROOT)?.doubt;
    expect(doubts()).toBe(3);
    await readAll('m n');
    expect(doubts()).toBe(1);
  });

  it('ignores opens without a read and repeated opens of one file', async () => {
    await made('a b c d e f');
    await bob.store(of('a'), 'anew');
    await bob.store(of('b'), 'anew');
    await bob.store(of('c'), 'anew');
    await bench.pass(100);
    expect(await here()).toBe('a b c');
    await readAll('a a b b b c c');
    expect(await here()).toBe('a b c');
    await readAll('d');
    expect(await here()).toBe('a b c d e');
  });

  it('fetches no file ahead that is larger than all that was opened', async () => {
    await made('a b c');
    fids.set('d', (await ada.write(ROOT, 'd', text('d', 3 * EACH + 1))).fid);
    fids.set('e', (await ada.write(ROOT, 'e', text('e', 5 * EACH))).fid);
    await bench.pass(100);
    await bob.list();
    await readAll('a b c');
    expect(await here()).toBe('a b c');
    await readAll('d');
    expect(await here()).toBe('a b c d e');
  });

  it('continues in each of two folders that are read at once', async () => {
    const [one, two] = [await folder('one'), await folder('two')];
    await made('a b c d e', one);
    await made('p q r s t', two);
    await readAll('a p b q c r');
    expect(await here(one)).toBe('a b c d');
    expect(await here(two)).toBe('p q r s');
  });

  it('remembers a limited number of folders', async () => {
    for (let each = 0; each < 20; each++) await made(`f${each}`, await folder(`dir ${each}`));
    for (let each = 0; each < 20; each++) await bob.read(of(`f${each}`));
    expect(inside().prefetch.streaks.size).toBe(16);
  });
});

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'no file is fetched twice, whatever happens first (seed %d)',
  async (seed) => {
    bench = await ClientBench.start(seed);
    [ada, bob] = [await bench.join(), await bench.join()];
    const names = Array.from({ length: 12 }, (_, index) => `file ${index}`);
    for (const name of names) fids.set(name, (await ada.write(ROOT, name, text(name))).fid);
    await bench.pass(100);
    await bob.list();
    const fetched = bench.server.count('Fetch');
    for (const name of names) {
      const call = open(name);
      while (bob.answers.get(call) === undefined && (await bench.one()));
      const { content } = (bob.answers.get(call) as { value: { content: string } }).value;
      expect(bob.disk.get(content)).toBe(text(name));
    }
    await bench.settle();
    expect(bench.server.count('Fetch') - fetched).toBe(names.length);
    expect(inside().prefetch.streaks.get(ROOT)?.streaks.names.opens).toBe(names.length);
  },
);

describe('the read-ahead with competing needs', () => {
  it('stops when prefetching is off', async () => {
    await made('a b c d e f g');
    await bob.do({ op: 'cache-settings', change: { prefetch: false } });
    await readAll('a b c d');
    expect(await here()).toBe('a b c d');
    await bob.do({ op: 'cache-settings', change: { prefetch: true } });
    await bench.settle();
    expect(await here()).toBe('a b c d e f');
  });

  it('stops on a metered network and while everything is paused', async () => {
    await made('a b c d e f g');
    const facts = { name: 'phone', kind: 'mobile', metered: true, why: 'a test' } as const;
    const network = { ...facts, gateway: null, subnet: null, interface: null } as never;
    bob.feed({ kind: 'network', facts: network, utcOffsetMs: 0 });
    await bob.do({ op: 'network-rule', network: 'phone', change: { pause: true } });
    await readAll('a b c d');
    expect(await here()).toBe('a b c d');
    bob.feed({ kind: 'network', facts: null, utcOffsetMs: 0 });
    bob.feed({ kind: 'pause' });
    await readAll('e');
    expect(await here()).toBe('a b c d e');
    bob.feed({ kind: 'resume' });
    await bench.settle();
    expect(await here()).toBe('a b c d e f g');
  });

  it('gives way to pinned files and to groups', async () => {
    const [dir, other] = [await folder('dir'), await folder('other')];
    await made('a b c d e', dir);
    await made('p q', other);
    const list = await ada.write(ROOT, 'list', '');
    const xattrs = [{ name: GROUP_XATTR, value: groupValue(list.fid) }];
    for (const name of ['p', 'q']) {
      await ada.do({ op: 'setattr', fid: of(name), change: { xattrs } });
    }
    await ada.store(list.fid, formatGroup({ kind: 'chosen', files: [of('p'), of('q')] }));
    fids.set('pinned', (await ada.write(ROOT, 'pinned', text('pinned'))).fid);
    await bench.pass(100);
    for (const each of [ROOT, dir, other]) await bob.list(each);
    await readAll('a b');
    bob.call({ op: 'pin', fid: of('pinned') });
    open('p');
    open('p');
    open('c');
    const begun: Array<string | undefined> = [];
    for (let more = true; more; more = await bench.one()) {
      const ahead = [...inside().cache.fetches.values()].find((each) => each.ahead);
      const name = [...fids].find(([, fid]) => fid === ahead?.fid)?.[0];
      if (name !== undefined && begun.at(-1) !== name) begun.push(name);
    }
    await bench.pass(1000);
    expect(begun).toEqual(['pinned', 'q', 'd']);
    expect(await here(dir)).toBe('a b c d');
  });

  it('leaves files of a group to the group and is not stopped by them', async () => {
    await made('a b c d e f');
    const list = await ada.write(ROOT, 'zz', formatGroup({ kind: 'chosen', files: [of('c')] }));
    const xattrs = [{ name: GROUP_XATTR, value: groupValue(list.fid) }];
    await ada.do({ op: 'setattr', fid: of('c'), change: { xattrs } });
    await bench.pass(100);
    await bob.list();
    await readAll('a b d');
    expect(await here()).toBe('a b d e');
  });

  it('stops when only space of later opened files or its own is left', async () => {
    await made('a b c d e f');
    await made('old', await folder('dir'));
    await readAll('old a b');
    const { bytes } = inside().cache.files;
    await bob.do({ op: 'cache-settings', change: { minimum: 0, maximum: bytes + EACH } });
    await readAll('c');
    // In the place of what was opened before all of them.
    expect(await here()).toBe('a b c d');
    const fetched = bench.server.count('Fetch');
    await readAll('d e f');
    expect(bench.server.count('Fetch') - fetched).toBe(2);
    await bob.do({ op: 'cache-settings', change: { minimum: 0, maximum: 0 } });
    await readAll('a b c d');
    expect(inside().prefetch.fetching).toBeNull();
    expect(bench.server.count('Fetch') - fetched).toBeLessThanOrEqual(6);
  });

  it('skips a file that another device is about to change', async () => {
    await made('a b c d e');
    await readAll('a b');
    inside().sharing.behind.told(of('d'), true, 1_000_000);
    await readAll('c');
    expect(await here()).toBe('a b c e');
  });
});

describe('the read-ahead in a changing folder', () => {
  it('skips removed files and continues when the last read one is gone', async () => {
    await made('a b c d e f g h');
    await readAll('a b c');
    for (const name of ['c', 'd'])
      await ada.do({ op: 'remove', place: { dir: ROOT, name }, options: {} });
    await bench.pass(100);
    await bob.list();
    await readAll('e');
    expect(await here()).toBe('a b e f g');
    expect(inside().prefetch.streaks.get(ROOT)?.doubt).toBe(0);
  });

  it('fetches what replaced the next file', async () => {
    await made('a b c d e');
    await readAll('a b');
    const saved = await ada.write(ROOT, 'tmp', text('new'));
    const to = { dir: ROOT, name: 'd' };
    await ada.do({ op: 'rename', from: { dir: ROOT, name: 'tmp' }, to, options: {} });
    await bench.pass(100);
    await bob.list();
    await readAll('c');
    const { cached } = await bob.do<Attributes>({ op: 'getattr', fid: saved.fid });
    expect(cached).toBe(true);
  });

  it('does not count a file as ahead that was moved away', async () => {
    const dir = await folder('dir');
    await made('a b c d e f');
    await readAll('a b c');
    const to = { dir, name: 'd' };
    await ada.do({ op: 'rename', from: { dir: ROOT, name: 'd' }, to, options: {} });
    await bench.pass(100);
    await bob.list();
    await readAll('e');
    expect(await here()).toBe('a b c e f');
    await readAll('f');
    expect(inside().prefetch.streaks.get(ROOT)?.doubt).toBe(0);
  });

  it('does nothing in a folder that is unknown or no longer known', async () => {
    const dir = await folder('dir');
    await made('a b c d e', dir);
    await readAll('a b');
    inside().names.directories.forget(dir);
    await readAll('c');
    expect(inside().prefetch.fetching).toBeNull();
    expect(inside().cache.files.namesOf(of('d'))).toEqual([]);
  });

  it('resumes after an interrupted connection', async () => {
    await made('a b c d e f');
    await readAll('a b');
    open('c');
    expect(fetchOf('d')).toMatchObject({ ahead: true });
    bob.cutOff();
    await bench.pass(1000);
    expect(inside().prefetch).toMatchObject({ fetching: null, streak: null });
    expect(inside().cache.fetches.size).toBeLessThan(2);
    bob.online = true;
    await bench.pass(60_000);
    expect(await here()).toBe('a b c d');
    expect(inside().prefetch.fetching).toBeNull();
  });

  it('requests the statuses of all next files at once when they are not promised', async () => {
    await made('a b c d e f g h');
    for (const name of ['d', 'e', 'f', 'g', 'h']) inside().sharing.promises.forget(of(name));
    await readAll('a b');
    const asked = bench.server.count('Validate');
    await readAll('c');
    await bench.settle();
    expect(bench.server.count('Validate') - asked).toBe(1);
    expect(inside().cache.files.namesOf(of('d'))).toHaveLength(1);
  });

  it('skips a file that could not be fetched', async () => {
    await made('a b c d e f');
    await readAll('a b');
    inside().prefetch.failed.set(of('d'), inside().names.attributes.get(of('d'))?.version as never);
    await readAll('c');
    expect(await here()).toBe('a b c e');
  });

  it('is forgotten by the next daemon', async () => {
    await made('a b c d e f');
    await readAll('a b');
    bob.crash();
    bob.begin();
    await bench.pass(1000);
    await readAll('c');
    expect(await here()).toBe('a b c');
  });
});
